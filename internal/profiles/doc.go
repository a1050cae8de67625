// Package profiles opens profiles of any format from any source, for the operands of
// a view.
//
// An operand is a file, - for the standard input, a URL of net/http/pprof or a
// recording. [Options.Open] reads them all into one [Set], each profile with its
// role, measured or a base. It recognizes a file by its first bytes: pprof's format,
// compressed or not, old texts of pprof and of C++ and Java, dumps of goroutines,
// perf script or folded stacks ([Read]). It names addresses without symbols from the
// program or the recording's copy of it, and from libraries in PPROF_BINARY_PATH. A
// Set finds the sources ([Set.Resolver]) and the program ([Set.BinaryOf]) of its
// frames.
//
// It misleads about a program that is not the profile's if neither has a build id:
// its lines and instructions are then wrong.
package profiles
