// Package prove contains the common part of the proofs of benchmarks, commands
// and services: whether one of two sides is faster, and how certain that is. Each
// kind of proof is a runner in its own package, which defines a slice.
//
// Its input are the options common to all proofs, which it validates, and the
// results of a runner. It draws the seed, keeps the budget, measures with package
// rounds, reports progress, and completes the result: rows, failures, doubts
// about the machine (package analyze/machine), and whether the proof was
// interrupted. Package compare draws the verdicts.
//
// It also starts the commands that a user gives. It splits a command line by the
// rules of a POSIX shell, with quotes and backslashes, but without expansion.
// Syntax that needs a shell, such as a pipe, is refused; as an argument it would
// change what is measured. Use sh -c 'a | b' for it.
//
// When it misleads: see rounds, compare and the runners.
package prove
