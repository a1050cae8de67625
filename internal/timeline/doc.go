// Package timeline holds the events of a trace so that they can be drawn at any
// scale: intervals of goroutines and of the collector, the activity of each
// processor, and the number of goroutines in each state.
//
// Its input are intervals in the order of their ends. Its memory is bounded however
// many there are: processors are a pyramid of bins, from the whole span down to the
// finest bin; the numbers of goroutines and the heap are curves of [Points] points;
// and single intervals are kept only within windows, up to a given number.
//
// It misleads below the finest bin outside of those windows: a bin has the running
// time of a processor and its main activity, not their order.
package timeline
