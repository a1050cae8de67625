// Package shape recognizes statements that cost more than their work requires: looking
// up the same key twice, moving elements that could stay.
//
// A shape is a row of knowledge without a callee. It examines the syntax and the types
// of the functions that have samples, and names the nodes whose lines have its cost:
// base samples of the CPU and allocation profiles with a frame of the user's own there,
// in the statement itself, in functions that implement it, such as those of the
// runtime's maps, or in those that the nodes call. A shape without such samples reports
// nothing.
//
// If the nodes that the remedy removes have lines of their own, their samples are
// avoidable; otherwise the part that the shape's example gained. That misleads where a
// line has other work of the same kind.
package shape
