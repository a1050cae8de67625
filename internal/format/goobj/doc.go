// Package goobj reads what the Go compiler and assembler make of a package: an
// archive of object files, as `go list -export` names them.
//
// It answers which symbols an object defines, with what content, and which
// symbols that content refers to. The format is the toolchain's own and is
// described in cmd/internal/goobj of the Go tree; it may change with any
// release, and so objects are read only where their first line names a release
// that this reader was written for (see [Known]). Everything else is an error,
// never a guess.
//
// All offsets, lengths and indices are checked once, when an object is read:
// what the accessors return needs no checking again. Nothing is copied: symbols
// are views of the bytes that were handed in.
//
// # When it misleads
//
// Names of functions in other packages are not in an object: it refers to them
// by package and number, and the number says nothing without that package's own
// object of the same build ([Object.Imports] has the fingerprint to check that).
package goobj
