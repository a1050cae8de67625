package view

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/symbol"
)

// code is the code of a selection's nodes: which functions of which binaries
// their addresses lie in.
type code struct {
	mappings  []codeMapping
	functions []*codeFunction // in the order they were met
	failures  []error         // of binaries that could not be opened
	bare      bool            // some nodes have an address and no binary
	addresses bool            // some nodes have one
	unmapped  bool            // some addresses lie in no mapping
	unnamed   string          // a binary in which some addresses are of no function
}

type codeMapping struct {
	callstack.Mapping
	binary *symbol.Binary
}

// codeFunction is a function with samples.
type codeFunction struct {
	symbol.Function
	binary *symbol.Binary
	nodes  []codeNode // by address
}

// codeNode is a node at its address in the binary.
type codeNode struct {
	address uint64
	node    selection.NodeID
	sum     callgraph.Costs
}

// newCode finds the code of the nodes that are shown.
func newCode(s *selection.Selection, open func(callstack.Mapping) (*symbol.Binary, error), h *Head) *code {
	c := &code{mappings: make([]codeMapping, len(s.Meta.Mappings))}
	for i, m := range s.Meta.Mappings {
		c.mappings[i].Mapping = m
	}
	if len(c.mappings) == 0 { // as pprof: all addresses are the program's own
		c.mappings = []codeMapping{{}}
	}
	tried := make([]bool, len(c.mappings))
	byStart := make(map[*symbol.Binary]map[uint64]*codeFunction)
	costs, _ := callgraph.Sum(s, nil, len(s.Nodes), nil)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Address == 0 || !costs[i].Shown(s.DropNegative) {
			continue
		}
		c.addresses = true
		m := c.mapping(n)
		if m < 0 {
			c.unmapped = true
			continue
		}
		at := &c.mappings[m]
		if !tried[m] && open != nil {
			tried[m] = true
			b, err := open(at.Mapping)
			if err != nil {
				c.failures = append(c.failures, err)
			} else if b != nil {
				at.binary = b
				for _, w := range b.Warnings() {
					h.warn("%s", w)
				}
			}
		}
		if at.binary == nil {
			c.bare = true
			continue
		}
		base, err := at.binary.Base(at.Mapping, n.Address)
		if err != nil {
			h.warn("%s: %v", at.binary.Name(), err)
			continue
		}
		f, ok := at.binary.Function(n.Address - base)
		if !ok {
			c.unnamed = at.binary.Name()
			continue
		}
		if byStart[at.binary] == nil {
			byStart[at.binary] = make(map[uint64]*codeFunction)
		}
		known := byStart[at.binary][f.Start]
		if known == nil {
			known = &codeFunction{Function: f, binary: at.binary}
			byStart[at.binary][f.Start] = known
			c.functions = append(c.functions, known)
		}
		known.nodes = append(known.nodes, codeNode{n.Address - base, selection.NodeID(i), costs[i]})
	}
	for _, f := range c.functions {
		sort.SliceStable(f.nodes, func(i, j int) bool { return f.nodes[i].address < f.nodes[j].address })
	}
	return c
}

// mapping returns the mapping that a node lies in, −1 for none.
func (c *code) mapping(n *selection.Node) int {
	for i := range c.mappings {
		m := &c.mappings[i]
		if m.File == n.Object && (m.Limit <= m.Start || n.Address >= m.Start && n.Address < m.Limit) {
			return i
		}
	}
	return -1
}

// holds reports whether an address, of the process or of the binary, lies in a
// function.
func (c *code) holds(f *codeFunction, address uint64) bool {
	if address >= f.Start && address < f.End {
		return true
	}
	for _, m := range c.mappings {
		if m.binary != f.binary {
			continue
		}
		if base, err := m.binary.Base(m.Mapping, address); err == nil && address-base >= f.Start && address-base < f.End {
			return true
		}
	}
	return false
}

// missing says why there is no code.
func (c *code) missing() error {
	switch {
	case len(c.failures) > 0:
		return errors.Join(c.failures...)
	case c.bare:
		return errors.New("no binary: name it before the profile")
	case len(c.functions) == 0 && c.unnamed != "":
		return fmt.Errorf("%s has no function at the profile's addresses: it is stripped, or its Go function table cannot be read; build it without -s", c.unnamed)
	case len(c.functions) == 0 && c.unmapped:
		return errors.New("the profile's addresses lie outside its mappings")
	case len(c.functions) == 0 && !c.addresses:
		return errors.New("the profile has no addresses")
	}
	return nil
}

// instructions disassembles the function. What only fills the space after it
// is left out.
func (f *codeFunction) instructions() ([]symbol.Instruction, error) {
	list, err := f.binary.Disassemble(f.Start, f.End)
	if err != nil {
		return nil, fmt.Errorf("list assembly of %s: %w", f.Name, err)
	}
	last := f.Start
	if n := len(f.nodes); n > 0 {
		last = f.nodes[n-1].address
	}
	for n := len(list); n > 0 && list[n-1].Padding() && list[n-1].Address > last; n = len(list) {
		list = slices.Delete(list, n-1, n)
	}
	return list, nil
}
