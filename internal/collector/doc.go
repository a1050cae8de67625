// Package collector is the verb gc: it answers what the collector of a Go program does,
// what that costs, and which settings would do better.
//
// Its input are logs of GODEBUG=gctrace=1, files or the standard input, recordings, the
// metrics of a running program, or a command that is run for it. A sweep runs a command,
// or a benchmark, with one setting after the other (package search), in an order drawn by
// lot, until the settings that are not beaten by another in both time and memory are
// known.
//
// It misleads where a command starts other Go programs: they print into the same stream,
// are told apart by their lines alone, and a sweep sets the variables of all of them.
package collector
