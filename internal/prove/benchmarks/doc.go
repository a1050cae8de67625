// Package benchmarks answers whether a change to Go code made its benchmarks
// faster, and how certain that is.
//
// Its input are two sides, which package sides makes of revisions, directories,
// packages or test binaries. It runs both sides' tests (new code that fails them
// is no candidate, however fast), finds the benchmarks that both sides have in
// all their packages, and measures them with package rounds, every slice in a
// process of its own. Both sides run the same number of iterations, so that costs
// that grow with b.N are compared at the same size, with the same GOMAXPROCS,
// arguments and working directory, and in every round with a new order of the
// functions in the binary (-randlayout), from the same seed on both sides.
// Package compare draws the verdicts.
//
// # Why rounds
//
// A machine's speed drifts: its clock, its neighbors, its temperature. Two long
// runs, one after the other, measure that drift together with the change.
// Alternating slices of 20 ms or more expose both sides to the same minutes; the
// ratio of neighboring slices cancels what they share, and the random order
// distributes the rest over both sides alike. Each slice is a new process with a
// new memory layout and a new start of the collector, which one long process
// would keep for all its iterations. Linking a round's layouts takes about a
// second, so each round has many slices: one-second slices in hundreds of layouts
// would separate the sides less than five-second ones in tens.
//
// # Steps
//
// Another virtual machine on the same core makes code a third slower for some
// hundredths of a second: slices one after the other then measure the neighbor.
// Where runs in a row differ, and where it is possible, the three processes of a turn
// therefore alternate every two milliseconds (steps.go). Their programs are unchanged:
// package testing runs a
// benchmark again and again (-test.count), and prints after each run; whet leaves
// the result unread in a pipe that has room for one, and the process waits. Every
// run begins with a collection and one iteration, so that a slice in steps takes
// longer than another one. It runs with GOMAXPROCS=1, as the threads that a collection
// wakes for other processors would disturb the run. Benchmarks that allocate much, whose
// figures would lack
// the collector's share, whose first operations allocate for later ones, whose processes
// take much memory or cannot run at the same time, that print, or have metrics of their
// own are not measured in steps, nor those whose operations take another time on one
// processor, or for which the user chose GOMAXPROCS. CPU time is not told: a step's own
// share in it is larger than what its operations differ by.
//
// # CPU time
//
// cpu-ns/op is the user and system time of the slice's process, less that of a
// process with two iterations, divided by the number of additional iterations.
// Both run the benchmark function twice (package testing does, with a first
// iteration), so that the start of the process, TestMain and the benchmark's
// set-up cancel, as far as they do not depend on b.N. The process of two
// iterations runs again in every round, for both sides, and in a round of several
// turns several times: a single measurement would have the same error in all
// rounds, which would look like a difference. If start and set-up outweigh the
// operations, there is no such figure. It includes the work of the collector and
// of all goroutines, also after the timer has stopped; it misleads if set-up
// grows with b.N, if StopTimer hides work, and if two iterations already fill a
// cache that is built lazily.
//
// # Repeated questions
//
// With Options.Cache the rounds of earlier runs of the same question are stored
// and pooled: the same test binaries, test data, benchmark, machine, GOMAXPROCS,
// arguments, variables of the sides and of the collector, and the same choice
// about random layouts; the names of the sides do not matter. Every run has its
// own share of alpha (package compare), so that repeating until the result
// pleases gains nothing; of two simultaneous runs, the one that ends later counts
// as the later one. Rounds are deleted after 30 days.
//
// # Nothing to measure
//
// A package is not measured if its test binary is the same on both sides, byte
// for byte, with the same flags, variables and files. Nor is a benchmark whose
// reachable code is the same, as package reach determines from the object files
// of the binaries. The go command supplies the object files, with the flags and
// variables of the build.
//
// # Disturbances
//
// Visible disturbances become warnings, and do not change a verdict: of the
// machine (steal, other processes, throttling, swapping, a frequency governor),
// of the environment (GOGC, GOMEMLIMIT, GODEBUG, pinning), of the benchmark (a
// timer that is stopped inside the loop, costs that depend on b.N, retained
// memory, operations that are too short or that the compiler may have removed). A
// dependence on b.N is also checked in CPU time; if that does not decide, or if
// other programs used the processors meanwhile, the warning says "may".
//
// # When it misleads
//
// The limits of package compare apply. In addition: the benchmark's own set-up
// and its choice of input are the user's; a benchmark whose cost depends on the
// number of iterations is compared at one number only, which the result states;
// the share of other processes is the work of the machine beyond our own, which
// is wrong if processes of ours outlive their parents.
package benchmarks
