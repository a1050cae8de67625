// Package suite runs the benchmarks of many packages into one recording, and adds
// their results to a history.
//
// It answers the cost of each benchmark and its distribution, for patterns of
// packages as the go command matches them. Every package's test binary is built
// first. Then the benchmarks run in rounds, as many as -count gives: in each,
// every benchmark of every package once, with a process of its own for each
// top-level benchmark and number of processors, so that the samples of one
// benchmark are spread over the whole run; in a row, one disturbance would affect
// them all. After the rounds each benchmark is profiled, in further processes, so
// that no timing includes the cost of a profiler. These run as many iterations as
// the timing did, so that no search for b.N is in the profile.
//
// A package that does not build, tests that fail, and a benchmark that panics or
// hangs are reported, and the others go on.
//
// # When it misleads
//
// Results of one run are of one hour of one machine: two such runs differ by more
// than their samples show (package prove alternates instead). A history has the
// same weakness at every point, and so its changes are judged by the scatter
// between points alone.
//
// Sub-benchmarks run in the process of their parent when they are timed, as under
// go test, and each in its own when they are profiled.
package suite
