// Command pprof says what google/pprof prints, for tests that compare whet with
// it: in a process of its own it runs without the race detector, under which it
// takes ten times as long.
//
// Its standard input are requests as JSON, one after the other: first the two
// profiles of a subject, then command lines on them, in which "measured" and
// "base" name the profiles. The answers on its standard output are JSON, too: what
// was printed, and pprof's error. It ends with its input.
//
// As pprof in any process it keeps options for the next run, so that a request
// has to name all that it depends on. It misleads where pprof looks at the
// machine: it is given no tools, and no server is asked.
package main
