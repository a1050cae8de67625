// Package places answers which lines of the user's own code carry a profile's cost,
// and of what that cost is made.
//
// A place is a line. Each sample is charged once, to the innermost frame of the code
// under study on its stack: code below it, in a library or the runtime, runs because
// that line called it. Packages that exist for tests are not charged. Samples
// without such a frame are counted apart: as the work of tests and of the benchmark
// itself, and otherwise by package, that of the outermost frame outside the runtime
// ("net/http" for a connection's own work). Places and these other samples sum to
// the total.
//
// A charge is split in two ways, and both lists sum to it. Callees are the functions
// that the line calls, as in the source ("append" and not runtime.growslice), the
// rest being the line's own. Kinds are sorts of work: the innermost frames of the
// stack decide about the collector's assistance, clearing, allocation, moving and
// system calls, and otherwise the outermost frame below the line that has a kind (a
// copy inside fmt is formatting).
//
// It misleads if the compiler inlined without keeping the frame, if a stack was cut
// at its leaf, and for the line of a small helper that many callers share: the
// helper carries the cost, and the change may belong to a caller.
package places
