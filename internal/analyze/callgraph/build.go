package callgraph

import (
	"math"
	"runtime"
	"sync"

	"whet/internal/analyze/selection"
)

// NewPicture sums a selection for a picture, also as a call tree, which it refuses if
// it is too large: a graph has at most as many nodes as the profile has functions, a
// tree as many as there are paths to them.
func NewPicture(s *selection.Selection, o Options) (*Graph, error) {
	o.Picture = true
	if o.CallTree {
		return (&build{s: s, o: o}).tree()
	}
	return New(s, o), nil
}

// New sums up a selection. For a call tree see NewPicture.
func New(s *selection.Selection, o Options) *Graph {
	b := &build{s: s, o: o}
	b.sumNodes()
	live := b.live()
	b.weigh(live)

	shown := live
	if b.nodeCut > 0 {
		shown = make([]int32, 0, len(live))
		for _, i := range live {
			if magnitude(b.sums[i].Cum) >= b.nodeCut {
				shown = append(shown, i)
			}
		}
	}
	g := &Graph{Remaining: len(shown), DroppedNodes: len(live) - len(shown)}
	if o.Picture {
		b.picture(g, shown, len(live))
	} else {
		b.text(g, shown, len(live))
	}
	g.sortEdges()
	return g
}

// build is a graph in the making.
type build struct {
	s *selection.Selection
	o Options

	sums             []Costs   // by node of the selection, all of them kept
	edges            *edgeFold // between all nodes, where all are shown
	nodeCut, edgeCut int64
}

// sumNodes adds up flat and cum of every node. A node's values do not depend on
// which others are kept, so this is done once. Edges do: where all nodes stay,
// they are added up in the same pass.
func (b *build) sumNodes() {
	nodes := nodeFold{sums: make([]Costs, len(b.s.Nodes))}
	if b.o.NodeCount > 0 || b.o.NodeFraction != 0 {
		b.sums = foldNodes(b.s, partsOf(b.s), nodes).sums
		return
	}
	f := foldParts(b.s, partsOf(b.s), func() *graphFold { return &graphFold{nodes.another(), newEdgeFold(nil)} })
	b.sums, b.edges = f.nodes.sums, f.edges
}

// partsOf returns how many parts of the samples are read at the same time.
func partsOf(s *selection.Selection) int {
	if s.Profile().Len() < minParallel {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), maxParts)
}

// Below minParallel it is a millisecond. A part passes over the samples before
// it in a twelfth of the time that it takes to add them up, so that the last of
// four takes a quarter longer than the first.
const (
	minParallel = 1 << 14
	maxParts    = 4
)

// foldNodes reads the samples once and adds up all nodes, or groups of them, into
// folds like the one given.
func foldNodes(s *selection.Selection, parts int, like nodeFold) *nodeFold {
	return foldParts(s, parts, like.another)
}

// another returns an empty fold of the same kind.
func (f nodeFold) another() *nodeFold {
	f.sums, f.onPath = make([]Costs, len(f.sums)), make([]int32, len(f.sums))
	return &f
}

// foldEdges reads the samples once and adds up the edges between the nodes that
// are kept. The others are passed over; nil keeps all.
func (b *build) foldEdges(parts int, kept []bool) *edgeFold {
	return foldParts(b.s, parts, func() *edgeFold { return newEdgeFold(kept) })
}

type fold[F any] interface {
	sample(w *selection.Walk) // the next one of the walk
	end()                     // there are no more
	add(next F)
}

// foldParts reads n parts of the samples at the same time.
func foldParts[F fold[F]](s *selection.Selection, n int, begin func() F) F {
	folds := make([]F, n)
	read := func(i int) {
		f := begin() // here: see Selection.Part
		for w := s.Part(i, n); w.Next(); {
			f.sample(w)
		}
		f.end()
		folds[i] = f
	}
	var wg sync.WaitGroup
	for i := range n - 1 {
		wg.Go(func() { read(i) })
	}
	read(n - 1)
	wg.Wait()
	for _, f := range folds[1:] {
		folds[0].add(f)
	}
	return folds[0]
}

// live lists the nodes that hold anything.
func (b *build) live() []int32 {
	var out []int32
	for i := range b.sums {
		if b.sums[i].Shown(b.s.DropNegative) {
			out = append(out, int32(i))
		}
	}
	return out
}

// weigh sets the cuts: shares of the sum of what the nodes hold themselves,
// which in a difference is not the total that percentages are of.
func (b *build) weigh(live []int32) {
	var total int64
	for _, i := range live {
		total += b.sums[i].Flat
	}
	b.cuts(total)
}

func (b *build) cuts(total int64) {
	b.nodeCut = magnitude(int64(float64(total) * b.o.NodeFraction))
	b.edgeCut = magnitude(int64(float64(total) * b.o.EdgeFraction))
}

// text ranks nodes by flat or cum, takes the first and adds their edges.
func (b *build) text(g *Graph, shown []int32, all int) {
	nodes := b.nodes(shown)
	rank(nodes, b.order())
	reduced := b.o.NodeCount > 0 && b.o.NodeCount < len(nodes)
	if reduced {
		nodes = nodes[:b.o.NodeCount]
	}
	g.Nodes = nodes
	b.connect(g, all)
	b.trimEdges(g, reduced)
}

