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
// Why whet does not hand these files to google/pprof's parser (measured with
// Go 1.26 on two busy cores, in turns): it is what the tests compare with, and
// was tried as the reader. Its package compiles 19 regular expressions when the
// program starts, needed or not: 0.26 to 0.45 ms and 1,167 allocations, which
// took whet version from 4.7 to 5.2 ms of processor time (best of 150 runs
// each), and 240 kB of binary. It refuses a text for one malformed line, and
// reads 44% of the beginnings of havlak4's CPU profile, where whet reads all.
// And it has no limits: 16,000 lines of "v1=x" in a memory map (133 kB) keep it
// busy for 30 s, whet for 11 ms, as it builds its table of variables anew for
// each; 60 MB of "1 @ 0x1" take 1.8 GB. To bound that, one has to read the text
// first, and names and labels need it read as well.
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
