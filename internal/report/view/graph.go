package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
)

// Graph is a call graph with all texts of its picture: the same
// functions, calls and figures as in that of pprof.
type Graph struct {
	Head
	Legend  []string // what is shown of which profile, line by line
	Shown   int64    // sum of the nodes' flat
	Of      int      // nodes left of which Nodes are the first
	Dropped int      // nodes too light to be shown
	Calls   int      // edges too light to be shown
	Nodes   []GraphNode
	Edges   []GraphEdge // the heaviest first
}

// GraphNode is a function, or what else the selection tells apart.
type GraphNode struct {
	Name      string         // in one line
	Info      selection.Node // its parts
	Flat, Cum int64
	Tags      []GraphTag // of the samples that end here; of a node without callees, of those that pass through
	fontSize  int
}

// GraphTag is the value of a node's samples with some labels.
type GraphTag struct {
	Name   string // a number or a range of them, or labels one below the other, with \n between them
	Number bool
	Weight int64
	Below  []GraphTag // numbers of the samples with these labels
	// Passing says that samples that go on to callees not shown are among them.
	Passing bool
	index   int // among its node's tags, those without value included
}

// GraphEdge is a call between two of the nodes.
type GraphEdge struct {
	From, To int
	Weight   int64
	Residual bool // over functions that are not shown
	Inlined  bool // the compiler inlined each of these calls
}

// NewGraph makes the call graph of a selection. pprof's own options for it are
// callgraph.ForPicture().
func NewGraph(s *selection.Selection, o callgraph.Options, p Options) (*Graph, error) {
	g, err := callgraph.NewPicture(s, o)
	if err != nil {
		return nil, err
	}
	v := &Graph{Head: newHead(s, &p), Shown: g.FlatSum(), Of: g.Remaining, Dropped: g.DroppedNodes, Calls: g.DroppedEdges}
	v.chooseUnit(g.Nodes)
	v.Legend = v.graphLines(g, &o)
	var most int64
	for _, n := range g.Nodes {
		most = max(most, magnitude(n.FlatValue()))
	}
	index := make(map[*callgraph.Node]int, len(g.Nodes))
	for i, n := range g.Nodes {
		index[n] = i
		v.Nodes = append(v.Nodes, GraphNode{
			Name: n.Name, Info: n.Info, Flat: n.FlatValue(), Cum: n.CumValue(), Tags: tags(n), fontSize: fontSize(n.FlatValue(), most),
		})
	}
	v.addEdges(g, index)
	return v, nil
}

func (v *Graph) addEdges(g *callgraph.Graph, index map[*callgraph.Node]int) {
	var edges []*callgraph.Edge
	for _, n := range g.Nodes {
		for _, e := range n.Out {
			// Of a difference, nodes whose values cancel are left out, and so
			// are the calls of them.
			if _, ok := index[e.To]; ok {
				edges = append(edges, e)
			}
		}
	}
	slices.SortStableFunc(edges, func(a, b *callgraph.Edge) int {
		return cmp.Or(
			cmp.Compare(magnitude(b.Weight), magnitude(a.Weight)),
			cmp.Compare(a.From.Name, b.From.Name),
			cmp.Compare(a.To.Name, b.To.Name))
	})
	for _, e := range edges {
		v.Edges = append(v.Edges, GraphEdge{From: index[e.From], To: index[e.To], Weight: e.Value(), Residual: e.Residual, Inlined: e.Inlined})
	}
}

// fontSize is pprof's: it grows with the root of flat, from 8 to 24 points.
func fontSize(flat, most int64) int {
	if flat == 0 || most == 0 {
		return 8
	}
	return 8 + int(math.Ceil(16*math.Sqrt(float64(magnitude(flat))/float64(most))))
}

// short prints a value's share of the total, as wide as it is.
func (v *Graph) short(value int64) string { return strings.TrimSpace(v.percent(value)) }

// pull returns how much an edge wants to be short and straight: 1 and its percent.
func (v *Graph) pull(e *GraphEdge) int {
	if v.Total == 0 {
		return 1
	}
	return 1 + int(min(magnitude(e.Weight*100/v.Total), 100))
}

// penWidth returns how thick an edge is: 1 and one for each fifth of the total.
func (v *Graph) penWidth(e *GraphEdge) int {
	if v.Total == 0 {
		return 1
	}
	return 1 + int(min(magnitude(e.Weight*5/v.Total), 5))
}
