package profile

import (
	"io"
	"math"
	"slices"

	"whet/internal/callstack"
)

// AddTo adds a profile to a sum, its values multiplied by scale, and holds none of its
// samples: it reads the file twice, first what samples refer to. It reports false of all
// that is not one sound pprof profile of the sum's types without values below zero, and
// the sum is of no use then; to read the profile says what is wrong with it.
func AddTo(sum *callstack.Merger, scale float64, r io.ReaderAt, size int64, limits Limits) bool {
	src := newSource(r, size)
	limits = limits.Of(size)
	head := make([]byte, 2)
	if n, _ := r.ReadAt(head, 0); n < len(head) || !isGzip(head) {
		return false
	}
	tables := decoder{want: Want{Only: tables}}
	if !tables.runSound(src, limits) || tables.s == nil {
		return false
	}
	var d damage
	p, err := tables.pack(limits, false, &d)
	if err != nil || d != (damage{}) || len(p.Types) != len(tables.s.row) {
		return false
	}
	if tables.t.samples == 0 || len(p.Mappings) == 0 || slices.ContainsFunc(tables.t.locations, func(l locationRecord) bool { return l.firstLine == l.endLine }) ||
		slices.ContainsFunc(p.Functions, func(f callstack.Function) bool { return f.Name == "" }) { // or is not in the file
		return false // it is warned of, or changed, before it is added
	}
	into, err := sum.Begin(scale, p)
	if err != nil {
		return false
	}
	samples := decoder{s: tables.s}
	s := samples.s
	s.into, s.only, s.depths = into, Everything, make([]int, 1)
	s.lines, s.numStrings = make([]int, len(p.Locations)), len(tables.t.strings)
	for id := range s.lines {
		s.lines[id] = len(p.Lines(callstack.LocationID(id)))
	}
	return samples.runSound(src, limits) && s.failed == nil && s.malformed+s.deep+s.wrong+s.negative == 0 && s.highest <= math.MaxInt64 &&
		samples.t.samples == tables.t.samples && s.frames <= limits.MaxFrames && s.deepest <= callstack.MaxDepth
}

// runSound decodes a file of one gzip member, and reports whether that is what it is.
func (m *decoder) runSound(src *source, limits Limits) bool {
	f := src.member(0, limits.MaxBytes)
	m.w = window{f: f}
	err := m.run(limits, -1)
	m.w.release()
	f.finish()
	return err == nil && f.err == nil && f.failed == nil && f.bytes > 0 && f.end == src.size
}

// numberAll numbers the locations and strings of the file, whether samples have them or
// not.
func (s *packer) numberAll(t *rawProfile) {
	for i := range t.locations {
		s.locations.of(t.locations[i].id)
	}
	for i := range t.strings {
		s.strings.of(uint64(i))
	}
}

// intoSum adds the sample at hand to the sum, unless what it refers to is not there.
func (s *packer) intoSum(shared int, set callstack.LabelSet) {
	if len(s.locations.ids) > len(s.lines) || len(s.strings.ids) > s.numStrings || s.failed != nil {
		s.malformed++
		return
	}
	s.depths = s.depths[:shared+1]
	depth := s.depths[shared]
	for _, id := range s.others {
		depth += s.lines[id]
		s.frames += int64(s.lines[id])
		s.depths = append(s.depths, depth)
	}
	s.deepest = max(s.deepest, depth)
	s.failed = s.into.Sample(shared, s.others, set, s.row)
}
