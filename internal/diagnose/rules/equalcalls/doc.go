// Package equalcalls is the rule that finds requests that repeat the same kind of call
// to another service: a query for each row of another query, a call for each item of a
// list.
//
// The execution trace shows the waits of a request: the rule counts, in requests that
// lie completely in it, the waits for replies whose stacks are equal down to the line.
// Such a wait lies between a request sent by a client of HTTP, SQL or gRPC and the
// beginning of the reply; waits for the rest of a reply do not count.
//
// It misleads where each call needs the reply to the one before, as with pages: then
// fewer calls need larger pages. One call may wait twice, so the finding gives the
// number of waits, not of calls.
package equalcalls
