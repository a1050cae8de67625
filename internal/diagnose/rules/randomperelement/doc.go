// Package randomperelement is the rule that finds loops which draw a random
// number for each character of a text: for a session id, a token, a code.
//
// It reads CPU samples in the packages of random numbers (math/rand,
// math/rand/v2, crypto/rand) and the statement of the user's own loop above
// them, with functions of the user's own in between. What the statement makes of
// a number is read in the source: a character of an alphabet that it indexes, or
// a constant character plus the number, set, appended or written once in each
// round. The call that draws may have any name: the samples below it say what it
// does.
//
// The share that goes is arithmetic: the 63 bits of one draw number up to
// 256 characters seven times, as 256^7 = 2^56, and up to 64 characters ten
// times, as 64^10 = 2^60.
//
// It misleads where the text of an alphabet that is not at hand is longer than
// 256 characters, and where a caller wants one draw for each character, to
// repeat what a seed gave before.
package randomperelement
