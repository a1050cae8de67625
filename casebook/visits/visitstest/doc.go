// Package visitstest holds what every stage of the visit counter has to pass
// and the two benchmarks that compare them.
//
// [Run] is the one table of behaviour: status, headers, body, count and log
// record of GET and POST requests, concurrent requests with exact counts, a
// real server, and each thing that published versions of this handler lost on
// the way to speed. Expected answers are not taken from any stage.
//
// [Reused] and [Fresh] are the benchmarks. Both write to a page that does not
// grow: the growth of a recorder that keeps every answer is a cost of the
// benchmark, and hides what a stage gained. Both log to a writer that drops
// what it gets, and fail when a stage did not count and log every call.
//
//   - Reused calls the handler with one request over and over, as the
//     benchmark that was published with the case did. net/http keeps a parsed
//     form in the request, so a stage that reads it through FormValue parses
//     it once; a stage that reads the query itself does so in every call.
//   - Fresh gives each call a request that nobody has parsed: a copy of a
//     template and its URL. That costs two allocations of its own, measured by
//     the same benchmark around an empty handler in this package's tests.
//
// Both are one goroutine calling a function: no connection, no contended lock.
// What a stage is worth under load they do not say.
package visitstest

import (
	"io"

	"whet/casebook/visits"
)

// New makes a stage's counter, at zero, that logs to w.
type New func(w io.Writer) visits.Counter
