// Package profiles opens profiles: it answers what the operands of a view hold,
// whatever they are written in and wherever they lie.
//
// An operand is a file, - for the standard input, a URL of net/http/pprof or a
// recording. [Options.Open] reads them all into one [Set], each profile with its
// role, measured or a base. What a file is, its first bytes tell: pprof's
// format, packed or not, old texts of pprof and of C++ and Java, dumps of
// goroutines, perf script or folded stacks ([Read]). Addresses without names are
// given those of the program or of the recording's copy of it, and of the
// libraries where PPROF_BINARY_PATH has them. A Set finds the sources
// ([Set.Resolver]) and the program ([Set.BinaryOf]) of its frames.
//
// It misleads about a program that is not the profile's where neither has a
// build id: lines and instructions are then another's.
package profiles
