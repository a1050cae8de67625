// Package shape recognizes statements that cost more than their work requires:
// looking the same key up twice, moving elements that could stay.
//
// A shape is a row of knowledge without a callee. It looks at the syntax and the
// types of the functions that hold samples, and names the nodes whose lines hold its
// cost: base samples of the CPU and allocation profiles with a frame of the user's own
// there, that are spent there or in functions that stand for the statement, as those of
// the runtime's maps do, or in those that the nodes call. A shape without such samples
// says nothing.
//
// Where the nodes that the remedy removes have lines of their own, their samples are
// what it avoids; else it is the part that the shape's example gained. That misleads
// where a line holds other work of the same kind.
package shape
