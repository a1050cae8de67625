package selection

import (
	"slices"

	"whet/internal/callstack"
)

// expander expands the locations of a profile, and after them the locations made
// of labels, into the steps that the options select.
type expander struct {
	s         *Selection
	rules     *rules
	noInlines bool
	nodes     *nodeTable
	added     map[callstack.Function]callstack.LocationID
	functions []callstack.Function // of added, in their order
}

func newExpander(s *Selection, r *rules, g grain, o *Options) *expander {
	s.rules, s.noInlines, s.showColumns = r, o.NoInlines, o.ShowColumns
	return &expander{s: s, rules: r, noInlines: o.NoInlines, nodes: newNodeTable(g, o, len(s.profile.Functions)), added: make(map[callstack.Function]callstack.LocationID)}
}

// labelFrame returns the location that stands for the values of a label.
func (b *expander) labelFrame(name, key string) callstack.LocationID {
	f := callstack.Function{Name: name, File: key}
	id, ok := b.added[f]
	if !ok {
		id = callstack.LocationID(len(b.s.profile.Locations) + len(b.functions))
		b.added[f] = id
		b.functions = append(b.functions, f)
	}
	return id
}

// finish decides, once all label frames are known.
func (b *expander) finish() {
	p := b.s.profile
	b.rules.functions = append(slices.Clip(p.Functions), b.functions...)
	b.nodes.whole = make([]NodeID, len(b.rules.functions))
	b.s.expansions = make([]expansion, 0, len(p.Locations)+len(b.functions))
	b.s.steps = make([]Step, 0, len(p.Locations)+len(b.functions)+few)
	for i := range p.Locations {
		b.place(b.s.spot(i), p.Locations[i].Address)
	}
	for i := range b.functions {
		b.place(b.s.spot(len(p.Locations)+i), 0)
	}
	b.s.steps = append(b.s.steps, make([]Step, few)...)
	b.s.Nodes = b.nodes.nodes
}

// spot returns the i-th location, or after the profile's own a frame made of a
// label, as the rules see it.
func (s *Selection) spot(i int) spot {
	p := s.profile
	if i >= len(p.Locations) {
		line := callstack.SourceLine{Function: callstack.FunctionID(len(p.Functions) + i - len(p.Locations))}
		return spot{lines: []callstack.SourceLine{line}, added: true}
	}
	at := spot{lines: p.Lines(callstack.LocationID(i))}
	if m := p.Locations[i].Mapping; m != callstack.NoMapping {
		at.mapped, at.object = true, p.Mappings[m].File
	}
	return at
}

// place adds the next place.
func (b *expander) place(at spot, address uint64) {
	s := b.s
	lines, f := b.rules.decide(at)
	pl := expansion{first: uint32(len(s.steps)), flags: f}
	switch {
	case f&hidden != 0:
	case len(lines) == 0:
		s.steps = append(s.steps, Step{Node: b.nodes.bare(address, at.object)})
	default:
		last := len(lines) - 1
		for i, l := range slices.Backward(lines) {
			step := Step{Node: b.nodes.of(&b.rules.functions[l.Function], l, address, at.object), Inlined: i < last}
			if i == last || !b.noInlines {
				s.steps = append(s.steps, step)
			}
		}
	}
	pl.end = uint32(len(s.steps))
	s.expansions = append(s.expansions, pl)
}
