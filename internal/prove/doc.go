// Package prove answers whether a change to a Go package made its benchmarks
// faster, and how sure that is.
//
// Its input are two packages, before and after. It builds both test binaries
// alike, runs both sides' tests (new code that is wrong is no candidate,
// however fast), finds the benchmarks that both sides have, and measures them
// in rounds. Within a round each benchmark runs three times, every time in a
// process of its own: old, new, and old once more; the order of the benchmarks
// and of the three is drawn by lot from a seed that the result names. Both
// sides run the same number of iterations, so that what grows with b.N is
// compared at the same size.
//
// # Why rounds
//
// A machine's speed drifts: its clock, its neighbours, its temperature. Two
// long runs, one after the other, measure that drift together with the
// change. Slices of about 100 ms in turns put both sides through the same
// minutes; the ratio of two neighbouring slices cancels what they share, and
// the lot makes what they do not share fall on both sides alike. A new process
// for each slice draws a new memory layout and a new start of the collector,
// which one long process keeps for all its iterations.
//
// # No peeking
//
// The number of rounds is fixed before the first one, from the budget and
// what a round costs, and never from what the rounds show: whoever stops as
// soon as the interval looks good is wrong far more often than alpha says. When
// the machine turns out slower than planned the budget still ends the run; that
// does not look at the ratio either.
//
// # When it misleads
//
// What package compare says of the verdicts holds here. Beyond that: the
// benchmark's own set-up and its choice of input are the user's; a binary is
// compared with another one, so that the Go version, build flags and GOMAXPROCS
// have to be equal on both sides, which is checked; and a benchmark whose cost
// depends on the number of iterations is compared at one number only, which
// the result states.
package prove
