// Package compiler models the Go compiler's and the type checker's results about
// source: the compiler's decisions on escape and inlining, and the calls of each
// line.
//
// It answers, for a line of source, which values are allocated there, which calls
// were inlined, and what is called with which arguments. Decisions are read from the
// text of `go build -gcflags=-m=2`, one line "file:line:column: words" each; the
// compiler explains an escape in further indented lines, which [Parse] skips. Calls
// are written as JSON.
//
// # When it misleads
//
// The text is made for people and changes with each Go release: lines that are not
// understood are skipped. A function that was inlined is decided again at each call
// it was inlined into, at the position of the call. A generic function is decided
// once for each shape. "does not escape" also appears for values that are too large
// for the stack elsewhere.
package compiler
