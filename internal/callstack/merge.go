package callstack

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// Merge adds up profiles with the same sample and period types as pprof
// does: samples with equal stacks and labels become one, in the order of their
// first, and samples whose values are all zero are left out, with the locations
// and functions that only they refer to. The values of profile i are first multiplied by scales[i] and
// rounded; no scales are ones.
//
// Stacks are equal when their locations are: the same addresses, wherever the
// binary was loaded, with the same lines. The set of a sample's labels counts,
// not their order.
func Merge(scales []float64, profiles ...*Profile) (*Profile, error) {
	if scales != nil && len(scales) != len(profiles) {
		return nil, fmt.Errorf("merge: %d scales for %d profiles", len(scales), len(profiles))
	}
	if len(profiles) == 0 {
		return NewBuilder().Profile(), nil
	}
	m := NewMerger(&profiles[0].Meta)
	for i, p := range profiles {
		scale := 1.0
		if scales != nil {
			scale = scales[i]
		}
		if err := m.Add(scale, p); err != nil {
			return nil, err
		}
	}
	return m.Merged(), nil
}

// Merger merges profiles as Merge does, one after the other: the caller need not
// keep a profile it has added.
//
// A sample is identified by its stack and label set. Keeping every stack for
// comparison would take five times the memory of the result, so Merger keeps a
// number: two polynomials over the integers modulo 2^61-1 with the locations'
// ids as coefficients, each at a point drawn at random, of the second the lower
// 32 bits. Two different sequences of n ids have the same value at n of 2^61
// points at most, and the same lower bits at n·2^29 (Carter and Wegman 1979), so
// with a million stacks of 128 locations the chance that any two are taken for
// one is below 2^39 · 2^7/2^61 · 2^36/2^61 = 2^-40. The value of a stack follows
// from that of its prefix: the work is for what differs from the sample before.
type Merger struct {
	b        *Builder
	profiles int
	mappings map[mappingKey]MappingID
	sets     map[string]uint64 // by labels in pprof's order
	samples  identities        // by stack and labels
	columns  []tally
	sums     [][2]uint64 // of the magnitudes of all above and all below zero that was added, by column
	apart    bool        // a profile was subtracted: the two sums are bounded each by itself
	distinct bool        // no two samples are the same
	points   [2]uint64
	path     [][2]uint64 // the polynomials' values of the path's prefixes; path[0] of none
	row      []int64
	key      []byte
	comments map[string]bool
}

type mappingKey struct {
	size, offset uint64
	name         string
}

// NewMerger returns a merger of profiles that have the types of first.
func NewMerger(first *Meta) *Merger {
	b := NewBuilder(slices.Clone(first.Types)...)
	to := &b.p.Meta
	to.DefaultType, to.DefaultNamed, to.PeriodType = first.DefaultType, first.DefaultNamed, first.PeriodType
	to.DropFrames, to.KeepFrames = first.DropFrames, first.KeepFrames
	return &Merger{
		b:        b,
		mappings: make(map[mappingKey]MappingID),
		sets:     make(map[string]uint64),
		columns:  make([]tally, len(first.Types)),
		comments: make(map[string]bool),
		sums:     make([][2]uint64, len(first.Types)),
		points:   [2]uint64{2 + rand.Uint64N(mersenne61-2), 2 + rand.Uint64N(mersenne61-2)},
		path:     [][2]uint64{{}},
		row:      make([]int64, len(first.Types)),
	}
}

// Add adds p with its values multiplied by scale.
func (m *Merger) Add(scale float64, p *Profile) error {
	if err := m.meta(&p.Meta); err != nil {
		return err
	}
	if len(m.b.p.Mappings) == 0 && len(p.Mappings) > 0 {
		m.mapping(p, 0) // by custom the main binary
	}
	locations := make([]LocationID, len(p.Locations)) // 1 + id in the merged profile
	type labelSet struct {
		id     uint64 // that of m.sets
		merged LabelSet
		added  bool
	}
	sets := make([]labelSet, len(p.sets))
	valid := 0 // so many of m.path are of the sample at hand
	added := 0 // and so many of m.b.path

	columns := make([]int, len(p.Types))
	for t := range columns {
		columns[t] = t
		m.columns[t].reserve(p.samples)
	}
	if !m.distinct {
		m.samples.reserve(p.samples)
	}
	for c := p.Cursor(columns...); c.Next(); {
		valid, added = min(valid, c.Shared), min(added, c.Shared)
		any, err := m.scaled(c, scale)
		if err != nil {
			return err
		}
		if !any {
			continue
		}
		m.path = m.path[:valid+1]
		for _, id := range slices.Backward(c.Path[valid:]) { // leaf first, as pprof numbers them
			if locations[id] == 0 {
				locations[id] = 1 + m.location(p, id)
			}
		}
		for _, id := range c.Path[valid:] {
			m.path = append(m.path, m.next(m.path[len(m.path)-1], uint64(locations[id])))
		}
		valid = len(c.Path)
		set := &sets[c.LabelSet()]
		if set.id == 0 {
			set.id = m.labelSet(p.Labels(c.LabelSet()))
		}
		i, known := m.b.p.samples, false
		if !m.distinct {
			i, known = m.samples.find(m.next(m.path[valid], set.id), i)
		}
		for t, v := range m.row {
			m.columns[t].add(i, v)
		}
		if known {
			continue
		}
		for added < len(c.Path) && added < len(m.b.path) && locations[c.Path[added]] == m.b.path[added]+1 {
			added++
		}
		m.b.others = m.b.others[:0]
		for _, id := range c.Path[added:] {
			m.b.others = append(m.b.others, locations[id]-1)
		}
		m.b.addStack(added, m.b.others)
		if !set.added {
			set.added, set.merged = true, m.b.labelSet(p.Labels(c.LabelSet()))
		}
		m.b.p.labels.set(set.merged)
		added = len(c.Path)
	}
	return nil
}

