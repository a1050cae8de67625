// Package house answers one question: does every package stand on its floor?
//
// The floors are those of the plan in plan.go. A package imports only from
// floors below its own, the two sides of the second floor never import each
// other, and a floor that is meant to be pure (bytes in, model out) has no
// clock, no network, no commands and no files. The tests of this package read
// the modules with `go list` for imports, once for each system whet is built
// for, and the syntax trees of all files for calls, and fail with the file, the
// line and what to do. They also look at the shape of the code: a doc.go in
// every package, no file that should be two, no package named for nothing, no
// variable that one part of the program can set under another, and no path of
// one machine in the text.
//
// The functions here are pure so that a test can hand them a module that does
// not exist and see each rule break; only the tests touch the disk.
//
// It misleads in two ways. A call is found by the name its import has in the
// file, without type information, so a local variable named time is taken for
// the package; rename the variable. And what a package reaches through someone
// else's library is not followed: an analysis that imports a library with a
// network in it would pass.
package house
