// Package presize is the first step: memory for the whole body at once, of the
// size that the request says. Nothing grows and nothing is copied, and still
// each request leaves 5 MB to the collector.
//
// The buffer has the 512 bytes to spare that bytes.Buffer wants before a Read
// that finds the end. Without them the last Read of a buffer of just the right
// size doubles it, and copies the body into memory that it does not need.
//
// A request that does not say its size is read as in the original. One that
// says more than it sends is given what it says, up to [ingest.MaxBody].
package presize
