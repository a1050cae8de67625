// Package gc analyzes the collector's log of one process: how large the heap was and
// how fast the program allocated, what share of the processors' time the collector
// took and from whom, how long the program was stopped, and what to do about it.
//
// Its input are the cycles and initializations that package format/gctrace reads,
// and the memory limit if known: the log does not have it.
//
// Shares are of the processors' time: GOMAXPROCS times the time that the cycles
// span. The collector takes stops of the world, background workers and assists from
// the program (an assist is marking by a goroutine that allocates faster than the
// workers mark); marking by idle processors costs the program nothing and is
// reported separately. The runtime's own figure at the head of each line is the same
// share since the start of the program, without the time that stopping the world
// takes.
//
// Allocation is the growth of the heap: from the live heap after a cycle to the
// beginning of the next one, and during its marking.
//
// # When it misleads
//
// The runtime rounds sizes down to MiB: for a heap of a few MiB, live and allocated
// bytes have an error of about a third. Sweeping is in no figure: the log does not
// have it. Without a known limit, a goal close above the live heap may also come
// from a small GOGC. A live heap that grows for some seconds may be a cache that
// fills: the log only shows that it grew to the end.
package gc
