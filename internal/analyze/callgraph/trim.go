package callgraph

import (
	"cmp"
	"slices"
	"strings"
)

// rank orders nodes by the first of two keys, name, and the second key, each
// key the largest first.
func rank(nodes []*Node, keys func(*Node) [2]int64) {
	type ranked struct {
		*Node
		keys [2]int64
	}
	list := make([]ranked, len(nodes))
	for i, n := range nodes {
		list[i] = ranked{n, keys(n)}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.keys[0], a.keys[0]), strings.Compare(a.Name, b.Name), cmp.Compare(b.keys[1], a.keys[1]),
			strings.Compare(a.Info.File, b.Info.File), strings.Compare(a.Info.Object, b.Info.Object), cmp.Compare(a.index, b.index))
	})
	for i := range list {
		nodes[i] = list[i].Node
	}
}

// SortEdges orders edges by weight, the heaviest first, and then by name.
func SortEdges(edges []*Edge) {
	slices.SortFunc(edges, func(a, b *Edge) int {
		return cmp.Or(cmp.Compare(magnitude(b.Weight), magnitude(a.Weight)),
			strings.Compare(a.From.Name, b.From.Name), strings.Compare(a.To.Name, b.To.Name),
			cmp.Compare(a.From.index, b.From.index), cmp.Compare(a.To.index, b.To.index))
	})
}

func (g *Graph) sortEdges() {
	for _, n := range g.Nodes {
		SortEdges(n.In)
		SortEdges(n.Out)
	}
}

// trimEdges drops edges below the cut, of the graph's nodes. pprof does it
// before it takes the first nodes, too; where that changes nothing, it does not
// count what went then.
func (b *build) trimEdges(g *Graph, reduced bool) {
	dropped := make(map[*Edge]bool)
	from := make(map[*Node]bool)
	goes := func(e *Edge) bool { return dropped[e] }
	for _, n := range g.Nodes {
		for _, e := range n.In {
			if magnitude(e.Weight) < b.edgeCut {
				dropped[e] = true
				from[e.From] = true
			}
		}
		n.In = slices.DeleteFunc(n.In, goes)
	}
	for n := range from {
		n.Out = slices.DeleteFunc(n.Out, goes)
	}
	if b.o.NodeCount == 0 || reduced {
		g.DroppedEdges = len(dropped)
	}
}

// removeRedundant removes residual edges to nodes that their source reaches on
// another path, too: of the lightest nodes and edges first, and none that is
// heavier than an edge that is not residual.
func (g *Graph) removeRedundant() {
	for _, n := range slices.Backward(g.Nodes) {
		in := slices.Clone(n.In)
		SortEdges(in)
		for _, e := range slices.Backward(in) {
			if !e.Residual {
				break
			}
			if redundant(e) {
				cut(e)
			}
		}
	}
}

func cut(e *Edge) {
	is := func(other *Edge) bool { return other == e }
	e.From.Out = slices.DeleteFunc(e.From.Out, is)
	e.To.In = slices.DeleteFunc(e.To.In, is)
}

// redundant reports whether e.From reaches e.To without e.
func redundant(e *Edge) bool {
	seen := map[*Node]bool{e.To: true}
	queue := []*Node{e.To}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, in := range n.In {
			if in == e || seen[in.From] {
				continue
			}
			if in.From == e.From {
				return true
			}
			seen[in.From] = true
			queue = append(queue, in.From)
		}
	}
	return false
}
