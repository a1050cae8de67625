// Command pprof prints the output of google/pprof for tests that compare whet with
// it. It is a separate process, without the race detector, under which pprof takes
// ten times as long.
//
// Its standard input is a sequence of queries as JSON: first the two profiles of a
// fixture, then command lines on them, in which "measured" and "base" name the
// profiles. For each it writes a reply as JSON: the output, or pprof's error. It
// ends with its input.
//
// Like pprof in any process it keeps options for the next query, so that a query
// must name all options it depends on. It misleads where pprof depends on the
// machine: it has no tools and asks no server.
package main
