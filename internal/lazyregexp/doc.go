// Package lazyregexp compiles regular expressions on first use.
//
// A program that compiles all of its expressions when it starts pays for them at
// every start. whet has some sixty, which took a quarter of the user time of a short
// run, and a run uses few of them.
//
// It misleads about a wrong expression: the error appears on first use, not at the
// start.
package lazyregexp