// meta merges the metadata of a profile.
func (m *Merger) meta(from *Meta) error {
	to := &m.b.p.Meta
	m.profiles++
	switch {
	case !slices.Equal(from.Types, to.Types):
		return &MergeError{Index: m.profiles - 1, Have: from.Types, Want: to.Types}
	case from.PeriodType != to.PeriodType:
		return fmt.Errorf("merge: profile %d was sampled by %v, the first one by %v", m.profiles, from.PeriodType, to.PeriodType)
	}
	if from.TimeNanos != 0 && (to.TimeNanos == 0 || from.TimeNanos < to.TimeNanos) {
		to.TimeNanos = from.TimeNanos
	}
	to.Duration += from.Duration
	to.Period = max(to.Period, from.Period)
	if !to.DefaultNamed {
		to.DefaultType, to.DefaultNamed = from.DefaultType, from.DefaultNamed
	}
	if to.DocURL == "" {
		to.DocURL = from.DocURL
	}
	for _, c := range from.Comments {
		if !m.comments[c] {
			m.comments[c] = true
			to.Comments = append(to.Comments, c)
		}
	}
	for _, w := range from.Warnings {
		if !slices.Contains(to.Warnings, w) {
			to.Warnings = append(to.Warnings, w)
		}
	}
	return nil
}

var errMergeSum = errors.New("merge: the sum of the values overflows an int64")

// scaled reads the sample's values into m.row and reports whether any is not
// zero.
func (m *Merger) scaled(c *Cursor, scale float64) (bool, error) {
	any := false
	m.apart = m.apart || scale < 0
	for t := range m.row {
		v := c.Value(t)
		switch {
		case scale == -1 && v != math.MinInt64: // a difference is exact
			v = -v
		case scale != 1:
			f := math.Round(float64(v) * scale)
			if !(math.Abs(f) < 1<<63) {
				return false, errMergeSum
			}
			v = int64(f)
		}
		sum := &m.sums[t]
		if v < 0 {
			sum[1] -= uint64(v)
		} else {
			sum[0] += uint64(v)
		}
		if max(sum[0], sum[1]) > math.MaxInt64 || !m.apart && sum[0]+sum[1] > math.MaxInt64 {
			return false, errMergeSum
		}
		m.row[t] = v
		any = any || v != 0
	}
	return any, nil
}

// location finds a location of p in the merged profile, or adds it.
func (m *Merger) location(p *Profile, id LocationID) LocationID {
	l := p.Locations[id]
	mapping, address := NoMapping, l.Address
	if l.Mapping != NoMapping {
		mapping = m.mapping(p, l.Mapping)
		address += m.b.p.Mappings[mapping].Start - p.Mappings[l.Mapping].Start
	}
	lines := slices.Clone(p.Lines(id))
	for i := range lines {
		lines[i].Function = m.b.Function(p.Functions[lines[i].Function])
	}
	return m.b.Location(mapping, address, l.Folded, lines...)
}

// mapping finds a mapping of p in the merged profile, or adds it.
func (m *Merger) mapping(p *Profile, id MappingID) MappingID {
	from := p.Mappings[id]
	key := keyOf(&from)
	to, ok := m.mappings[key]
	if !ok {
		to = MappingID(len(m.b.p.Mappings))
		m.b.p.Mappings = append(m.b.p.Mappings, from)
		m.mappings[key] = to
	}
	return to
}

