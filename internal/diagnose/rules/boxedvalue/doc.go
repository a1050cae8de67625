// Package boxedvalue holds two rules about values that are put into interfaces and
// allocate a block in each call: those handed to a parameter of type any, and those
// that a sync.Pool is given in place of pointers.
//
// They read the CPU profile below runtime.convT, the allocation profile at the
// statement itself, and the compiler's text: it must say that the value escapes to
// the heap, so that constants, small numbers and what stays on the stack are left
// alone. Of the blocks of a statement only those of the value's size count, and none
// where something else in the statement may allocate.
//
// They mislead where a parameter of type any is there for the sake of other callers,
// which one function does not show; where the value is a zero or a number below 256
// most of the time no block is taken, and the profiles show none.
package boxedvalue
