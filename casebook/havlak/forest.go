package havlak

import "iter"

// Finder finds the loops of the one graph that it was made for. Calls of Find
// may overlap.
type Finder interface {
	Find() Forest
}

// New makes a stage's finder.
type New func(g Graph) Finder

// Root stands for the header of the root, which is no block.
const Root = -1

// Forest is the loops of a graph, nested, as a stage keeps them. No later call
// of Find changes it. It is for one goroutine at a time: the nesting may be
// worked out when it is asked for, as the published program did, which asked
// once.
type Forest interface {
	// Len returns the number of loops, the root among them.
	Len() int
	// Loops yields every loop once, the root among them, in any order.
	Loops() iter.Seq[Loop]
	// Blocks yields every block that is in a loop of the graph once, and the
	// header of the innermost such loop, in any order.
	Blocks() iter.Seq2[int, int]
}

// Loop is one loop and where it is nested. Loops go by their headers.
type Loop struct {
	Header      int
	Parent      int // header of the loop around it; the root is its own parent
	Depth       int
	Level       int
	Irreducible bool
}
