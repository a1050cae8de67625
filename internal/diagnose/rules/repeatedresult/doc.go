// Package repeatedresult is the rule that finds a result that is dear, depends
// on nothing but arguments that can be compared, and is computed in every call.
//
// No profile knows how many different arguments there were. So what is claimed
// is that the result could be kept, and the words say that the number of distinct
// arguments decides whether that pays.
//
// It reads the base samples of the CPU profile for statements v := f(…) of the
// user's own with a function of the user's own, and of the types whether
// the arguments are plain values: numbers, strings, arrays and structs of them,
// and perhaps a context. Of the statements that qualify on a sample's way the
// outermost takes it. A statement qualifies where the call holds [dearShare] of
// the base and takes [dearCall] of CPU time at least, where package purity finds
// nothing that the result depends on beside the arguments, neither in the source
// nor in the frames below, where the function that gets the result only reads
// it, and where it is not what a look-up has missed.
//
// The time of a call is that of an iteration; a statement in a loop, or in a
// function that is called in one, may run many times in it and is left out.
//
// It misleads where the result depends on what the source does not show: see
// package purity.
package repeatedresult
