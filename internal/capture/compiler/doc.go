// Package compiler asks the Go compiler about the source of a target: which values
// escape and which calls are inlined ([Diagnostics]), and the types of its imports
// ([View]).
//
// It runs the compiler through go list -export, which compiles the packages and the
// target's tests with -m=2 but links nothing, and prints the same output again for
// results from the build cache. Types are read from the compiler's export data,
// which the go command locates.
//
// # When it misleads
//
// The results describe the present source: a caller that asks long after the build
// must check that the files are still those of the binary. Build flags are those of
// the binary except -cover, which would move positions, and except that -m=2 is
// added to the flags given for all packages in one. A package that fails to compile
// has no diagnostics and no types.
package compiler
