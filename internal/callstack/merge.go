package callstack

import (
	"fmt"
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
// number: the sum of the ids of the locations and of the labels, each multiplied by a
// number of 128 bits drawn at random for its place on the stack, modulo 2^128, and of that
// the upper 96 bits. Ids begin at 1, and a place beyond a stack's end adds 0: so two
// different samples differ at some place, by less than 2^32. Whatever is drawn for the
// other places, of the 2^128 numbers for this one 2^33 at most bring the sums so near to
// each other that the upper 96 bits are the same (multilinear hashing: Lemire and Kaser
// 2014). With a million samples the chance that any two are taken for one is below
// 2^39 · 2^33/2^128 = 2^-56. The sum of a stack follows from that of its prefix: the work
// is for what differs from the sample before.
type Merger struct {
	b        *Builder
	profiles int
	mappings map[mappingKey]MappingID
	sets     map[string]uint64 // by labels in pprof's order
	samples  identities        // by stack and labels
	columns  []tallies
	sums     [][2]uint64 // of the magnitudes of all above and all below zero that was added, by column
	apart    bool        // a profile was subtracted: the two sums are bounded each by itself
	distinct bool        // no two samples are the same
	places   []uint128   // the numbers drawn; places[0] for labels
	path     []uint128   // the sums of the path's prefixes; path[0] of none
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
		columns:  make([]tallies, len(first.Types)),
		comments: make(map[string]bool),
		sums:     make([][2]uint64, len(first.Types)),
		path:     []uint128{{}},
	}
}

// Add adds p with its values multiplied by scale. Of the first profile it takes the
// stacks over where it can.
func (m *Merger) Add(scale float64, p *Profile) error {
	if m.profiles == 0 && scale == 1 && !m.distinct {
		first := NewMerger(&m.b.p.Meta)
		if adopted, err := first.adopt(p); adopted || err != nil {
			*m = *first
			return err
		}
	}
	a, err := m.Begin(scale, p)
	if err != nil {
		return err
	}
	return a.addAll(p.Cursor(AllColumns(len(p.Types))...))
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

// uint128 is a number of 128 bits: a sum, or what is drawn for a place.
type uint128 struct{ upper, lower uint64 }

// drawn returns what is drawn for the labels and so many locations from the root on.
func (m *Merger) drawn(locations int) (labels uint128, places []uint128) {
	for len(m.places) <= locations {
		m.places = append(m.places, uint128{rand.Uint64(), rand.Uint64()})
	}
	return m.places[0], m.places[1 : 1+locations]
}

// plus adds an id times what is drawn for its place.
func (s uint128) plus(place uint128, id uint64) uint128 {
	upper, lower := bits.Mul64(place.lower, id)
	lower, carry := bits.Add64(s.lower, lower, 0)
	return uint128{s.upper + place.upper*id + upper + carry, lower}
}
