// Package statstest holds what every stage of the request statistics has to
// pass, the three benchmarks that compare them, and the seeded generator of
// what they are given.
//
// [Run] is the one table of behaviour: names, answers, counts and times,
// concurrent requests with exact sums, a real server, printed records, and the
// white space that a published stage forgot. Expected names are not taken from
// any stage; [Want] makes them in another way than all of them.
//
// [Name] measures one name, [Simple] and [Advance] one request. Requests are
// new ones, copies of a template and its URL, which costs two allocations that
// the same benchmarks around a handler that does nothing show, in this
// package's tests. The response writer does not grow. All three go round 64
// inputs, for one input alone would be learned by the processor's branch
// prediction. Every benchmark fails when a stage did not do the whole job.
//
// They are one goroutine calling a function: no connection, no contended lock.
// Name asks for no host's name, Advance does in the stages that do.
package statstest

import "whet/casebook/stats"

// New makes a stage that counts in l.
type New func(l *stats.Ledger) stats.Service
