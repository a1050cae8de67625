package view

import (
	"cmp"
	"regexp"
	"slices"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/symbol"
)

// addressTable lists the addresses of a selection with their frames and costs.
type addressTable struct {
	s    *selection.Selection
	at   map[addressKey]int
	list []addressCosts
}

type addressKey struct {
	address uint64
	object  string
	node    selection.NodeID // where the profile has no address
}

type addressCosts struct {
	addressKey
	frames []selection.NodeID // innermost first
	sum    callgraph.Costs
}

// newAddressTable collects the addresses of all samples. Flat and cum of an address
// count a sample once, where pprof's weblist counts it as often as the address
// is on the stack.
func newAddressTable(s *selection.Selection) *addressTable {
	p := &addressTable{s: s, at: make(map[addressKey]int)}
	group := make([]int32, len(s.Nodes))
	for i := range group {
		group[i] = callgraph.NoGroup
	}
	for w := s.Walk(); w.Next(); {
		// A step that is inlined belongs to the one before it, which may be
		// among those shared with the sample before.
		from := w.Shared
		for from > 0 && from < len(w.Path) && w.Path[from].Inlined {
			from--
		}
		for i := from; i < len(w.Path); {
			end := i + 1
			for end < len(w.Path) && w.Path[end].Inlined {
				end++
			}
			p.add(w.Path[i:end], group)
			i = end
		}
	}
	sums, _ := callgraph.Sum(s, group, len(p.list), nil)
	for i, sum := range sums {
		p.list[i].sum = sum
	}
	return p
}

// add adds the place of one location's steps, root first.
func (p *addressTable) add(steps []selection.Step, group []int32) {
	outer := &p.s.Nodes[steps[0].Node]
	k := addressKey{address: outer.Address, object: outer.Object}
	if k.address == 0 {
		k.node = steps[len(steps)-1].Node
	}
	id, ok := p.at[k]
	if !ok {
		id = len(p.list)
		p.at[k] = id
		p.list = append(p.list, addressCosts{addressKey: k})
	}
	one := &p.list[id]
	if len(one.frames) < len(steps) {
		one.frames = one.frames[:0]
		for _, s := range slices.Backward(steps) {
			one.frames = append(one.frames, s.Node)
		}
	}
	for _, s := range steps {
		if group[s.Node] == callgraph.NoGroup {
			group[s.Node] = int32(id)
		}
	}
}

// wanted names the functions that match.
func (p *addressTable) wanted(match *regexp.Regexp) map[string]bool {
	out := make(map[string]bool)
	address, isAddress := uint64(0), false
	if match != nil {
		address, isAddress = asAddress(match)
	}
	for i := range p.list {
		one := &p.list[i]
		for j, id := range one.frames {
			n := &p.s.Nodes[id]
			switch outermost := j == len(one.frames)-1; {
			case n.Name == "":
			case match == nil || isAddress && one.address == address:
				if outermost {
					out[n.Name] = true
				}
			case match.MatchString(n.Name) || match.MatchString(n.File) || j == 0 && n.Object != "" && match.MatchString(n.Object):
				out[n.Name] = true
			}
		}
	}
	return out
}

// instructions returns the instructions of the functions that hold a wanted place, with what
// was measured there; and where there is no binary, the places themselves.
func (p *addressTable) instructions(c *code, wanted map[string]bool) ([]webInstruction, error) {
	needed := make(map[int]bool)
	for i := range p.list {
		for _, id := range p.list[i].frames {
			if wanted[p.s.Nodes[id].Name] {
				needed[i] = true
			}
		}
	}
	var out []webInstruction
	inCode := make(map[int]bool)
	functions := slices.Clone(c.functions)
	slices.SortStableFunc(functions, func(a, b *codeFunction) int {
		return cmp.Or(cmp.Compare(a.binary.Name(), b.binary.Name()), cmp.Compare(a.Start, b.Start))
	})
	for _, f := range functions {
		var here []int
		for _, n := range f.nodes {
			node := &p.s.Nodes[n.node]
			id, ok := p.at[addressKey{address: node.Address, object: node.Object}]
			if ok && needed[id] && !slices.Contains(here, id) {
				here = append(here, id)
			}
		}
		if len(here) == 0 {
			continue
		}
		list, err := f.instructions()
		if err != nil {
			continue // shown without assembly
		}
		begin := len(out)
		for _, in := range list {
			out = append(out, webInstruction{address: in.Address, size: uint64(in.Size), text: in.Text, frames: f.binary.Frames(in.Address)})
		}
		p.measure(out[begin:], f, inCode)
	}
	for i := range p.list {
		if one := &p.list[i]; needed[i] && !inCode[i] {
			out = append(out, webInstruction{address: one.address, size: 1, frames: p.names(one.frames), sum: one.sum})
		}
	}
	return out, nil
}

// measure gives what was measured in a function to its instructions.
func (p *addressTable) measure(list []webInstruction, f *codeFunction, done map[int]bool) {
	for _, n := range f.nodes {
		node := &p.s.Nodes[n.node]
		id, ok := p.at[addressKey{address: node.Address, object: node.Object}]
		if !ok || done[id] {
			continue
		}
		i, exact := slices.BinarySearchFunc(list, n.address, func(in webInstruction, a uint64) int { return cmp.Compare(in.address, a) })
		if !exact {
			i-- // it lies within the instruction before
		}
		if i < 0 || n.address >= list[i].address+list[i].size {
			continue
		}
		done[id] = true
		list[i].sum.Add(&p.list[id].sum)
		// The profile's own word for its frames, where it has one: it was
		// there.
		if frames := p.names(p.list[id].frames); exact && len(frames) > 0 && len(list[i].frames) == 0 {
			list[i].frames = frames
		}
	}
}

// names makes frames of nodes.
func (p *addressTable) names(ids []selection.NodeID) []symbol.Frame {
	var out []symbol.Frame
	for _, id := range ids {
		if n := &p.s.Nodes[id]; n.Name != "" {
			out = append(out, symbol.Frame{Function: n.Name, File: n.File, Line: n.Line, Column: n.Column, Start: n.StartLine})
		}
	}
	return out
}
