// Package repeated answers, for rules, which statements call a function again
// and again for the same result: compile a constant pattern, parse a constant
// text, ask for something that does not change.
//
// It reads the base samples of the CPU and allocation profiles, and the
// program for which arguments are fixed. A sample belongs to the outermost of
// the user's own statements that it passes through on its way into such a call.
// An argument that is a parameter of the enclosing function is fixed where the
// statement that called the function, the next frame of the stack, gives it a
// fixed one.
//
// That the call is repeated has to be seen too. A benchmark's allocations are
// counted: with the same arguments each call allocates the same, so that the
// number of blocks of one stack and size is the number of calls or a multiple of
// it, and the number that most of them agree on is taken for that of the calls.
// A call made [minCalls] times, and once in [rare] iterations, is repeated. Where nothing is
// counted (no block in the place, or the sampled profile of a program or a
// service), CPU time says it: no single call of these functions takes
// [onceAtMost].
//
// Calls below sync.Once, sync.OnceFunc and OnceValue and in the initialisation
// of packages are left out, and so is what a benchmark calls itself: that is
// what it measures.
//
// It misleads where one line holds several statements, and where the function
// called depends on more than its arguments in a way its rule does not know.
package repeated
