// Package prove is what the proofs of benchmarks, commands and services have in
// common: whether one of two sides is faster, and how sure that is. Each of the
// three is a runner in a package of its own, and says what a slice of it is.
//
// Its input are the options of any proof, of which the runners check no more, and
// what a runner hands it as it goes. It draws the seed, keeps the budget, has
// package rounds measure, tells where a proof stands, and enters into the result
// what came of it: rows, failures, doubts about the machine (package
// analyze/machine), the end, well or interrupted. Package compare draws the
// verdicts.
//
// It also starts what a user names by a command line. That is split as a POSIX
// shell splits one, and nothing in it is expanded: quotes and backslashes mean
// what they mean there. What only a shell could do, such as a pipe, is refused and
// not passed on as an argument, since the two would measure different things;
// sh -c 'a | b' runs one.
//
// It misleads where rounds and compare do, which say what a verdict is worth; what
// was measured is told by the runner.
package prove
