// Package benchmark reads and writes the text of `go test -bench`.
//
// It answers what each benchmark measured, from the lines a test binary
// prints, also from lines that the benchmark itself broke by printing: the
// testing package writes a benchmark's name, runs it, and only then writes the
// figures, so that whatever the benchmark prints stands between the two.
//
//	BenchmarkX-2   	hello
//	    1000	      1234 ns/op	      16 B/op	       1 allocs/op
//
// A [Parser] takes output as it comes, in bounded memory, and remembers the
// name until the figures follow. Lines that hold no result are passed over.
// The format is https://go.dev/design/14313-benchmark-format; the tests hold
// the parser against golang.org/x/perf/benchfmt, which reads clean lines only.
//
// # When it misleads
//
// The suffix -8 of a name is GOMAXPROCS when the benchmark ran on eight
// processors, and part of the name when it ran on one: the text does not tell.
// Whoever knows says so to [Parser.Lines]; else a suffix counts as processors.
//
// A benchmark that prints a number without a newline just before its figures
// can spoil the iteration count. Such a result is dropped where that shows, as
// in "0.12345678"; a digit put before a count of eight or more does not show.
// A program can print lines that look like results. Callers that know which
// benchmark they ran keep only its lines.
package benchmark
