// Package regexpcompile is the rule that finds regular expressions compiled again and
// again although the pattern does not change.
//
// It reads the samples below the functions of package regexp that compile, and the
// types, to find the pattern: a constant, a package variable that nobody changes, an
// element of a constant list, a value that the surrounding loop does not change, or a
// parameter for which the caller in the stack passes one of these. In
// regexp.MatchString and the like only the compilation is avoidable; the matching
// remains.
//
// A pattern from the caller's data is never claimed: whether a cache of compiled
// expressions pays depends on the number of distinct patterns, and an unbounded cache
// is worse than none. For a hot place, the report names the compilation in each call as
// the cause.
//
// It misleads where one line has several statements.
package regexpcompile
