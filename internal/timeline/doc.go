// Package timeline holds what happened when, so that it can be drawn at any scale:
// intervals of goroutines and of the collector, what each processor did, how many
// goroutines were in which state.
//
// Its input are intervals in the order of their ends. What comes of them is bounded
// however many there are: processors are a pyramid of bins, from the whole down to a
// finest bin; numbers of goroutines and the heap are courses of [Points] points; and
// intervals themselves are kept within windows, as many as were asked for.
//
// It misleads below the finest bin outside of those windows: a bin says how much of it
// a processor ran and for what the most, not in which order.
package timeline
