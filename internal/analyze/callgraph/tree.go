package callgraph

import (
	"fmt"
	"slices"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/quantity"
)

// callTree is the selection summed up by path: a node for each prefix of a
// stack. Parents stand before their children.
type callTree struct {
	info   []selection.NodeID
	parent []int32 // or none
	plain  []bool  // once or more not inlined
	sums   []Costs
	find   callstack.Pairs // parent and the selection's node to our node
}

// treePlace is a step of the path, see place.
type treePlace struct {
	value, divisor int64 // of all samples before it was entered
	node           int32
}

// The largest heap profile seen, of 350,000 samples, has a tree of 850,000 nodes,
// two and a half for each sample. A file of 100 KB that was made to fill memory
// has 16 million, a thousand for each.
const (
	anyNodes       = 800_000 // that a tree may have in any case
	nodesPerSample = 4
)

func newCallTree(s *selection.Selection) (*callTree, error) {
	t := &callTree{}
	most := max(anyNodes, nodesPerSample*s.Profile().Len())
	var path []treePlace
	var value, divisor int64 // of all samples so far
	leave := func(n int) {
		for _, p := range path[n:] {
			t.sums[p.node].Cum += value - p.value
			t.sums[p.node].CumDivisor += divisor - p.divisor
		}
		path = path[:n]
	}
	for w := s.Walk(); w.Next(); {
		leave(w.Shared)
		for _, step := range w.Path[w.Shared:] {
			parent := int32(none)
			if n := len(path); n > 0 {
				parent = path[n-1].node
			}
			path = append(path, treePlace{value, divisor, t.child(parent, step)})
		}
		if len(t.info) > most {
			return nil, fmt.Errorf("more than %s different call paths, too many for a call tree: drop -call_tree, or select stacks with -focus", quantity.Count(float64(most)))
		}
		value += w.Value
		divisor += w.Divisor
		if n := len(path); n > 0 {
			leaf := &t.sums[path[n-1].node]
			leaf.Flat += w.Value
			leaf.FlatDivisor += w.Divisor
		}
	}
	leave(0)
	return t, nil
}

// child returns the node of a step after a node.
func (t *callTree) child(parent int32, step selection.Step) int32 {
	id := t.find.Number(parent, int32(step.Node))
	if int(id) == len(t.info) {
		t.info = append(roomy(t.info), step.Node)
		t.parent = append(roomy(t.parent), parent)
		t.plain = append(roomy(t.plain), false)
		t.sums = append(roomy(t.sums), Costs{})
	}
	t.plain[id] = t.plain[id] || !step.Inlined
	return id
}

// roomy doubles a slice that is full: append alone would copy a large one, whose
// size no one knows beforehand, a quarter larger again and again.
func roomy[T any](s []T) []T {
	if len(s) == cap(s) {
		return slices.Grow(s, max(1024, len(s)))
	}
	return s
}

// tree is New for a call tree.
func (b *build) tree() (*Graph, error) {
	t, err := newCallTree(b.s)
	if err != nil {
		return nil, err
	}
	b.sums = t.sums
	live := b.live()
	b.weigh(live)
	// Nodes that hold nothing stay between others, as in a graph.
	stay := make([]bool, len(t.info))
	for i := range stay {
		stay[i] = true
	}
	g := &Graph{}
	for _, i := range live {
		if b.nodeCut > 0 && magnitude(t.sums[i].Cum) < b.nodeCut {
			stay[i] = false
			g.DroppedNodes++
		}
	}
	g.Remaining = len(live) - g.DroppedNodes
	nodes := b.plant(t, stay)
	for _, i := range live {
		if stay[i] {
			g.Nodes = append(g.Nodes, nodes[i])
		}
	}
	rank(g.Nodes, entropyOrder)
	tagged := g.Nodes
	reduced := false
	if b.o.NodeCount > 0 {
		tagged = tagged[:min(b.o.NodeCount, len(tagged))]
	}
	b.foldTags(tagged, len(t.info), t.child)
	if b.o.NodeCount > 0 {
		b.trimEdges(g, false)
		if n := b.fitting(tagged); n < len(g.Nodes) {
			reduced = true
			g.uproot(n)
			rank(g.Nodes, entropyOrder)
		}
	}
	b.trimEdges(g, reduced)
	g.sortEdges()
	return g, nil
}

// plant makes nodes of those that stay, each joined to the nearest of them
// above it.
func (b *build) plant(t *callTree, stay []bool) []*Node {
	nodes := make([]*Node, len(t.info))
	above := make([]int32, len(t.info)) // the nearest that stays, or none
	residual := make([]bool, len(t.info))
	inlined := make([]bool, len(t.info)) // all the way from there
	for i, p := range t.parent {
		above[i], inlined[i] = p, !t.plain[i]
		if p != none && !stay[p] {
			above[i], residual[i] = above[p], true
			inlined[i] = inlined[i] && inlined[p]
		}
		if !stay[i] {
			continue
		}
		nodes[i] = newNode(&b.s.Nodes[t.info[i]], &t.sums[i], int32(i))
		if a := above[i]; a != none {
			join(&Edge{From: nodes[a], To: nodes[i], Weight: t.sums[i].Cum, Divisor: t.sums[i].CumDivisor, Residual: residual[i], Inlined: inlined[i]})
		}
	}
	return nodes
}

// uproot takes all but the first n nodes of a tree out of it. What stands under
// a node that goes moves to the one above it.
func (g *Graph) uproot(n int) {
	gone := g.Nodes[n:]
	g.Nodes = g.Nodes[:n]
	for _, node := range gone {
		if len(node.In) == 0 {
			for _, e := range node.Out {
				e.To.In = nil
			}
			continue
		}
		in := node.In[0]
		cut(in)
		for _, e := range node.Out {
			e.From, e.Residual, e.Inlined = in.From, true, in.Inlined && e.Inlined
			in.From.Out = append(in.From.Out, e)
		}
	}
}
