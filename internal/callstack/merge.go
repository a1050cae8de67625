package callstack

import (
	"bytes"
	"encoding/binary"
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
// first, and those whose values are all zero are left out, with what only they
// refer to. The values of profile i are first multiplied by scales[i] and
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

// Merger is Merge, one profile after the other: what was added
// need not be kept.
//
// A sample is known again by its stack and label set. Keeping every stack to
// compare with would take five times the memory of the result, so it keeps a
// number of 122 bits: two polynomials over the integers modulo 2^61-1 with the
// locations' ids as coefficients, each at a point drawn at random. Two
// different sequences of n ids have the same value at n of 2^61 points at most
// (Carter and Wegman 1979), so with a million stacks of 128 locations the
// chance that any two are taken for one is below 2^39 · (2^7/2^61)^2 = 2^-69.
// The value of a stack follows from that of its prefix: the work is for what
// differs from the sample before.
type Merger struct {
	b        *Builder
	profiles int
	mappings map[mappingKey]MappingID
	sets     map[string]uint64 // by labels in pprof's order
	samples  map[[2]uint64]int // by stack and labels
	values   []int64           // of all samples, a row each
	sums     [][2]uint64       // of the magnitudes of all above and all below zero that was added, by column
	apart    bool              // a profile was subtracted: the two sums are bounded each by itself
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
		samples:  make(map[[2]uint64]int),
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
		id      uint64
		encoded []byte
	}
	sets := make(map[string]labelSet)
	var source []byte // of set, as p has it
	var set labelSet
	fresh := true // set is none yet
	valid := 0    // so many of m.path and of stack are of the sample at hand

	columns := make([]int, len(p.Types))
	for t := range columns {
		columns[t] = t
	}
	for c := p.Cursor(columns...); c.Next(); {
		valid = min(valid, c.Shared)
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
		if encoded := c.LabelSet(); fresh || !bytes.Equal(encoded, source) {
			fresh = false
			source = append(source[:0], encoded...)
			var ok bool
			if set, ok = sets[string(encoded)]; !ok {
				set.id, set.encoded = m.labelSet(p.Labels(encoded))
				sets[string(encoded)] = set
			}
		}
		key := m.next(m.path[valid], 1+set.id)
		if i, ok := m.samples[key]; ok {
			for t, v := range m.row {
				m.values[i*len(m.row)+t] += v
			}
			continue
		}
		m.samples[key] = m.b.p.samples
		m.values = append(m.values, m.row...)
		m.addStack(c.Path, locations)
		m.b.addLabels(set.encoded)
	}
	return nil
}

// addStack adds a stack of the profile at hand.
func (m *Merger) addStack(path, locations []LocationID) {
	shared := 0
	for shared < len(path) && shared < len(m.b.path) && locations[path[shared]] == m.b.path[shared]+1 {
		shared++
	}
	m.b.path = m.b.path[:shared]
	for _, id := range path[shared:] {
		m.b.path = append(m.b.path, locations[id]-1)
	}
	m.b.addPath(shared)
}

// meta merges what a profile says of itself.
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

var errMergeSum = errors.New("merge: the values add up to more than 63 bits hold")

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

// labelSet numbers a set of labels and encodes it. Sets are the same if they
// differ only in the order of their keys, or in labels that say nothing.
func (m *Merger) labelSet(labels []Label) (id uint64, encoded []byte) {
	for _, l := range labels {
		encoded = AppendLabel(encoded, m.b.string(l.Key), m.b.string(l.Str), l.Num, m.b.string(l.Unit))
	}
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
		id = uint64(len(m.sets))
		m.sets[string(m.key)] = id
	}
	return id, encoded
}

// Merged returns the sum. The merger is not used afterwards.
func (m *Merger) Merged() *Profile {
	p := m.b.p
	n, zero := len(m.row), false
	for i := range p.samples {
		row := m.values[i*n : (i+1)*n]
		for t, v := range row {
			to := p.values[t].room(binary.MaxVarintLen64)
			*to = binary.AppendVarint(*to, v)
		}
		zero = zero || !slices.ContainsFunc(row, func(v int64) bool { return v != 0 })
	}
	if !zero {
		return p
	}
	again := NewMerger(&p.Meta)
	again.apart = m.apart
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
