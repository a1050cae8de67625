// Package repeatedresult is the rule that finds an expensive result that depends only
// on comparable arguments, and is computed in every call.
//
// No profile shows how many different arguments there were. So the rule claims only
// that the result could be kept, and says that the number of distinct arguments decides
// whether that pays.
//
// It reads the base samples of the CPU profile for statements v := f(…) of the user's
// own with a function of the user's own, and the types, to check that the arguments are
// plain values: numbers, strings, arrays and structs of them, and perhaps a context. Of
// the statements that qualify on a sample's stack it charges the outermost. A statement
// qualifies if the call takes [dearShare] of the base and [dearCall] of CPU time at
// least, package purity finds no dependency of the result beside the arguments, neither
// in the source nor in the frames below, the calling function only reads the result,
// and the call does not fill a cache after a miss.
//
// The time of a call is that of an iteration; a statement in a loop, or in a function
// that is called in one, may run many times in it and is left out.
//
// It misleads where the result depends on something that the source does not show: see
// package purity.
package repeatedresult
