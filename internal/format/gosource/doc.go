// Package gosource reads which functions a Go file declares, and where each begins and
// ends.
//
// Its input is the text of one file, which go/parser reads. A function has the name that
// its symbol has after the package: "F", "(*T).M", "F[...]". Literals are in the order of
// the source, which is that of the numbers the compiler gives them. All variables of a
// file are one function called init, since their literals have no other.
//
// It misleads where a line directive names another file: positions are those of the file
// itself. A file that does not parse has no functions.
package gosource
