// Package best is the service with as little left to do as answering a constant
// takes: what a request costs beyond net/http is reading its name and one
// look-up.
//
// What it does beyond package quiet:
//
//   - Answers are kept with their headers made, and found under a lock that
//     requests share (cache.go). A hit allocates nothing.
//   - The cache's bound counts its own bookkeeping too.
//   - Requests that miss the same picture at the same time wait for one drawing
//     of it (flight.go). The one that draws goes on when its client has gone,
//     for the others, and ends when the last of them has gone. If its deadline
//     passes, one of the others draws; if it panics, they are answered 500.
//   - As many pictures are drawn at a time as there are processors, whatever the
//     number of requests (painter.go). Each painter keeps its buffers, so that
//     the memory for drawing is bounded as well. Who waits longer for one than
//     the deadline is answered 503.
//   - Pictures are encoded with a palette. Two colours and the shades between
//     them are at most 256, so that this loses nothing; a picture whose letters
//     overlap, where there may be more, is encoded as in the other stages.
//
// Requests that are answered are not logged, as in package quiet; those refused
// are.
package best
