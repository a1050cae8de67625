// Package why answers which functions account for the difference between two
// sides of a benchmark, and what the compiler decided differently about them.
//
// Its input are the test binaries of both sides. Each is profiled in processes
// of its own, after the rounds that gave the verdict: CPU in several turns, old
// and new taking the first place by turns, and every allocation in two more;
// both sides run the same number of iterations. The turns of a side are added
// up, package analyze/hot keeps what the measured loop does apart from set-up,
// harness and the runtime's background work, and everything is divided by the
// operations that the profiles cover, so that the flat differences of all
// functions add up to the difference of the measured code.
//
// A sample is a count. With n samples of a function on a side, each worth v,
// the variance of its sum is n·v² (Poisson); where the turns of one side
// scatter by more than that, the relative variance τ² that is left over counts
// for every function of the profile: v²·(n + τ²·n²/T) with T turns. The error of
// a difference is z times the root of both sides' variances, z the normal
// quantile that leaves alpha/2m on either side with m values looked at (flat
// and cum of every function that has enough samples, both sides together, to be
// able to differ): Bonferroni. How many samples there are in all says nothing
// about their parting, so that this choice costs no error. A function is listed
// when its flat or its cum differs by more than that.
//
// Functions are matched by name. The package under test and its module may be
// called differently on the two sides. Literals are matched by their source:
// by position when a function has as many on both sides, else by their text;
// func1 of one side may so be func2 of the other. Inlined functions have frames
// of their own and count as any other. Samples in the runtime's preemption count
// for the function that was preempted.
//
// # When it misleads
//
// A CPU profile has 100 samples a second: with 500 of them a function has to
// change by a fifth of the whole to be sure to be seen. What is not listed is
// not equal. The first build of each side is profiled, in one layout. Recording
// every allocation slows a benchmark down, so that one whose loop depends on
// time may allocate otherwise. Decisions are compared as the compiler words
// them: a rewritten expression differs though its fate may not.
package why
