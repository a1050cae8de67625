// Package escapingstruct is the rule that finds local structs which lie on the
// heap because the address of a part of them is handed to somebody else's code:
// all that is known of a request in one variable, one field of which a decoder
// is given.
//
// It reads the allocation profile at statements that declare a variable of a
// struct type of the user's own and can allocate nothing but that variable: a
// block there is what the compiler calls "moved to heap". Why it was moved the
// source says: every use of the variable is followed, into methods and functions
// of the user's own too, and one that is not understood makes the rule silent.
// How large the parts are the types say.
//
// The share that goes is arithmetic: the block without the parts, which are
// allocated by themselves after the change.
//
// It misleads where what is called through an interface is always the same
// function, which the compiler sees and the source of one function does not, and
// where what is called keeps the address and uses it later, so that a copy would
// be another thing.
package escapingstruct
