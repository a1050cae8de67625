// Package escapingstruct is the rule that finds local structs which are on the heap
// because the address of one of their fields is passed to other code: a variable that
// collects everything about a request, with one field that is passed to a decoder.
//
// It reads the allocation profile at statements that declare a variable of the user's
// own struct type and can allocate only that variable: a block there is what the
// compiler calls "moved to heap". The source shows why it was moved: the rule follows
// every use of the variable, into methods and functions of the user's own too, and
// reports nothing if it does not understand one. The types give the sizes of the
// fields.
//
// The saved share is arithmetic: the block without these fields, which are allocated
// separately after the change.
//
// It misleads where a call through an interface always reaches the same function, which
// the compiler knows and the source of one function does not show, and where the callee
// keeps the address and uses it later, so that a copy would behave differently.
package escapingstruct
