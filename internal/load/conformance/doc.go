// Package conformance is the suite that every engine of a load passes.
//
// It answers: does an engine read what servers say, send what it was given, and
// count what became of it? Input is a function that opens an engine; the
// servers are real ones on the loopback, most of them written by hand on
// net.Listener, since net/http's would not misbehave. A case fails where what
// the server counted differs from what the engine recorded, and after every
// case the process must be as before: no connection that a server still sees,
// no goroutine, no file descriptor more.
//
// No case asserts how long anything takes. Loads end by their number of
// requests, or by what a server saw; where an end by time is the subject, counts
// are compared and not times. A server stalls until the other side goes.
//
// # When it misleads
//
// Loopback and one process: segments are not lost or put in another order, and
// a split write may be read in one piece. Only over Unix sockets of Linux does
// the server wait until a piece was read before it sends the next.
//
// Whatever two engines may rightly do differently is not looked at: which
// connection sends which request, the order of header fields, and how many
// requests a connection has served when a server closes it without saying so.
package conformance
