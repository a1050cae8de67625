// Package slices is the loop finder after its second step: sets are slices
// that are searched from the front, and a loop's work list is the set of what
// is in it, read while it grows.
//
// That is fast because the sets are small. A block with thousands of
// predecessors, or a loop with thousands of blocks that are in no loop inside
// it, takes quadratic time here.
package slices
