// Package lazyregexp compiles regular expressions when they are first asked for.
//
// A program that compiles all of its expressions when it starts pays for them at
// every start. whet has some sixty, which were a quarter of the user time of a
// short run, and no run asks for many.
//
// It misleads where an expression is wrong: that shows when it is first asked
// for, and not at the start.
package lazyregexp
