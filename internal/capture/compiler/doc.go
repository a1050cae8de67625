// Package compiler asks the Go compiler and the type checker about the source
// of a target: which values escape and which calls are inlined
// ([Diagnostics]), and what each line calls ([Calls]).
//
// The compiler is run through go list -export, which compiles the packages and
// the target's tests with -m=2 but links nothing, and prints the same again
// when its results come from the build cache. Calls come from go/packages: the
// packages that hold the wanted files are type-checked from source, all they
// import is read from the compiler's export data.
//
// # When it misleads
//
// The answers are about the source as it is now. Whoever asks long after the
// build checks that the files are still those of the binary. Build flags are
// those of the binary except -cover, which would move positions, and except
// that -m=2 is added to the flags given for all packages in one. A package that
// fails to compile has no diagnostics, and incomplete calls.
//
// Callees are static: a method called through an interface is the interface's,
// a func value has no name. Loops are those written as for; recursion is not
// one. Functions called init are numbered in the order the go command lists a
// package's files, which is the compiler's.
package compiler
