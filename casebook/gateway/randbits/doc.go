// Package randbits is the last published step of the gateway's tuning: a
// session id is made of bytes, ten of them from each random number of 63 bits,
// instead of a rune from each of its own. The rest is as in the step before,
// noescape.
package randbits
