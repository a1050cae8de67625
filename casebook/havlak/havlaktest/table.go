package havlaktest

import "whet/casebook/havlak"

// row is a graph whose forest is written out.
type row struct {
	what   string
	blocks int
	edges  string
	loops  []havlak.Loop // by header, the root left out
	level  int           // of the root
	in     []int         // header of the innermost loop of each block
}

const root = havlak.Root

var table = []row{
	{what: "no block"},
	{what: "one block", blocks: 1, in: []int{root}},
	{what: "no loop", blocks: 4, edges: "0>1 0>2 1>3 2>3", in: []int{root, root, root, root}},
	{what: "a block that leads to itself", blocks: 2, edges: "0>1 1>1", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}}, in: []int{root, 1}},
	{what: "the entry leads to itself", blocks: 1, edges: "0>0", level: 1,
		loops: []havlak.Loop{{Header: 0, Parent: root, Depth: 1}}, in: []int{0}},
	{what: "a loop", blocks: 4, edges: "0>1 1>2 2>1 2>3", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}}, in: []int{root, 1, 1, root}},
	{what: "a loop of the entry", blocks: 3, edges: "0>1 1>0 0>2", level: 1,
		loops: []havlak.Loop{{Header: 0, Parent: root, Depth: 1}}, in: []int{0, 0, root}},
	{what: "edges that are there twice", blocks: 3, edges: "0>1 0>1 1>2 1>2 2>1 2>1 1>1 1>1", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}}, in: []int{root, 1, 1}},
	{what: "two edges back to one header are one loop", blocks: 4, edges: "0>1 1>2 1>3 2>1 3>1", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}}, in: []int{root, 1, 1, 1}},
	{what: "a header that leads to itself has one loop", blocks: 3, edges: "0>1 1>1 1>2 2>1", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}}, in: []int{root, 1, 1}},
	{what: "two loops after each other", blocks: 5, edges: "0>1 1>2 2>1 2>3 3>4 4>3", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}, {Header: 3, Parent: root, Depth: 1}}, in: []int{root, 1, 1, 3, 3}},
	{what: "a loop in a loop", blocks: 5, edges: "0>1 1>2 2>3 3>2 3>4 4>1", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1}, {Header: 2, Parent: 1, Depth: 2}}, in: []int{root, 1, 2, 2, 1}},
	{what: "a loop of one block in a loop", blocks: 4, edges: "0>1 1>2 2>2 2>3 3>1", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1}, {Header: 2, Parent: 1, Depth: 2}}, in: []int{root, 1, 2, 1}},
	{what: "two loops that end in one block", blocks: 4, edges: "0>1 1>2 2>3 3>2 3>1", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1}, {Header: 2, Parent: 1, Depth: 2}}, in: []int{root, 1, 2, 2}},
	{what: "the same, back to the outer one first", blocks: 4, edges: "0>1 1>2 2>3 3>1 3>2", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1}, {Header: 2, Parent: 1, Depth: 2}}, in: []int{root, 1, 2, 2}},
	{what: "a shallow and a deep loop in one", blocks: 7, edges: "0>1 1>2 2>2 2>3 3>4 4>5 5>4 5>3 3>6 6>1", level: 3,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 2}, {Header: 2, Parent: 1, Depth: 2}, {Header: 3, Parent: 1, Depth: 2, Level: 1}, {Header: 4, Parent: 3, Depth: 3}},
		in:    []int{root, 1, 2, 3, 4, 4, 1}},

	{what: "blocks that are not reached", blocks: 5, edges: "0>1 1>2 2>1 3>2 3>3 3>4 4>3 4>1", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1}}, in: []int{root, 1, 1, root, root}},

	{what: "a loop with two ways in", blocks: 3, edges: "0>1 0>2 1>2 2>1", level: 1,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Irreducible: true}}, in: []int{root, 1, 1}},
	{what: "the same, the other way first", blocks: 3, edges: "0>2 0>1 1>2 2>1", level: 1,
		loops: []havlak.Loop{{Header: 2, Parent: root, Depth: 1, Irreducible: true}}, in: []int{root, 2, 2}},
	{what: "a loop with two ways in, inside a loop with one", blocks: 6, edges: "0>1 1>2 1>3 2>3 3>2 3>4 4>1 4>5", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1}, {Header: 2, Parent: 1, Depth: 2, Irreducible: true}}, in: []int{root, 1, 2, 2, 1, root}},
	{what: "a way into the inner loop from outside both", blocks: 4, edges: "0>1 0>3 1>2 2>3 3>2 3>1", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1, Irreducible: true}, {Header: 2, Parent: 1, Depth: 2, Irreducible: true}}, in: []int{root, 1, 2, 2}},
	{what: "a way to the inner header from outside both", blocks: 4, edges: "0>1 0>2 1>2 2>3 3>2 3>1", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1, Irreducible: true}, {Header: 2, Parent: 1, Depth: 2}}, in: []int{root, 1, 2, 2}},
	{what: "a loop left and entered again by a side way is one loop", blocks: 5, edges: "0>1 1>2 2>1 2>3 3>4 4>2 0>4", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1, Irreducible: true}, {Header: 2, Parent: 1, Depth: 2, Irreducible: true}}, in: []int{root, 1, 2, 2, 2}},
	{what: "three blocks that all lead to each other", blocks: 4, edges: "0>1 0>2 0>3 1>2 1>3 2>1 2>3 3>1 3>2", level: 2,
		loops: []havlak.Loop{{Header: 1, Parent: root, Depth: 1, Level: 1, Irreducible: true}, {Header: 2, Parent: 1, Depth: 2, Irreducible: true}}, in: []int{root, 1, 2, 2}},
}

func (r row) want() Seen {
	return Seen{Loops: append([]havlak.Loop{{Header: root, Parent: root, Level: r.level}}, r.loops...), Blocks: r.in}
}
