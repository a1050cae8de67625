package selection

import (
	"fmt"
	"strconv"
	"strings"

	"whet/internal/callstack"
)

// Selection is what a view is about.
type Selection struct {
	Meta   callstack.Meta // of all sources together
	Column int            // in Meta.Types
	Type   callstack.ValueType

	// Nodes are what frames are counted under. Some may be on no stack that
	// is left.
	Nodes []Node

	// Total is what percentages are of: the sum of the samples' magnitudes, or
	// that of the base alone under DiffBase; with Options.Mean divided by the
	// sum of the divisors.
	Total int64

	// Ratio is what values are multiplied with when they are printed.
	Ratio        float64
	DropNegative bool // nodes below zero are not shown
	Warnings     []string

	profile *callstack.Packed
	columns []int // of the value, and of the divisor
	places  []place
	steps   []Step
}

// place is what is decided of a location.
type place struct {
	first, end uint32 // its frames are steps[first:end], root first
}

// New applies the options to the sources.
func New(sources []Source, o Options) (*Selection, error) {
	if len(sources) != 1 || sources[0].Role != Measured {
		return nil, fmt.Errorf("select from %d profiles: exactly one is needed", len(sources))
	}
	p := sources[0].Profile
	if len(p.Types) == 0 {
		return nil, fmt.Errorf("the profile has no sample types")
	}
	column, err := sampleIndex(&p.Meta, o.SampleIndex)
	if err != nil {
		return nil, err
	}
	g, err := newGrain(&o)
	if err != nil {
		return nil, err
	}
	s := &Selection{Meta: p.Meta, Column: column, Type: p.Types[column], Ratio: 1, DropNegative: o.DropNegative, profile: p, columns: []int{column}}
	if o.Mean {
		s.Type.Type = "mean_" + s.Type.Type
		s.columns = append(s.columns, 0)
	}
	if o.DivideBy != 0 {
		s.Ratio = 1 / o.DivideBy
	}
	s.place(g, &o)
	s.Total = s.total()
	return s, nil
}

// sampleIndex is pprof's rule: by type, by number, or with the "inuse_" that
// old heap profiles leave out.
func sampleIndex(m *callstack.Meta, name string) (int, error) {
	if name == "" {
		return m.DefaultType, nil
	}
	if i, err := strconv.Atoi(name); err == nil {
		if i < 0 || i >= len(m.Types) {
			return 0, fmt.Errorf("sample_index %s is outside the range [0..%d]", name, len(m.Types)-1)
		}
		return i, nil
	}
	short := strings.TrimPrefix(name, "inuse_")
	names := make([]string, len(m.Types))
	for i, t := range m.Types {
		if t.Type == name || t.Type == short {
			return i, nil
		}
		names[i] = t.Type
	}
	return 0, fmt.Errorf("sample_index %q must be one of: %v", name, names)
}

func (s *Selection) place(g grain, o *Options) {
	p := s.profile
	t := &nodeTable{grain: g, trim: func(name string) string { return name }, named: o.ObjectNames, ids: make(map[Node]NodeID), files: make(map[string]string)}
	s.places = make([]place, len(p.Locations))
	for i := range p.Locations {
		l, lines := &p.Locations[i], p.Lines(callstack.LocationID(i))
		object := ""
		if l.Mapping != callstack.NoMapping {
			object = p.Mappings[l.Mapping].File
		}
		first := uint32(len(s.steps))
		if o.NoInlines && len(lines) > 1 {
			lines = lines[len(lines)-1:]
		}
		for j := len(lines) - 1; j >= 0; j-- {
			id := t.of(&p.Functions[lines[j].Function], lines[j], l.Address, object)
			s.steps = append(s.steps, Step{Node: id, Inlined: j < len(lines)-1})
		}
		if len(lines) == 0 {
			s.steps = append(s.steps, Step{Node: t.bare(l.Address, object)})
		}
		s.places[i] = place{first, uint32(len(s.steps))}
	}
	s.Nodes = t.nodes
}

func (s *Selection) total() int64 {
	var total, divisor int64
	r := s.profile.Rows(s.columns...)
	for r.Next() {
		v := r.Value(0)
		if v < 0 {
			v = -v
		}
		total += v
		if len(s.columns) > 1 {
			divisor += r.Value(1)
		}
	}
	if divisor != 0 {
		return total / divisor
	}
	return total
}

// Profile returns the profile that Walk.Sample counts in: the sources merged.
func (s *Selection) Profile() *callstack.Packed { return s.profile }
