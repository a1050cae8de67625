// Package equalcalls is the rule that finds requests that ask somebody else again and
// again for the same kind of thing: a query for each row of another query, a call for
// each item of a list.
//
// The execution trace has what a request waits for: the rule counts, in requests that
// lie whole in it, the waits for answers whose stacks are equal down to the line. A
// wait is one between a request that a client of HTTP, SQL or gRPC sends and the
// beginning of the answer; those for the rest of an answer are not counted.
//
// It misleads where each call needs the answer to the one before, as with pages: then
// fewer calls need larger pages. One call may wait twice, so that the number of waits
// is said and not that of calls.
package equalcalls
