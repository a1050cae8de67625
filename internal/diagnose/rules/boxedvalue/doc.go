// Package boxedvalue has two rules on values that are converted to interfaces and so
// allocated in each call: arguments passed as parameters of type any, and values put
// into a sync.Pool in place of pointers.
//
// They read the CPU profile below runtime.convT, the allocation profile at the
// statement itself, and the compiler diagnostics: the value must escape to the heap,
// which leaves out constants, small numbers and values on the stack. Of the blocks of a
// statement only those of the value's size count, and none if something else in the
// statement may allocate.
//
// They mislead where other callers need a parameter of type any, which one function
// does not show. If the value is mostly zero or a number below 256, nothing is
// allocated, and the profiles show nothing.
package boxedvalue
