// Package regexpreplace is the rule that finds regular expressions where
// package strings or a loop over the bytes does exactly the same.
//
// It parses the pattern with regexp/syntax and speaks only about forms whose
// equivalent is certain for every input, invalid UTF-8 included (see form):
// a literal, a few literals of which none begins with another, one character
// out of a class, a run of them, each of these alone or at the beginning or end
// of the text. The tests hold each remedy that it writes against package regexp
// on arbitrary input.
//
// It reads the samples below the method called, and the types for how the
// expression was made: a package variable, a field or a local variable that is
// set once, from a constant. Where the expression is compiled in the same
// function for these uses only, the compiling belongs to the place too, so that
// regexp-compile does not repeat it.
//
// Avoidable is what the replacement does without: not the string that is
// returned, and not the search for a literal, which package regexp leaves to
// package strings too. The loop that takes the place of the matcher is not
// subtracted; it costs a few per cent of it.
package regexpreplace
