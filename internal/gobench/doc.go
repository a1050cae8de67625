// Package gobench finds a Go package, builds its test binary, and runs its
// benchmarks, one process at a time.
//
// It answers what a benchmark measured, or in one line why it measured nothing.
// The input is an operand as a user types it: a directory, or a package path. The
// package resolves it with the go command, builds the test binary once, and runs
// the binary itself with the flags of go test, in the package's directory, so
// that it measures the same as `go test -bench`. Names of benchmarks become
// patterns that match them and nothing else.
//
// Every end of a run becomes a [Result] or an [*Error]: panics, failures, time
// limits, exits, signals, endless output, no result. The one-line text never
// contains a stack trace; that is in Detail, bounded.
//
// # When it misleads
//
// Test binaries have no version control stamp; revision and dirty state are those
// of the module's directory at the time of the build, and unknown if git does not
// track it.
//
// TestMain and package initialization run in every process, also when benchmarks
// are only listed, and count in its CPU time and memory.
//
// A sub-benchmark called "a" cannot be run without its siblings called "a/b",
// because patterns are matched between slashes. Their results are included.
//
// A benchmark that ends the process after its result was printed is reported as
// failed, in addition to its result: profiles may not have been written.
package gobench
