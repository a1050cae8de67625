// Package benchmarks answers whether a change to Go code made its benchmarks
// faster, and how sure that is.
//
// Its input are two sides, as package sides makes them of revisions,
// directories, packages or test binaries. It runs both sides' tests (new code
// that is wrong is no candidate, however fast), finds the benchmarks that both
// sides have in all their packages, and has package rounds measure them, every
// slice in a process of its own. Both sides run the same number of iterations,
// so that what grows with b.N is compared at the same size, with the same
// GOMAXPROCS, arguments and working directory, and in every round with the
// functions of the binary in another order (-randlayout), the same seed on both
// sides. Package compare draws the verdicts.
//
// # Why rounds
//
// A machine's speed drifts: its clock, its neighbours, its temperature. Two
// long runs, one after the other, measure that drift together with the
// change. Slices of 20 ms and more in turns put both sides through the same
// minutes; the ratio of neighbouring slices cancels what they share, and the
// lot makes what they do not share fall on both sides alike. A new process for
// each slice draws a new memory layout and a new start of the collector, which
// one long process keeps for all its iterations. Linking a round's layouts takes
// about a second, so that each round has many slices: those of a second in
// hundreds of layouts would tell less apart than those of five in tens.
//
// # CPU time
//
// cpu-ns/op is the user and system time of the slice's process, less that of a
// process with two iterations, divided by the iterations that it has more. Both
// run the benchmark function twice (package testing does, with a first
// iteration), so that the start of the process, TestMain and the benchmark's
// set-up cancel, as far as they do not depend on b.N. The process of two
// iterations runs in every round anew, for both sides, and in a round of several
// turns again and again: were it measured once, its error would stand in all
// rounds and look like a difference. Where the start
// and the set-up weigh more than the operations there is no such figure. It
// counts the collector's and all goroutines' work, also what outlives the
// timer; it misleads where set-up grows with b.N, where StopTimer hides work,
// and where two iterations already fill a cache that is built lazily.
//
// # The same question again
//
// With Options.Cache the rounds of earlier runs of the same question are kept
// and pooled: the same test binaries, test data, benchmark, machine, GOMAXPROCS,
// arguments, variables of the sides and of the collector, and layouts drawn or
// not; which side is called old makes no difference. Every run has its own share of alpha (package compare), so that asking
// until the answer pleases gains nothing; of two at the same time the one that
// ends later is the later one. Rounds are forgotten after 30 days.
//
// # Nothing to measure
//
// A package whose test binary is the same on both sides, byte for byte, with the
// same flags, variables and files, is not measured. Nor is a benchmark for which
// package reach finds, in the objects that the binaries were linked of, that all
// it can reach is the same. The objects are asked of the go command with the
// flags and variables of the build.
//
// # Disturbances
//
// Visible disturbances of the figures become warnings, and
// changes no verdict: of the machine (steal, other processes, throttling,
// swapping, a frequency governor), of the environment (GOGC, GOMEMLIMIT,
// GODEBUG, pinning), of the benchmark (a timer that is stopped inside the loop,
// costs that depend on b.N, memory that is kept, operations that are too short
// or that the compiler may have removed). That costs depend on b.N is asked of
// CPU time too; where that does not tell, or something else took the processors
// meanwhile, the warning says that it may be so.
//
// # When it misleads
//
// What package compare says of the verdicts holds here. Beyond that: the
// benchmark's own set-up and its choice of input are the user's; a benchmark
// whose cost depends on the number of iterations is compared at one number
// only, which the result states; the share of other processes is what the
// machine was busy with beyond our own, which is off where processes of ours
// outlive their parents.
package benchmarks
