// Package legacy reads the profiles of Go before protocol buffers and those of
// gperftools, whose formats Go had taken over: CPU profiles as machine words,
// and the texts that net/http/pprof still answers with debug=1: heap,
// goroutine, threadcreate, mutex and contention profiles.
//
// [Read] makes of them what google/pprof makes, sample for sample: heap
// profiles are scaled up from their sampling rate, delays from cycles to
// nanoseconds; return addresses point one byte back, to the call; the frame
// that a signal handler leaves on every stack of a CPU profile is taken out;
// addresses lie in the mappings of the memory map after the samples, or in
// one that holds everything.
//
// It reads more than pprof does: the function names and lines in the comments
// below each stack (Go prints them since 1.2), the labels of goroutines, and
// damaged files, as far as they make sense, with a warning of what was left
// out. Where one address was inlined into the next, both are one location, as
// in the profile that debug=0 would have given; see symbols.go for how that is
// told. Where names are known, the frames that it leaves out are left out, too:
// runtime.goexit, and the runtime's own at the leaf of allocations.
//
// Profiles of Java programs in these formats (heapz, contentionz and CPU) name
// their places after the samples; see java.go.
//
// It misleads where the formats do: bare addresses mean nothing without the
// very binary, a CPU profile with a single sample loses the two frames below
// its leaf to pprof's rule for signal handlers, and debug=1 hides the names of
// the runtime's frames at the leaf, which stay addresses: of a dump of
// goroutines, all that wait end in one.
package legacy
