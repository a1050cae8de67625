// Package regexpcompile is the rule that finds regular expressions compiled
// again and again although the pattern does not change.
//
// It reads the samples below package regexp's functions that compile, and the
// types for what the pattern is: a constant, a package variable that
// nobody changes, an element of a list of constants, something that the loop
// around the call does not change, or a parameter to which the caller in the
// stack gives one of these. Of regexp.MatchString and its like only the
// compilation is avoidable; the matching stays.
//
// A pattern that comes from the caller's data is never claimed: only who knows
// how many different ones there are can say whether a cache of compiled
// expressions would hold them, and an unbounded one is worse than none. That it is
// compiled in each call is said of a hot place, as its cause.
//
// It misleads where one line holds several statements.
package regexpcompile
