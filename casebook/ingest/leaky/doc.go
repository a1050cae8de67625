// Package leaky is the published end of the tuning: buffers of 5 MiB that are
// used again, from a free list that holds a few and lets the rest go (a leaky
// buffer). A body is read into memory that is there already.
//
// What was published handed out slices of a buffer that had gone back to the
// list, so that documents changed under the one who was sending them. Here, as
// in every stage, a buffer goes back when the sink has returned.
//
// Two costs are the stage itself, and are kept. A request of a few bytes that
// finds the list empty allocates 5 MiB. And there is a cliff: bytes.Buffer wants
// 512 bytes to spare before the Read that finds the end, so a body of exactly
// 5 MiB, or up to 511 bytes less, doubles the buffer; one that has grown is not
// put back, or the list would in time hold nothing else. So that body, and
// every larger one, pays for a new buffer and for its growth each time.
package leaky