func (b *build) order() func(*Node) [2]int64 {
	if b.o.Cum {
		return func(n *Node) [2]int64 { return [2]int64{magnitude(n.Cum), magnitude(n.Flat)} }
	}
	return func(n *Node) [2]int64 { return [2]int64{magnitude(n.Flat), magnitude(n.Cum)} }
}

// picture ranks nodes by entropy, takes the first and adds their edges and
// tags.
func (b *build) picture(g *Graph, shown []int32, all int) {
	g.Nodes = b.nodes(shown)
	b.connect(g, all)
	rank(g.Nodes, entropyOrder)
	reduced := false
	tagged := g.Nodes
	if b.o.NodeCount > 0 {
		// Tags count as nodes, each node is one: no more can be taken.
		tagged = tagged[:min(b.o.NodeCount, len(tagged))]
	}
	b.addTags(tagged)
	if n := b.fitting(tagged); b.o.NodeCount > 0 && n < len(g.Nodes) {
		reduced = true
		g.Nodes = g.Nodes[:n]
		for _, n := range g.Nodes {
			n.In, n.Out = nil, nil
		}
		b.connect(g, all)
		rank(g.Nodes, entropyOrder)
	}
	b.trimEdges(g, reduced)
	g.removeRedundant()
}

// fitting returns how many of the ranked nodes fill NodeCount with their tags.
func (b *build) fitting(nodes []*Node) int {
	count := 0
	for i, n := range nodes {
		if count += 1 + min(n.flatTags(), maxTags); count >= b.o.NodeCount {
			return i + 1
		}
	}
	return min(b.o.NodeCount, len(nodes))
}

// maxTags is how many tags of a node are drawn at most.
const maxTags = 4

// flatTags counts the tags that hold something themselves.
func (n *Node) flatTags() int {
	count := 0
	for _, t := range n.Labels {
		if t.Flat != 0 {
			count++
		}
	}
	for _, tags := range n.Numbers {
		for _, t := range tags {
			if t.Flat != 0 {
				count++
			}
		}
	}
	return count
}

func (b *build) nodes(list []int32) []*Node {
	out := make([]*Node, len(list))
	for i, id := range list {
		out[i] = b.node(id)
	}
	return out
}

func (b *build) node(id int32) *Node {
	return newNode(&b.s.Nodes[id], &b.sums[id], id)
}

func newNode(info *selection.Node, s *Costs, index int32) *Node {
	return &Node{Info: *info, Name: Name(info), index: index, Costs: *s}
}

// connect sums up the edges between the graph's nodes. Where these are all
// there are, edges to nodes that hold nothing are among them: pprof leaves
// those out only with others.
func (b *build) connect(g *Graph, all int) {
	ours := make([]*Node, len(b.s.Nodes))
	var kept []bool
	if len(g.Nodes) < all {
		kept = make([]bool, len(ours))
	}
	for _, n := range g.Nodes {
		ours[n.index] = n
		if kept != nil {
			kept[n.index] = true
		}
	}
	f := b.edges
	if f == nil || kept != nil {
		f = b.foldEdges(partsOf(b.s), kept)
	}
	end := func(id int32) *Node {
		if ours[id] == nil {
			ours[id] = b.node(id)
		}
		return ours[id]
	}
	for i := range f.calls {
		c := &f.calls[i]
		join(&Edge{From: end(c.from), To: end(c.to), Weight: c.weight, Divisor: c.divisor, Residual: c.residual, Inlined: !c.plain})
	}
}

func join(e *Edge) {
	e.From.Out = append(e.From.Out, e)
	e.To.In = append(e.To.In, e)
}

func magnitude(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// entropyOrder ranks nodes for a picture: those first at which paths meet or
// part, by how much passes through them. A node with one caller and one callee
// tells nothing that its neighbours do not.
//
//	score = cum * (H(in) + H(out)) + flat
//
// where H is the entropy in bits of how the weight is spread over the edges,
// flat being one of those out, and 1 for a node without edges on that side.
func entropyOrder(n *Node) [2]int64 {
	score := 0.0
	if len(n.In) == 0 {
		score++
	} else {
		score += entropy(n.In, 0)
	}
	if len(n.Out) == 0 {
		score++
	} else {
		score += entropy(n.Out, n.Flat)
	}
	return [2]int64{magnitude(whole(score*float64(n.Cum)) + n.Flat), magnitude(n.Flat)}
}

// whole truncates, and of what no int64 can hold makes what the conversion
// makes of it on amd64, so that all machines rank alike. Edges of weight 0,
// which there are in differences, make a score that is not a number.
func whole(v float64) int64 {
	if v >= -1<<63 && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

func entropy(edges []*Edge, flat int64) float64 {
	total := flat
	for _, e := range edges {
		if e.Weight > 0 {
			total += e.Weight
		}
	}
	if total == 0 {
		return 0
	}
	score := 0.0
	for _, e := range edges {
		share := float64(magnitude(e.Weight)) / float64(total)
		score += -share * math.Log2(share)
	}
	if flat > 0 {
		share := float64(flat) / float64(total)
		score += -share * math.Log2(share)
	}
	return score
}
