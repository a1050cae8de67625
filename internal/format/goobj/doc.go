// Package goobj reads the output of the Go compiler and assembler for a package: an
// archive of object files, as `go list -export` names them.
//
// It answers which symbols an object defines, with what content, and which symbols
// that content refers to. The format is internal to the toolchain and described in
// cmd/internal/goobj of the Go tree. It may change with any release, so an object is
// read only if its first line names a release that this reader supports (see
// [Known]). Anything else is an error, never a guess.
//
// All offsets, lengths and indices are checked once, when an object is read: results
// of the accessors need no further checks. Nothing is copied: symbols are views of
// the input.
//
// # When it misleads
//
// Names of functions in other packages are not in an object: it refers to them by
// package and number, which mean nothing without the other package's object from the
// same build ([Object.Imports] has the fingerprint to check that).
package goobj
