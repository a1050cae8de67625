package profile

import (
	"io"
	"math"
	"slices"

	"whet/internal/callstack"
)

// Addend is a sound pprof profile without values below zero, of which nothing was kept
// but what its samples refer to.
type Addend struct {
	src    *source
	limits Limits
	tables decoder
	p      *callstack.Profile
}

// ReadAddend reads a file for what its samples refer to. It reports false where the file
// is not one that AddTo adds; to read the profile says what is wrong with it.
func ReadAddend(r io.ReaderAt, size int64, limits Limits) (*Addend, bool) {
	a := &Addend{src: newSource(r, size), limits: limits.Of(size), tables: decoder{want: Want{Only: tables}}}
	head := make([]byte, 2)
	if n, _ := r.ReadAt(head, 0); n < len(head) || !isGzip(head) {
		return nil, false
	}
	if !a.tables.runSound(a.src, a.limits) || a.tables.s == nil {
		return nil, false
	}
	var d damage
	p, err := a.tables.pack(a.limits, false, &d)
	if err != nil || d != (damage{}) || len(p.Types) != len(a.tables.s.row) {
		return nil, false
	}
	a.p = p
	return a, len(p.Mappings) > 0 && !slices.ContainsFunc(a.tables.t.locations, func(l locationRecord) bool { return l.firstLine == l.endLine }) &&
		!slices.ContainsFunc(p.Functions, func(f callstack.Function) bool { return f.Name == "" }) // else it is warned of, or changed, before it is added
}

// AddTo adds the profile to a sum, its values multiplied by scale, while it reads the file
// once more. It reports false where the sum is of other types or the samples are not
// sound; the sum is of no use then.
func (a *Addend) AddTo(sum *callstack.Merger, scale float64) bool {
	into, err := sum.Begin(scale, a.p)
	if err != nil {
		return false
	}
	t := &a.tables.t
	samples := decoder{s: a.tables.s}
	s := samples.s
	s.into, s.only, s.depths = into, Everything, make([]int, 1)
	s.lines, s.numStrings = make([]int, len(a.p.Locations)), len(t.strings)
	for id := range s.lines {
		s.lines[id] = len(a.p.Lines(callstack.LocationID(id)))
	}
	sound := samples.runSound(a.src, a.limits)
	return into.End() == nil && sound && s.failed == nil && s.malformed+s.deep+s.wrong+s.negative == 0 && s.highest <= math.MaxInt64 &&
		samples.t.samples == t.samples && s.frames <= a.limits.MaxFrames && s.deepest <= callstack.MaxDepth
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
