package callgraph

import (
	"slices"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
)

// The sums are made in one way: neighbouring samples share the root part of
// their stacks, so a sum over prefixes of stacks need not visit every frame of
// every sample. The path of the sample at hand is kept as a stack of places, and
// the values of all samples are added up as they come. While a place is on the
// path, every sample lies in its prefix: its sum is what the running sum grew by
// from when it was entered until it is left. So the work is a subtraction for
// each step in which neighbours differ.
//
// A node counts a sample once although it may be on its path several times:
// only its first position on the path adds to it. That position depends on nothing
// after it, so it is the same for all samples that share it. The same
// holds for edges.

const none = -1

// Costs are the costs of one or several nodes: flat sums the samples that end
// there and cum those that pass through, each with the divisor of its mean.
type Costs struct {
	Flat, FlatDivisor int64
	Cum, CumDivisor   int64
}

func (c *Costs) Add(d *Costs) {
	c.Flat += d.Flat
	c.FlatDivisor += d.FlatDivisor
	c.Cum += d.Cum
	c.CumDivisor += d.CumDivisor
}

// FlatValue is flat, or its mean.
func (c *Costs) FlatValue() int64 { return mean(c.Flat, c.FlatDivisor) }

// CumValue is cum, or its mean.
func (c *Costs) CumValue() int64 { return mean(c.Cum, c.CumDivisor) }

// Shown reports whether a view has the node: not where its values cancel, and
// by request not where they are negative.
func (c *Costs) Shown(dropNegative bool) bool {
	if c.Cum == 0 && c.Flat == 0 {
		return false
	}
	return !dropNegative || c.Flat > 0 || c.Flat == 0 && c.Cum >= 0
}

// NoGroup is the group of nodes that Sum passes over.
const NoGroup = -1

// Sum sums a selection by groups of its nodes, each of which counts a sample once, with
// its full value as flat; a nil group makes each node its own group. second, unless
// nil, replaces the divisor of a sample.
func Sum(s *selection.Selection, group []int32, groups int, second func(*selection.Walk) int64) (by []Costs, all Costs) {
	if group != nil {
		group = slices.Clone(group)
		for i, g := range group {
			if g == NoGroup {
				group[i] = int32(groups) // which is not returned
			}
		}
	}
	f := foldNodes(s, partsOf(s), nodeFold{sums: make([]Costs, groups+1), group: group, second: second})
	return f.sums[:groups], Costs{Flat: f.value, FlatDivisor: f.divisor}
}

// nodeFold sums up a walk by nodes.
//
// Whether the path has a node before is what no processor guesses, and a wrong
// guess costs more than all else here: so it is looked up and not asked.
type nodeFold struct {
	sums   []Costs
	onPath []int32 // by node: -1 while the path has it, else 0
	group  []int32 // that stand for nodes; nil: they do themselves
	second func(*selection.Walk) int64

	value, divisor int64 // of all samples so far
	path           []nodePlace
}

// nodePlace is a step of the path.
type nodePlace struct {
	value, divisor int64 // of all samples before it was entered
	node           int32 // ^node if the path has the node before
}

func (f *nodeFold) sample(w *selection.Walk) {
	f.leave(w.Shared)
	f.enter(w.Path[w.Shared:])
	divisor := w.Divisor
	if f.second != nil {
		divisor = f.second(w)
	}
	f.value += w.Value
	f.divisor += divisor
	if n := len(w.Path); n > 0 {
		node := int32(w.Path[n-1].Node)
		if f.group != nil {
			node = f.group[node]
		}
		s := &f.sums[node]
		s.Flat += w.Value
		s.FlatDivisor += divisor
	}
}

func (f *nodeFold) end() { f.leave(0) }

// enter puts steps onto the path.
func (f *nodeFold) enter(steps []selection.Step) {
	path, onPath, group := f.path, f.onPath, f.group
	for _, step := range steps {
		node := int32(step.Node)
		if group != nil {
			node = group[node]
		}
		path = append(path, nodePlace{f.value, f.divisor, node ^ onPath[node]})
		onPath[node] = -1
	}
	f.path = path
}

// leave cuts the path down to n steps.
func (f *nodeFold) leave(n int) {
	onPath, sums := f.onPath, f.sums
	for i := len(f.path) - 1; i >= n; i-- { // backwards: of a node's places the first is left last
		p := &f.path[i]
		again := p.node >> 31 // -1 if the path has the node before, else 0
		node := p.node ^ again
		onPath[node] = again
		s := &sums[node]
		s.Cum += (f.value - p.value) &^ int64(again)
		s.CumDivisor += (f.divisor - p.divisor) &^ int64(again)
	}
	f.path = f.path[:n]
}

