package flamegraph

import (
	"cmp"
	"slices"
	"strings"
)

// graph collapses what is too narrow and puts the rest in order.
func (b *builder) graph() *Graph {
	b.doubts()
	if b.shift > 0 {
		b.settle()
	}
	parts := b.options.Parts
	kept := b.kept(uint64(parts))
	for kept > b.options.MaxNodes { // at 1, what is left is as wide as the root: one tower
		if parts == 0 {
			parts = sketchParts
		}
		parts /= 2
		kept = b.kept(uint64(parts))
	}
	g := &Graph{Type: b.of, Scale: b.scale, Ratio: b.ratio, Parts: parts, Estimated: b.estimated && b.hidden(), Warnings: b.warnings}
	c := collapser{b: b, g: g, parts: uint64(parts), frameOf: make(map[int32]int32)}
	g.Frames = append(g.Frames, Frame{Name: b.root})
	c.link()
	c.emit()
	for i := range g.Nodes {
		g.Differential = g.Differential || g.Nodes[i].Base != 0
	}
	if b.options.File != nil {
		for i := range g.Frames {
			if g.Frames[i].File != "" {
				g.Frames[i].File = b.options.File(g.Frames[i].File)
			}
		}
	}
	return g
}

// settle makes the root what its children hold together, where dividing the
// values took something from each.
func (b *builder) settle() {
	b.nodes[0].sides, b.total = sides{}, sides{}
	for i := range b.nodes {
		if b.nodes[i].parent == 0 {
			b.total.plus(b.nodes[i].sides)
		}
	}
	b.nodes[0].sides = b.total
}

func (b *builder) hidden() bool {
	return slices.ContainsFunc(b.nodes, func(n treeNode) bool { return n.hidden > 0 })
}

// narrow reports whether a node is collapsed. Its descendants hold no more and
// are deeper, so that they are, too.
func (b *builder) narrow(n *treeNode, parts uint64) bool {
	return int(n.depth) > b.options.MaxDepth || parts > 0 && b.below(n.sides, parts)
}

// kept counts what is drawn, blocks left out of account: they are never more
// than frames.
func (b *builder) kept(parts uint64) int {
	n := 1
	for i := range b.nodes[1:] {
		if !b.narrow(&b.nodes[1+i], parts) {
			n++
		}
	}
	return n
}

// collapser turns a tree into a graph.
type collapser struct {
	b       *builder
	g       *Graph
	parts   uint64
	below   []float64 // per node: different frames in it and under it
	blocks  []block   // per node: what is collapsed right under it
	first   []int32   // per node: into kids
	kids    []int32   // kept children, together by parent
	frameOf map[int32]int32
	blank   int32 // the frame of blocks, once there is one
}

type block struct {
	frames float64
	sides  sides
}

// link finds the kept children of every node and counts the others.
func (c *collapser) link() {
	nodes := c.b.nodes
	c.below, c.blocks = make([]float64, len(nodes)), make([]block, len(nodes))
	c.first = make([]int32, len(nodes)+1)
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		c.below[i] += 1 + n.hidden
		c.blocks[i].frames += n.hidden
		c.blocks[i].sides.plus(n.lost)
		if i == 0 {
			break
		}
		c.below[n.parent] += c.below[i]
		if c.b.narrow(n, c.parts) {
			c.blocks[n.parent].frames += c.below[i]
			c.blocks[n.parent].sides.plus(n.sides)
		} else {
			c.first[n.parent+1]++
		}
	}
	for i := range nodes {
		c.first[i+1] += c.first[i]
	}
	c.kids = make([]int32, c.first[len(nodes)])
	at := slices.Clone(c.first)
	for i := 1; i < len(nodes); i++ {
		if n := &nodes[i]; !c.b.narrow(n, c.parts) {
			c.kids[at[n.parent]] = int32(i)
			at[n.parent]++
		}
	}
	for i := range nodes {
		slices.SortFunc(c.kids[c.first[i]:c.first[i+1]], c.order)
	}
}

// order returns the order of siblings.
func (c *collapser) order(i, j int32) int {
	x, y := &c.b.nodes[i], &c.b.nodes[j]
	if c.b.options.ByValue {
		v, w := float64(x.sides[0])+float64(x.sides[1])*c.b.scale, float64(y.sides[0])+float64(y.sides[1])*c.b.scale
		if d := cmp.Compare(w, v); d != 0 {
			return d
		}
	}
	return strings.Compare(c.b.frames[x.frame].Name, c.b.frames[y.frame].Name)
}

// emit writes the nodes in preorder, each one's block last.
func (c *collapser) emit() {
	type todo struct{ node, parent int32 }
	stack := []todo{{0, -1}}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t.node < 0 { // the block of ^node
			c.block(^t.node, t.parent)
			continue
		}
		n := &c.b.nodes[t.node]
		at := int32(len(c.g.Nodes))
		frame := int32(0)
		if t.node > 0 {
			frame = c.frame(n.frame)
		}
		c.g.Nodes = append(c.g.Nodes, Node{Frame: frame, Parent: t.parent, Value: int64(n.sides[0]), Base: int64(n.sides[1])})
		if c.blocks[t.node] != (block{}) {
			stack = append(stack, todo{^t.node, at})
		}
		for _, kid := range slices.Backward(c.kids[c.first[t.node]:c.first[t.node+1]]) {
			stack = append(stack, todo{kid, at})
		}
	}
}

func (c *collapser) block(node, parent int32) {
	b := &c.blocks[node]
	if c.blank == 0 {
		c.blank = int32(len(c.g.Frames))
		c.g.Frames = append(c.g.Frames, Frame{})
	}
	c.g.Nodes = append(c.g.Nodes, Node{Frame: c.blank, Parent: parent, Value: int64(b.sides[0]), Base: int64(b.sides[1]), Collapsed: max(1, whole(b.frames))})
}

// frame returns the graph's number of a frame.
func (c *collapser) frame(id int32) int32 {
	at, ok := c.frameOf[id]
	if !ok {
		at = int32(len(c.g.Frames))
		c.frameOf[id] = at
		f := c.b.frames[id]
		f.Name = strings.Clone(f.Name) // it does not hold on to a profile's strings
		c.g.Frames = append(c.g.Frames, f)
	}
	return at
}
