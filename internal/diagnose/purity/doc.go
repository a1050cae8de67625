// Package purity answers, for rules, whether a function gives the same result for the
// same arguments again and changes nothing that its caller sees.
//
// It reads two things. The source of the function, and of those functions of the user's
// own that it calls, to a depth of [maxDepth]: there must be no assignment to a package
// variable, or to anything reached through a receiver or parameter that is not new in
// the call; no channel, lock or atomic; no call whose result differs from call to call
// (the clock, random numbers, files, connections, a database); and no read of data that
// other functions of the program change after it was made. And the frames below it in a
// profile ([OfItsArguments]), which show what the source does not: the inside of other
// modules, and calls through interfaces.
//
// Whether a value is new in a call depends on how its variable starts: a literal, make,
// new, the result of a function; the result of a method is new only if its receiver is.
// For called functions whose source is not available, in other modules or in files
// without samples, the name decides whether they change their receiver or an argument.
//
// It misleads where a library keeps state under an innocent name, where memory is
// changed through an alias that the source of the same package does not show, and where
// a rare path without samples reads the clock in another module. So it can report that
// there is no evidence against purity, but not that a function is pure.
package purity
