package havlak

import "fmt"

// The published graph, and how often it is analysed after the first time.
const (
	Rows    = 10
	Nests   = 100
	Repeats = 50
)

// basesPerNest is how many base loops follow one another in a nest.
const basesPerNest = 25

// Nested returns the graph that the case was published with, in a size of the
// caller's choice. It is not stored: its edges are counted out anew each time.
//
// The entry leads to a fork and the fork to every row. In a row the nests
// follow one another, and the last leads to the exit. A nest is a chain of 25
// base loops with an edge from its end back to its top. A base loop is a
// block, two diamonds and a block in a chain, with an edge back to its start
// and a block to leave by. A diamond is a split into two branches of one block
// that join, with an edge from the join back to the split.
//
// So a nest has 1 loop, and in it 25 times 1 loop, and in each of those 2:
// rows × nests × (25 × 3 + 1) loops, at depths 1, 2 and 3.
func Nested(rows, nests int) (Graph, error) {
	// 10 blocks a base loop, and the block after the top and the one to leave
	// by a nest; a row's head, and entry, exit and fork. Bounded one by one
	// first, so that the product does not overflow.
	const perNest = 2 + 10*basesPerNest
	if rows < 0 || nests < 0 || rows > MaxBlocks || nests > MaxBlocks || 3+rows*(1+nests*perNest) > MaxBlocks {
		return Graph{}, fmt.Errorf("nested graph: %d rows of %d nests: want at most %d blocks, %d a nest", rows, nests, MaxBlocks, perNest)
	}
	return Graph{3 + rows*(1+nests*perNest), func(yield func(from, to int) bool) {
		const entry, exit, fork = 0, 1, 2
		d := drawing{next: fork + 1, yield: yield}
		d.edge(entry, fork)
		for range rows {
			at := d.follow(fork)
			for range nests {
				if d.ended {
					return
				}
				at = d.nest(at)
			}
			d.edge(at, exit)
		}
	}}, nil
}

// drawing yields edges one after the other until the receiver has had enough.
type drawing struct {
	next  int // number of the next block
	yield func(from, to int) bool
	ended bool
}

func (d *drawing) edge(from, to int) {
	d.ended = d.ended || !d.yield(from, to)
}

// follow adds a block behind another and returns it.
func (d *drawing) follow(from int) int {
	id := d.next
	d.next++
	d.edge(from, id)
	return id
}

// nest, base and diamond start at a block that is there and return the one
// where they end.

func (d *drawing) nest(top int) int {
	at := d.follow(top)
	for range basesPerNest {
		at = d.base(at)
	}
	bottom := d.follow(at)
	d.edge(at, top)
	return bottom
}

func (d *drawing) base(start int) int {
	split1 := d.follow(start)
	join1 := d.diamond(split1)
	split2 := d.follow(join1)
	join2 := d.diamond(split2)
	end := d.follow(join2)
	d.edge(join2, split2)
	d.edge(join1, split1)
	d.edge(end, start)
	return d.follow(end)
}

func (d *drawing) diamond(split int) int {
	left, right, join := d.next, d.next+1, d.next+2
	d.next += 3
	d.edge(split, left)
	d.edge(split, right)
	d.edge(left, join)
	d.edge(right, join)
	return join
}
