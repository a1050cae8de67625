// Package repeated answers, for rules, which statements call a function again and again
// for the same result: they compile a constant pattern, parse a constant string, query
// something that does not change.
//
// It reads the base samples of the CPU and allocation profiles, and the program, to
// find fixed arguments. A sample belongs to the outermost of the user's own statements
// on its way into such a call. An argument that is a parameter of the enclosing
// function is fixed if the calling statement, the next frame of the stack, passes a
// fixed one.
//
// The evidence must also show that the call is repeated. A benchmark's allocations are
// counted: with the same arguments each call allocates the same, so that the number of
// blocks of one stack and size is the number of calls or a multiple of it, and the
// number on which most sizes agree is taken for the number of calls. A call made
// [minCalls] times, and once in [rare] iterations, is repeated. If nothing is counted
// (no block in the place, or the sampled profile of a program or a service), CPU time
// decides: no single call of these functions takes [onceAtMost].
//
// Calls below sync.Once, sync.OnceFunc and OnceValue and in the initialization of
// packages are left out, and so are calls by a benchmark itself: that is what it
// measures.
//
// It misleads where one line has several statements, and where the called function
// depends on more than its arguments in a way its rule does not know.
package repeated
