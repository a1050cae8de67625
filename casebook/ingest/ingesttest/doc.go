// Package ingesttest holds what every stage of the intake has to pass, the
// seeded bodies, and the benchmarks that compare the stages.
//
// [Run] is the one table of behaviour: answers, reports and what the sink was
// given, for bodies that are whole, cut off, too large or too slow, whose size
// is said or not, and that come in pieces of any length; concurrent requests,
// a real server, and each thing that published versions got wrong. What is
// expected is written out in the table, or comes from [Expect], which reads
// JSON through encoding/json and shares no code with any stage.
//
// [Bulk] and [Take] are the benchmarks, over bodies of [Body]: as many bytes as
// asked for, of documents like a log's, the same in every run.
//
//   - Bulk is the whole handler, a fresh request each time, in front of an
//     [ingest.Check], which reads everything once; that is part of the figure.
//     Making the request is too: BenchmarkEmptyBulk in this package's tests
//     measures what that takes by itself.
//   - Take is the taking in of the body alone. Its user looks at nothing but
//     the length of what it is handed, and the reader is the same each time:
//     what is allocated is the stage's.
//
// Both read the body from a [Reader], which copies it out of half a megabyte
// that stays in the processor's cache. That copy is the least that any stage
// can do, and stands in for the one out of a socket.
package ingesttest

import "whet/casebook/ingest"

// New makes a stage's intake in front of a sink.
type New func(sink ingest.Sink) ingest.Intake
