// Package prove is the part that the proofs of benchmarks, commands and services
// share: whether one of two sides is faster, and how certain that is. Each kind of
// proof is a runner in its own package, which defines what a slice of it is.
//
// Its input are the options common to all proofs, which it validates, and the
// results of a runner. It draws the seed, keeps the budget, measures with package
// rounds, reports progress, and completes the result: rows, failures, doubts about
// the machine (package analyze/machine), and whether the proof was interrupted.
// Package compare draws the verdicts.
//
// It also starts the commands that a user gives. A command line is split as a POSIX
// shell splits it, with quotes and backslashes, but without expansion. Syntax that
// needs a shell, such as a pipe, is refused rather than passed on as an argument,
// which would measure something else; sh -c 'a | b' runs one.
//
// It misleads where rounds, compare and the runners do: see their comments.
package prove
