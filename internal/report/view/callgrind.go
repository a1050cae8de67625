package view

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// ForCallgrind returns the options that a selection for Callgrind needs: cost
// lines are of addresses.
func ForCallgrind(o selection.Options) selection.Options {
	o.Granularity, o.ObjectNames = "addresses", true
	return o
}

// Callgrind is a graph in the language of callgrind_annotate and KCachegrind, as
// pprof's callgrind command writes it.
type Callgrind struct {
	Head
	Graph *callgraph.Graph
}

// NewCallgrind sums up a selection. Nothing is trimmed.
func NewCallgrind(s *selection.Selection, cum bool, o Options) *Callgrind {
	c := &Callgrind{Head: newHead(s, &o), Graph: callgraph.New(s, callgraph.Options{Cum: cum})}
	if c.OutUnit == minimum && len(c.Graph.Nodes) > 0 {
		// Costs are whole numbers: the unit of the smallest.
		least := leastValue(c.Graph.Nodes)
		if least == 0 {
			least = c.Total
		}
		_, unit := quantity.PprofScale(c.scaled(least), c.Unit, minimum)
		c.OutUnit = cmp.Or(unit, c.Unit)
	}
	return c
}

// Write writes the costs of the nodes and, below each, those of its calls.
func (c *Callgrind) Write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("positions: instr line\n")
	fmt.Fprintf(&b, "events: %s(%s)\n", printable.Line(c.SampleType), printable.Line(c.OutUnit))
	cost := func(v int64) int64 {
		scaled, _ := quantity.PprofScale(v, c.Unit, c.OutUnit)
		return int64(scaled)
	}
	objects, files, functions := callgrindNames{}, callgrindNames{}, callgrindNames{}
	callees := callgrindCallees(c.Graph)
	var before *selection.Node
	for _, n := range c.Graph.Nodes {
		at := &n.Info
		if before == nil || at.Object != before.Object || at.File != before.File || at.Name != before.Name {
			fmt.Fprintf(&b, "\nob=%s\nfl=%s\nfn=%s\n", objects.of(at.Object), files.of(at.File), functions.of(at.Name))
		}
		fmt.Fprintf(&b, "%s %d %d\n", callgrindAddress(before, at.Address), at.Line, cost(n.FlatValue()))
		for _, e := range n.Out {
			to := &e.To.Info
			fmt.Fprintf(&b, "cfl=%s\ncfn=%s\n", files.of(to.File), functions.of(callees[e.To]))
			// How often it was called, a profile does not know.
			fmt.Fprintf(&b, "calls=0 %s %d\n* * %d\n", callgrindAddress(before, to.Address), to.Line, cost(e.Weight))
		}
		before = at
	}
	return page.Print(w, "callgrind", b.Bytes())
}

// callgrindNames are the numbers that stand for names after their first use.
type callgrindNames map[string]int

func (c callgrindNames) of(name string) string {
	if name == "" {
		return ""
	}
	if id, ok := c[name]; ok {
		return fmt.Sprintf("(%d)", id)
	}
	c[name] = len(c) + 1
	return fmt.Sprintf("(%d) %s", c[name], printable.Line(name))
}

// callgrindCallees returns the names that nodes are called by: where functions of
// one name and file are several, of two binaries say, with a number.
func callgrindCallees(g *callgraph.Graph) map[*callgraph.Node]string {
	type name struct{ file, function string }
	whole := func(n *callgraph.Node) selection.Node {
		f := n.Info
		f.Address, f.Line, f.Column = 0, 0, 0
		return f
	}
	numbers := make(map[name]map[selection.Node]int)
	for _, n := range g.Nodes {
		called := name{n.Info.File, n.Info.Name}
		if numbers[called] == nil {
			numbers[called] = make(map[selection.Node]int)
		}
		if f := whole(n); numbers[called][f] == 0 {
			numbers[called][f] = len(numbers[called]) + 1
		}
	}
	out := make(map[*callgraph.Node]string, len(g.Nodes))
	for _, n := range g.Nodes {
		out[n] = n.Info.Name
		if same := numbers[name{n.Info.File, n.Info.Name}]; len(same) > 1 {
			out[n] += fmt.Sprintf(" [%d/%d]", same[whole(n)], len(same))
		}
	}
	return out
}

// callgrindAddress writes an address, as its distance from that of the cost
// line before where that is shorter.
func callgrindAddress(before *selection.Node, address uint64) string {
	whole := fmt.Sprintf("%#x", address)
	if before == nil {
		return whole
	}
	if before.Address == address {
		return "*"
	}
	if distance := fmt.Sprintf("%+d", int64(address-before.Address)); len(distance) < len(whole) {
		return distance
	}
	return whole
}
