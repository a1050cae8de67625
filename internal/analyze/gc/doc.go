// Package gc says what the collector's log of one process means: how large the heap was
// and how fast it was filled, what the collector took of the processors' time and from
// whom, how long the program stood still, and what to do about it.
//
// Its input are the cycles and initializations that package format/gctrace reads, and
// the memory limit where that is known: the log does not name it.
//
// Shares are of the processors' time: GOMAXPROCS times the time that the cycles span.
// What the collector takes from the program is stops of the world, background workers
// and assists (marking that a goroutine is made to do when it allocates faster than the
// workers mark); what idle processors mark costs the program nothing and stands apart.
// The runtime's own figure at the head of each line is the same share since the start
// of the program, without the time that it takes to stop the world.
//
// What was allocated is what the heap grew by: from what was alive after a cycle to the
// beginning of the next one, and while that marked.
//
// # When it misleads
//
// The runtime rounds sizes down to MiB: of a heap of a few MiB, bytes that were alive
// and bytes allocated are known to a third or so. Sweeping is in no figure: the log does
// not have it. Without a limit that is given, a goal close above what is alive may also
// come from a small GOGC. A live heap that grows for some seconds may be a cache that
// fills: what the log shows is that it grew to the end.
package gc
