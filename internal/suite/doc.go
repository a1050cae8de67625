// Package suite runs the benchmarks of many packages and makes one recording of
// them, and adds their results to a history.
//
// It answers what each benchmark takes and where that goes, from patterns of
// packages as the go command knows them. Every package's test binary is built
// first. Then the benchmarks run in rounds, as many as -count says: in each,
// every benchmark of every package once, a process of its own for each
// top-level benchmark and number of processors, so that the samples of one
// benchmark are spread over the whole run instead of standing in a row, where
// one disturbance meets them all. After the rounds each benchmark is profiled,
// in further processes: what a profiler costs is in no timing. These make as
// many calls as the timing did, so that no search for b.N is in the profile.
//
// A package that does not build, tests that fail, a benchmark that panics or
// hangs: it is reported, and the others go on.
//
// # When it misleads
//
// Results of one run are of one hour of one machine: two such runs differ by
// more than their samples show (docs/prove.md compares in turns). A history has
// the same weakness at every point, which is why its changes are judged by the
// scatter between points alone.
//
// Sub-benchmarks run in the process of their parent when they are timed, as
// under go test, and each in its own when they are profiled.
package suite
