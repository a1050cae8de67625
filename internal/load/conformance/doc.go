// Package conformance is the test suite that every engine of a load must pass.
//
// It tests whether an engine reads the responses of servers, sends the requests it
// was given, and counts their results. Its input is a function that opens an engine.
// The servers are real ones on the loopback, most of them written by hand on
// net.Listener, since net/http's would not misbehave. A case fails if the counts of
// the server and the engine differ, and after every case the process must be as
// before: no connection that a server still sees, no additional goroutine or file
// descriptor.
//
// No case asserts a duration. Loads end by their number of requests, or by an event
// in a server; a case about the end by time compares counts, not times. A server
// stalls until the other side closes.
//
// # When it misleads
//
// Loopback and one process: segments are not lost or reordered, and a split write
// may be read in one piece. Only over Unix sockets of Linux does the server wait
// until a piece was read before it sends the next.
//
// It ignores permitted differences between engines: which connection sends which
// request, the order of header fields, and the number of requests that a connection
// has served when a server closes it without notice.
package conformance
