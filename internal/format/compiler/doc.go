// Package compiler holds what the Go compiler and the type checker say about
// source: the compiler's decisions on escape and inlining, and the calls of
// each line.
//
// It answers, for a line of source, which values are allocated there, which
// calls were inlined, and what is called with which arguments. Decisions are
// read from the text of `go build -gcflags=-m=2`, one line
// "file:line:column: words" each; the compiler explains an escape in further
// indented lines, which [Parse] passes over. Calls are written as JSON.
//
// # When it misleads
//
// The text is made for people and changes with each Go release: lines that are
// not understood are passed over. A function that was inlined is decided again
// at each place it was inlined into, at the position of the call. A generic
// function is decided once for each shape. "does not escape" also stands at
// values that are too large for the stack in other places.
package compiler
