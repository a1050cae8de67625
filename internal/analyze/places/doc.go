// Package places answers which lines of the user's own code carry a profile's
// cost, and of what that cost is made.
//
// A place is a line. Each sample is charged once, to the innermost frame of the
// code under study on its stack: code below it, of a library or of the runtime,
// is what that line asked for, unless it is of a package that is there for
// tests. What has no such frame is counted apart: the
// work of tests and of the benchmark itself, and else by package, that of the
// outermost frame outside the runtime ("net/http" for a connection's own work).
// Places and what is counted apart sum to the samples that were charged.
//
// A charge is taken apart twice, and both lists sum to it. Callees are the
// functions that the line calls, as the source has them ("append" and not
// runtime.growslice), the rest being the line's own. Kinds are sorts of work:
// the collector's assistance, clearing, allocation, moving and system calls are
// told by the innermost frames of the stack, all else by the outermost frame
// below the line that has a kind (a copy inside fmt is formatting).
//
// It misleads where the compiler inlined without keeping the frame, where a
// stack was cut at its leaf's side, and where a line is that of a small helper
// that many callers share: the helper carries the cost, and the change may
// belong to a caller.
package places
