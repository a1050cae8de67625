// Package escape makes of what the compiler said about packages what a reader can act
// upon: each decision with the function that it stands in, what it costs where a
// recording knows that, and the place that causes it.
//
// # Method
//
// A decision belongs to the declared function around its position, found in the source.
// Samples are charged to a decision whose line they were taken at: below the frames of
// the runtime, and through the same inlined calls. Several decisions at one line share
// what the line costs, and say how many they are. What no decision of the packages has
// is counted apart, so that both sum to the profile's total.
//
// A value that escapes since a call's parameter leaks is caused where the parameter
// leaks: the compiler's flow ends with the call, the callee is named by what became of
// inlining it, and its parameter's flow goes on from there, call by call, to the
// statement that keeps the pointer.
//
// # When it misleads
//
// The compiler says "escapes" of constants too, which are never allocated
// (compiler.Escape.Static), and of values that are allocated on a path that never runs:
// without a recording nothing tells these apart. Growth by append, maps, strings that
// are added up and goroutines allocate without any escape. A call through an interface
// or of a function value has no known callee, and its cause is the call.
package escape
