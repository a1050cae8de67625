// Package randomperelement is the rule that finds loops which draw a random number for
// each character of a string: a session id, a token, a code.
//
// It reads CPU samples in the packages of random numbers (math/rand, math/rand/v2,
// crypto/rand) and the statement of the user's own loop above them, with functions of
// the user's own in between. The source shows how the statement uses a number: it
// indexes an alphabet, or adds the number to a constant character, and sets, appends or
// writes the result once in each round. The call that draws may have any name: the
// samples below it show what it does.
//
// The saved share is arithmetic: the 63 bits of one draw number up to 256 characters
// seven times, as 256^7 = 2^56, and up to 64 characters ten times, as 64^10 = 2^60.
//
// It misleads where an alphabet whose source is not available is longer than 256
// characters, and where a caller wants one draw for each character, to reproduce the
// sequence of a seed.
package randomperelement
