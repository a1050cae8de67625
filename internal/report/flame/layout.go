package flame

import (
	"whet/internal/analyze/flamegraph"
)

// box is a rectangle: a frame, or narrow neighbours together.
type box struct {
	node   int // the frame; of a block, its caller
	depth  int
	x0, x1 float64 // in the graph's unit, from the root's beginning
	value  int64
	base   int64
	frames int64 // of a block; 0 for a frame
}

// layout lays out the frames of a graph that take at least this part of the
// root. Narrower neighbours below one caller become one block, with all that
// stands on them.
func layout(g *flamegraph.Graph, least float64) []box {
	nodes := g.Nodes
	least *= g.Weight(&nodes[0])
	first, next := make([]int32, len(nodes)), make([]int32, len(nodes)) // child, sibling; 0 is none
	frames := make([]int64, len(nodes))                                 // in the subtree
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		frames[i] += max(n.Collapsed, 1)
		if i > 0 {
			frames[n.Parent] += frames[i]
			first[n.Parent], next[i] = int32(i), first[n.Parent]
		}
	}
	boxes := []box{{x1: g.Weight(&nodes[0]), value: nodes[0].Value, base: nodes[0].Base}}
	for at := 0; at < len(boxes); at++ { // breadth first: the list is the queue
		parent := boxes[at]
		if parent.frames > 0 {
			continue
		}
		x := parent.x0
		run := -1 // the block that narrow ones are added to
		for c := first[parent.node]; c != 0; c = next[c] {
			n := &nodes[c]
			from := x
			x += g.Weight(n)
			switch {
			case x-from >= least && n.Collapsed == 0:
				boxes = append(boxes, box{node: int(c), depth: parent.depth + 1, x0: from, x1: x, value: n.Value, base: n.Base})
				run = -1
				continue
			case run < 0:
				run = len(boxes)
				boxes = append(boxes, box{node: parent.node, depth: parent.depth + 1, x0: from})
			}
			b := &boxes[run]
			b.x1 = x
			b.value += n.Value
			b.base += n.Base
			b.frames += frames[c]
		}
	}
	return boxes
}
