// Package why answers which functions account for the difference between two
// sides of a benchmark, and which of the compiler's decisions about them differ.
//
// Its input are the test binaries of both sides. Each is profiled in processes of
// its own, after the rounds that gave the verdict: CPU in several turns, with old
// and new alternately first, and every allocation in two more; both sides run the
// same number of iterations. The turns of a side are summed, package analyze/hot
// separates the measured loop from set-up, harness and the runtime's background
// work, and all is divided by the operations that the profiles cover, so that the
// flat differences of all functions sum to the difference of the measured code.
//
// A sample is a count. With n samples of a function on a side, each worth v, the
// variance of its sum is n·v² (Poisson); if the turns of one side scatter by more
// than that, the remaining relative variance τ² applies to every function of the
// profile: v²·(n + τ²·n²/T) with T turns. The error of a difference is z times
// the root of both sides' variances, where z is the normal quantile that leaves
// alpha/2m on either side with m tested values (flat and cum of every function
// with enough samples, both sides together, to be able to differ): Bonferroni.
// The total number of samples is independent of their distribution over the
// sides, so that this selection adds no error. A function is listed if its flat
// or its cum differs by more than that.
//
// Functions are matched by name. The package under test and its module may have
// different names on the two sides. Literals are matched by their source: by
// position if a function has equally many on both sides, otherwise by their text;
// func1 of one side may thus be func2 of the other. Inlined functions have frames
// of their own and count like any other. Samples in the runtime's preemption
// count for the preempted function.
//
// # When it misleads
//
// A CPU profile has 100 samples a second: with 500 of them a function must change
// by a fifth of the whole to be certain to appear. Functions that are not listed
// may still differ. Only the first build of each side is profiled, in one layout.
// Recording every allocation slows a benchmark down, so one whose loop depends on
// time may allocate differently. Decisions are compared by the compiler's text: a
// rewritten expression differs even if its decision does not.
package why
