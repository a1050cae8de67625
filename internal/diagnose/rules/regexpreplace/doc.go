// Package regexpreplace is the rule that finds regular expressions where package
// strings or a loop over the bytes does exactly the same.
//
// It parses the pattern with regexp/syntax and reports only forms whose equivalent is
// certain for every input, including invalid UTF-8 (see form): a literal, a few
// literals of which none is a prefix of another, one character of a class, a run of
// them, each of these alone or at the beginning or end of the string. The tests compare
// each remedy with package regexp on arbitrary input.
//
// It reads the samples below the called method, and the types, to find how the
// expression was made: a package variable, a field or a local variable that is set
// once, from a constant. If the expression is compiled in the same function only for
// these uses, the compilation belongs to the place too, so that regexp-compile does not
// report it again.
//
// The matcher's work is avoidable, but not the returned string, and not the search for
// a literal, which package regexp leaves to package strings too. The loop that replaces
// the matcher is not subtracted; it takes a few per cent of the matcher's time.
package regexpreplace
