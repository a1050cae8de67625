// Package gosource lists the functions that a Go file declares, with the lines at
// which each begins and ends.
//
// Its input is the text of one file, which go/parser parses. A function has the name
// of its symbol without the package: "F", "(*T).M", "F[...]". Function literals are
// in source order, which is also the order of the compiler's numbers. The variables
// of a file form one function called init, since their literals have no other.
//
// It misleads if a line directive names another file: positions are those of the
// file itself. A file that does not parse has no functions.
package gosource
