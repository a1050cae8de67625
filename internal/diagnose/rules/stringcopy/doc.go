// Package stringcopy is the rule that finds string concatenation and copies
// between string and []byte.
//
// It reads the runtime's concatenating and copying functions directly below
// the user's own frame, or below the few functions of the standard library
// that only make such a copy. The allocation profile leaves the runtime's
// frames out: there, an allocation of the statement itself is taken for the
// copy where the statement concatenates or converts and does nothing else that
// allocates (make, append, literals, boxing, a map's element). Without types it
// says what the CPU profile shows, and nothing of bytes.
//
// Conversions that the compiler does without a copy (a map index, a comparison,
// a range) call nothing in the runtime and are never claimed.
//
// A string that a function returns or stores has to be made once. Where the
// bytes it is made of lie in an array, a slice, a pool's memory or a field of
// what the function works for, of which the allocation profile shows less than
// a block in ten iterations, the conversion is that one copy, and no claim; of runes their encoding is one, without the block.
//
// It misleads where one line holds several statements, and where a copy is
// what the program has to keep.
package stringcopy