// add adds the sums of g, whose samples come after those of f.
func (f *nodeFold) add(g *nodeFold) {
	for i := range g.sums {
		f.sums[i].Add(&g.sums[i])
	}
	f.value += g.value
	f.divisor += g.divisor
}

// edgeFold sums up a walk by the edges between the nodes that are kept.
type edgeFold struct {
	kept  []bool // by node of the selection; nil keeps all
	calls []call // while it runs, after a first entry that is no edge
	find  callstack.Pairs

	value, divisor int64 // of all samples so far
	path           []edgePlace
	upTo           []int32 // by step of the walk: the places up to it
}

// call is an edge being summed up.
type call struct {
	from, to        int32
	weight, divisor int64
	residual        bool // once or more over nodes left out
	plain           bool // once or more not inlined
	onPath          bool
}

// edgePlace is a step of the path whose node is kept.
type edgePlace struct {
	value, divisor int64 // of all samples before it was entered
	node           int32
	edge           int32 // in calls: of which this is the first place on the path, else 0
}

func newEdgeFold(kept []bool) *edgeFold { return &edgeFold{kept: kept, calls: make([]call, 1)} }

func (f *edgeFold) sample(w *selection.Walk) {
	f.leave(w.Shared)
	f.enter(w.Path, w.Shared)
	f.value += w.Value
	f.divisor += w.Divisor
}

func (f *edgeFold) end() {
	f.leave(0)
	f.calls = f.calls[1:]
}

func (f *edgeFold) keeps(node selection.NodeID) bool { return f.kept == nil || f.kept[node] }

// enter puts the steps from the shared ones on onto the path.
func (f *edgeFold) enter(steps []selection.Step, shared int) {
	path, upTo, kept := f.path, f.upTo, f.kept
	gap := shared > 0 && !f.keeps(steps[shared-1].Node)
	for _, step := range steps[shared:] {
		if kept != nil && !kept[step.Node] {
			gap = true
			upTo = append(upTo, int32(len(path)))
			continue
		}
		node, edge := int32(step.Node), int32(0)
		if n := len(path); n > 0 && path[n-1].node != node {
			// Nodes lie between the two if the step before was not kept.
			edge = f.call(path[n-1].node, node, gap, step.Inlined)
		}
		path = append(path, edgePlace{f.value, f.divisor, node, edge})
		upTo = append(upTo, int32(len(path)))
		gap = false
	}
	f.path, f.upTo = path, upTo
}

// call returns the edge that the path's next step goes over, or 0 when the path
// has it already.
func (f *edgeFold) call(from, to int32, gap, inlined bool) int32 {
	id := 1 + f.find.Number(from, to)
	if int(id) == len(f.calls) {
		f.calls = append(f.calls, call{from: from, to: to})
	}
	c := &f.calls[id]
	again := c.onPath
	c.onPath = true
	c.residual = c.residual || gap && !again
	c.plain = c.plain || !inlined && !again
	if again {
		id = 0
	}
	return id
}

// leave cuts the path down to the walk's first n steps.
func (f *edgeFold) leave(n int) {
	keep := 0
	if n > 0 {
		keep = int(f.upTo[n-1])
	}
	calls := f.calls
	for i := keep; i < len(f.path); i++ {
		p := &f.path[i]
		c := &calls[p.edge]
		c.onPath = false
		c.weight += f.value - p.value
		c.divisor += f.divisor - p.divisor
	}
	f.path, f.upTo = f.path[:keep], f.upTo[:n]
}

// add adds the sums of g, whose samples come after those of f. Edges stay in the
// order of their first sample.
func (f *edgeFold) add(g *edgeFold) {
	for i := range g.calls {
		d := &g.calls[i]
		id := f.find.Number(d.from, d.to)
		if int(id) == len(f.calls) {
			f.calls = append(f.calls, call{from: d.from, to: d.to})
		}
		c := &f.calls[id]
		c.weight += d.weight
		c.divisor += d.divisor
		c.residual = c.residual || d.residual
		c.plain = c.plain || d.plain
	}
}

// graphFold sums up a walk by nodes and edges at once.
type graphFold struct {
	nodes *nodeFold
	edges *edgeFold
}

func (f *graphFold) sample(w *selection.Walk) {
	f.nodes.sample(w)
	f.edges.sample(w)
}

func (f *graphFold) end() {
	f.nodes.end()
	f.edges.end()
}

func (f *graphFold) add(g *graphFold) {
	f.nodes.add(g.nodes)
	f.edges.add(g.edges)
}
