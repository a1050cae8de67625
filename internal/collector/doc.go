// Package collector is the verb gc: it reports the work of the garbage collector of
// a Go program, its cost, and settings that would do better.
//
// Its input are logs of GODEBUG=gctrace=1 in files or on the standard input,
// recordings, the metrics of a running program, or a command to run. A sweep runs a
// command or a benchmark with many settings (package search) in random order, until
// it knows the settings that no other beats in both time and memory.
//
// It misleads if a command starts other Go programs: they print into the same stream
// and can be told apart only by their lines, and a sweep sets the environment
// variables of all of them.
package collector