// keyOf is equal for mappings of the same file or build with about the same
// size and offset: they are one, since the system loads a program elsewhere
// each time.
func keyOf(m *Mapping) mappingKey {
	const page = 0x1000
	key := mappingKey{size: (m.Limit - m.Start + page - 1) / page * page, offset: m.Offset, name: m.BuildID}
	if key.name == "" {
		key.name = m.File
	}
	return key
}

// labelSet numbers a set of labels, from 1 on. Sets are the same if they differ
// only in the order of their keys, or in empty labels.
func (m *Merger) labelSet(labels []Label) uint64 {
	labels = slices.DeleteFunc(labels, func(l Label) bool { return l == Label{Key: l.Key} })
	slices.SortStableFunc(labels, func(a, b Label) int {
		if (a.Str == "") != (b.Str == "") {
			if a.Str == "" {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Key, b.Key)
	})
	m.key = m.key[:0]
	for _, l := range labels {
		m.key = AppendLabel(m.key, m.b.string(l.Key), m.b.string(l.Str), l.Num, m.b.string(l.Unit))
	}
	id, ok := m.sets[string(m.key)]
	if !ok {
		id = 1 + uint64(len(m.sets))
		m.sets[string(m.key)] = id
	}
	return id
}

// Merged returns the sum. The merger is not used afterwards.
func (m *Merger) Merged() *Profile {
	p := m.b.p
	m.samples = identities{}
	zero := false
	for i := range p.samples {
		any := false
		for t := range m.columns {
			v := m.columns[t].at(i)
			p.values[t].value(v)
			any = any || v != 0
		}
		zero = zero || !any
	}
	m.columns = nil
	if !zero {
		return p
	}
	again := NewMerger(&p.Meta)
	again.apart, again.distinct = m.apart, true
	if err := again.Add(1, p); err != nil {
		panic("callstack: a merged profile does not merge with itself: " + err.Error()) // its sums are smaller, its types its own
	}
	return again.Merged()
}

const mersenne61 = 1<<61 - 1

// next multiplies a polynomial's values by its points and adds a coefficient.
func (m *Merger) next(h [2]uint64, coefficient uint64) [2]uint64 {
	for i := range h {
		hi, lo := bits.Mul64(h[i], m.points[i]) // below 2^122: what stands above bit 61 counts as much again
		v := lo&mersenne61 + (lo>>61 | hi<<3) + coefficient
		v = v&mersenne61 + v>>61
		if v >= mersenne61 {
			v -= mersenne61
		}
		h[i] = v
	}
	return h
}

// identities numbers samples by their identity: a hash table with linear
// probing, sixteen bytes a slot.
type identities struct {
	slots []identity
	used  int
}

type identity struct {
	first  uint64
	second uint32
	sample uint32 // 1 + its number; 0 is a free slot
}

// find returns the number of a sample and whether it was there; a new sample
// gets the given number.
func (s *identities) find(h [2]uint64, number int) (sample int, known bool) {
	if 4*s.used >= 3*len(s.slots) {
		s.reserve(s.used + 256)
	}
	at := s.slot(h[0], uint32(h[1]))
	if at.sample > 0 {
		return int(at.sample) - 1, true
	}
	*at = identity{h[0], uint32(h[1]), uint32(number) + 1}
	s.used++
	return number, false
}

// slot returns the sample's own or the free one in which it belongs.
func (s *identities) slot(first uint64, second uint32) *identity {
	mask := uint64(len(s.slots) - 1)
	for i := first; ; i++ {
		if at := &s.slots[i&mask]; at.sample == 0 || at.first == first && at.second == second {
			return at
		}
	}
}

// reserve makes room for so many samples in all.
func (s *identities) reserve(n int) {
	size := max(256, len(s.slots))
	for 4*n >= 3*size {
		size *= 2
	}
	if size == len(s.slots) {
		return
	}
	old := s.slots
	s.slots = make([]identity, size)
	for _, o := range old {
		if o.sample > 0 {
			*s.slot(o.first, o.second) = o
		}
	}
}

// tally sums up the values of samples. Most have 32 bits: the others, of which
// small has the smallest number there is, are in large.
type tally struct {
	small []int32
	large map[int]int64
}

func (c *tally) reserve(n int) { c.small = slices.Grow(c.small, max(0, n-len(c.small))) }

func (c *tally) at(i int) int64 {
	if v := c.small[i]; v != math.MinInt32 {
		return int64(v)
	}
	return c.large[i]
}

// add adds to the i-th value; i may be one past the last.
func (c *tally) add(i int, v int64) {
	if i == len(c.small) {
		c.small = append(c.small, 0)
	}
	v += c.at(i)
	if v > math.MinInt32 && v <= math.MaxInt32 {
		c.small[i] = int32(v)
		return
	}
	c.small[i] = math.MinInt32
	if c.large == nil {
		c.large = make(map[int]int64)
	}
	c.large[i] = v
}
