// Package gobench finds a Go package, builds its test binary, and runs its
// benchmarks, one process at a time.
//
// It answers what a benchmark measured, or in one line why it measured
// nothing. The input is an operand as a user types it: a directory, or a
// package path. The package asks the go command what that is, has it build
// the test binary once, and runs the binary itself with the flags that go
// test would pass, in the package's directory, so that what is measured is
// what `go test -bench` measures. Names of benchmarks become patterns that
// match them and nothing else.
//
// Every way a run can end is turned into a [Result] or an [*Error]: panics,
// failures, time limits, exits, signals, endless output, no result. The
// one-line text never holds a stack trace; that goes into Detail, bounded.
//
// # When it misleads
//
// Test binaries carry no version control stamp; revision and dirty state are
// those of the module's directory when the binary was built, and unknown when
// git does not track it.
//
// TestMain and package initialisation run in every process, also for a list
// of benchmarks, and count in its CPU time and memory.
//
// A sub-benchmark called "a" cannot be run without its siblings called "a/b":
// patterns go by the slashes. Their results come with it.
//
// A benchmark that ends the process after its result was printed is reported
// as failed, beside its result: profiles may not have been written.
package gobench
