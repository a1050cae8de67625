// Package busywaiting is the rule that finds loops that spin: which do nothing but look
// again and again whether another goroutine has done something.
//
// The CPU profile says what it costs, the typed source what the loop does. Whoever
// spins takes the processor from the one that it waits for.
//
// It misleads where a wait is known to be shorter than parking a goroutine, some
// hundred nanoseconds, and the processor has nothing else to do.
package busywaiting
