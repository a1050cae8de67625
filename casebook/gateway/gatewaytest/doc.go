// Package gatewaytest holds what every stage of the gateway has to pass, and
// the benchmarks that compare them.
//
// [Run] is the one table of behaviour: what a body comes down to, what is
// refused and in which words, what the downstream gets and what becomes of its
// answer, the log and the health record, concurrent requests with exact counts,
// and a real server in front of a real downstream that fails in every way there
// is. Expected values are not taken from any stage. [Expect] is a second
// implementation of the rules, by encoding/json alone, for the fuzz target that
// holds all stages together.
//
// [Call] measures the handler with the downstream in the same process: fresh
// requests with bodies of 1 and 100 kB from a seeded generator, a writer that
// does not grow, a log that is dropped. It fails when a stage did not answer,
// log and count every call. What making the requests costs by itself, the same
// benchmark around an empty handler measures in this package's tests. [Session]
// measures the making of a session id with math/rand's own source.
//
// Both are one goroutine calling a function: no connection, no contended lock,
// and a downstream that takes no time. What a stage is worth under load they do
// not say.
package gatewaytest

import (
	"io"

	"whet/casebook/gateway"
)

// New makes a stage's gateway to a downstream that logs to w.
type New func(down gateway.Downstream, w io.Writer, random gateway.Random) gateway.Gateway
