package best

import (
	"sync/atomic"

	"whet/casebook/havlak"
)

// Finder finds the loops of a graph. Use New.
type Finder struct {
	// Block b leads to the blocks to[first[b]:first[b+1]].
	first []int32
	to    []int32

	spare atomic.Pointer[walk]
}

// New returns a finder for g.
func New(g havlak.Graph) *Finder {
	f := &Finder{first: make([]int32, g.Blocks()+1)}
	// first[b+1] counts the edges of b; summed up, first[b] is where they
	// begin. Each edge that is put in moves first[b] on, in the end to where
	// the next block's begin, so that all are one block off afterwards.
	for from := range g.Edges() {
		f.first[from+1]++
	}
	for b := range g.Blocks() {
		f.first[b+1] += f.first[b]
	}
	f.to = make([]int32, f.first[g.Blocks()])
	for from, to := range g.Edges() {
		f.to[f.first[from]] = int32(to)
		f.first[from]++
	}
	copy(f.first[1:], f.first)
	f.first[0] = 0
	return f
}

// Where a block stands in the walk, else a number from 1: its place on the
// path.
const (
	notReached int32 = 0
	left       int32 = -1
)

// walk is the memory of one call of Find.
type walk struct {
	place []int32 // of each block
	path  []step
}

// step is a block on the path and the next of its edges to be taken.
type step struct{ block, edge int32 }

// Find returns the loops of the graph.
func (f *Finder) Find() havlak.Forest {
	blocks := len(f.first) - 1
	found := newForest(blocks)
	if blocks == 0 {
		return found
	}
	w := f.spare.Swap(nil)
	if w == nil {
		w = &walk{place: make([]int32, blocks)}
	} else {
		clear(w.place)
	}
	w.run(f.first, f.to, found)
	f.spare.Store(w)
	return found
}

func (w *walk) run(first, to []int32, found *forest) {
	place, path := w.place, append(w.path[:0], step{0, 0})
	place[0] = 1
	for {
		top := &path[len(path)-1]
		b := top.block
		if top.edge == first[b+1] {
			place[b] = left
			path = path[:len(path)-1]
			if len(path) == 0 {
				break
			}
			// The loops around b, b's own apart, are around the block before
			// b too: their headers are on the path.
			w.put(found, path[len(path)-1].block, found.around[b])
			continue
		}
		t := to[top.edge]
		top.edge++
		switch p := place[t]; {
		case p == notReached:
			path = append(path, step{t, first[t]})
			place[t] = int32(len(path))
		case p == left:
			// t's loops whose headers are left do not hold b: this edge
			// enters them from outside, and not at their headers.
			h := found.around[t]
			for h != none && place[h] == left {
				found.marks[h] |= entered
				h = found.around[h]
			}
			w.put(found, b, h)
		default: // t is on the path, so an edge comes back to it
			found.head(t)
			w.put(found, b, t)
		}
	}
	w.path = path
}

// put notes that the loop of header h is around b. Both are on the path. The
// headers around b, found by going from one to the next, stand on the path
// one before the other; h is put in where it belongs, and the headers that
// are known to be around h are put in behind it.
func (w *walk) put(found *forest, b, h int32) {
	if h == none || h == b {
		return
	}
	for {
		next := found.around[b]
		switch {
		case next == none:
			found.around[b] = h
			return
		case next == h:
			return
		case w.place[next] < w.place[h]:
			found.around[b] = h
			b, h = h, next
		default:
			b = next
		}
	}
}
