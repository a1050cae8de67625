// Package busywaiting is the rule that finds loops that spin: they only check, again
// and again, whether another goroutine has acted.
//
// The CPU profile shows the cost, the typed source the loop's work. A spinning
// goroutine takes the processor from the one it waits for.
//
// It misleads where a wait is known to be shorter than parking a goroutine, some
// hundred nanoseconds, and the processor has nothing else to do.
package busywaiting
