// Package gctrace reads what a Go program prints to its standard error with
// GODEBUG=gctrace=1: one line for each cycle of the collector.
//
// It answers when each collection was, how long its phases took, how large
// the heap was around it, and whether the program asked for it. The format is
// described in the documentation of package runtime and may change with any
// release; lines of Go 1.8 and later are understood, and the scvg lines of
// releases before 1.14 are known and passed over.
//
// # When it misleads
//
// The runtime rounds down: moments to milliseconds, durations to two digits
// (whole milliseconds from 10 ms on), sizes to whole MiB, which it calls MB.
// A cycle's moment is its beginning; the line is printed at its end. Moments
// count from the start of the runtime, some time after the process was started.
//
// The runtime writes a line in pieces, so that another writer of the same
// stream may cut it up; such a cycle is lost, which the numbers of the cycles
// show. A child process that inherited the environment prints its cycles into
// the same stream: numbers that run backwards are the sign of it. A program
// can print such a line itself.
package gctrace
