// Package stringcopy is the rule that finds string concatenation and copies between
// string and []byte.
//
// It reads the runtime's concatenating and copying functions directly below the user's
// own frame, or below the few functions of the standard library that only make such a
// copy. The allocation profile omits the runtime's frames: there, an allocation of the
// statement itself is taken for the copy if the statement concatenates or converts and
// does nothing else that allocates (make, append, literals, conversions to interfaces,
// a map's element). Without types it reports the CPU profile, and no bytes.
//
// Conversions that the compiler does without a copy (a map index, a comparison, a
// range) call no function of the runtime and are never claimed.
//
// A string that a function returns or stores has to be allocated once. If it is built
// in an array, a slice, a pool's memory or a field of the function's receiver, for
// which the allocation profile shows less than a block in ten iterations, the
// conversion is that one copy, and there is no claim; with runes, the claim is their
// encoding, without the block.
//
// It misleads where one line has several statements, and where the program needs the
// copy.
package stringcopy
