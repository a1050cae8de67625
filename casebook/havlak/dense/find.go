package dense

import (
	"slices"

	"whet/casebook/havlak"
)

// Finder finds the loops of a graph. Use New.
type Finder struct{ graph *graph }

// New returns a finder for g.
func New(g havlak.Graph) *Finder { return &Finder{newGraph(g)} }

// unvisited is the place of a block that the walk has not reached.
const unvisited = -1

// node is a block in the union-find structure. The sets are the loops that
// have been found, and each is represented by its header.
type node struct {
	parent *node // itself in a representative
	block  *block
	place  int
	loop   *loop // the loop it is the header of
}

// find returns the representative of n's set, and shortens the way to it.
func (n *node) find() *node {
	root := n
	for root.parent != root {
		root = root.parent
	}
	for n != root {
		n, n.parent = n.parent, root
	}
	return root
}

// search is one call of Find. A block's place is where it comes in the
// depth-first walk.
type search struct {
	places []int // by a block's id

	// By place.
	nodes        []*node
	last         []int          // place of the last block reached through it
	backPreds    [][]int        // predecessors reached through it
	nonBackPreds []map[int]bool // other predecessors
}

// Find returns the loops of the graph.
func (f *Finder) Find() havlak.Forest {
	found := newForest()
	size := len(f.graph.blocks)
	if size == 0 {
		return found
	}
	s := &search{
		places:       make([]int, size),
		nodes:        make([]*node, 0, size),
		last:         make([]int, size),
		backPreds:    make([][]int, size),
		nonBackPreds: make([]map[int]bool, size),
	}
	for id := range s.places {
		s.places[id] = unvisited
	}
	for i := range s.nonBackPreds {
		s.nonBackPreds[i] = make(map[int]bool)
	}
	s.walk(f.graph.blocks[0])
	s.classify()
	for w := range slices.Backward(s.nodes) {
		s.collapse(w, found)
	}
	return found
}

// walk gives places to b and to all blocks that are reached through it.
func (s *search) walk(b *block) {
	place := len(s.nodes)
	s.places[b.id] = place
	n := &node{block: b, place: place}
	n.parent = n
	s.nodes = append(s.nodes, n)
	for _, to := range b.out {
		if s.places[to.id] == unvisited {
			s.walk(to)
		}
	}
	s.last[place] = len(s.nodes) - 1
}

// above says whether v was reached through w, or is w.
func (s *search) above(w, v int) bool { return w <= v && v <= s.last[w] }

// classify sorts the predecessors of each block.
func (s *search) classify() {
	for w, n := range s.nodes {
		for _, from := range n.block.in {
			v := s.places[from.id]
			if v == unvisited {
				continue
			}
			if s.above(w, v) {
				s.backPreds[w] = append(s.backPreds[w], v)
			} else {
				s.nonBackPreds[w][v] = true
			}
		}
	}
}

// collapse adds the loop of the block at w, if it is a header, and makes one
// set of the loop's blocks. The loops of all blocks after w are known.
func (s *search) collapse(w int, found *forest) {
	self := false
	pool := make(map[*node]bool) // what is in the loop, loops inside it being one node each
	var work []*node             // those whose predecessors have not been looked at
	for _, v := range s.backPreds[w] {
		if v == w {
			self = true
			continue
		}
		if n := s.nodes[v].find(); !pool[n] {
			pool[n] = true
			work = append(work, n)
		}
	}
	irreducible := false
	for len(work) > 0 {
		x := work[0]
		work = work[1:]
		for y := range s.nonBackPreds[x.place] {
			n := s.nodes[y].find()
			switch {
			case !s.above(w, n.place):
				irreducible = true
				s.nonBackPreds[w][n.place] = true
			case n.place != w && !pool[n]:
				pool[n] = true
				work = append(work, n)
			}
		}
	}
	if len(pool) == 0 && !self {
		return
	}
	header := s.nodes[w]
	header.loop = found.add(header.block, irreducible)
	for n := range pool {
		n.parent = header
		if n.loop != nil {
			n.loop.setParent(header.loop)
		} else {
			header.loop.blocks[n.block] = true
		}
	}
}
