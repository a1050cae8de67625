// Package purity answers, for rules, whether a function gives the same result
// for the same arguments again and changes nothing that its caller sees.
//
// It reads two things. The source of the function, and of those functions of
// the user's own that it calls, to a depth of [maxDepth]: there must be no
// assignment to a package variable, or to anything reached through a receiver or
// parameter that is not new in the call; no channel, lock or atomic; no call of
// what differs from call to call (the clock, random numbers, files, connections,
// a database); and nothing may be read that other functions of the program
// change after it was made. And the frames below it in a profile
// ([OfItsArguments]), which show what the source does not: the inside of other
// modules, and what is called through interfaces.
//
// What is new in a call is told by how a variable starts: a literal, make, new,
// the result of a function; what a method gives is new only if its receiver is.
// Of what is called and has no source at hand, in other modules or in files that
// no sample fell into, the name tells whether it changes its receiver or an
// argument.
//
// It misleads where a library keeps state behind an innocent name, where memory
// is changed through an alias that the source does not show in the same package,
// and where a rare path that no sample caught asks for the clock in another
// module. So it can say that nothing speaks against purity, and not that a
// function is pure.
package purity
