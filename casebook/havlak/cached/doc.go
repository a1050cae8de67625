// Package cached is the loop finder after the last published step: the working
// memory of a call, its sets among it, is kept for the next call, and the
// union-find nodes are one slice of values. What a call returns is made anew.
//
// The published program kept that memory in variables of its package, which
// two calls at once would have shared. Here it belongs to a finder and is
// handed out to one call at a time; a call that finds it taken makes its own,
// and the one that comes back last is kept.
package cached
