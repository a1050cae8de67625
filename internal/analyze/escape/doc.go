// Package escape prepares the compiler's decisions for a reader who wants to act on
// them: each decision with its function, its cost if a recording has it, and the
// location that causes it.
//
// # Method
//
// A decision belongs to the declared function around its position, found in the
// source. A sample is charged to a decision at its line: below the frames of the
// runtime, and through the same inlined calls. Several decisions at one line share
// its cost and have their number. Samples without a decision are counted apart, so
// that both sum to the profile's total.
//
// A value that escapes because a call's parameter leaks has its cause where the
// parameter leaks: the compiler's flow ends with the call, its inlining decision
// names the callee, and the flow of the callee's parameter goes on from there, call
// by call, to the statement that keeps the pointer.
//
// # When it misleads
//
// The compiler reports "escapes" also for constants, which are never allocated
// (compiler.Escape.Static), and for values on a path that never runs: only a
// recording tells these apart. Growth by append, maps, string concatenation and
// goroutines allocate without any escape. A call through an interface or of a
// function value has no known callee, and its cause is the call.
package escape
