// Package bench prints benchmarks: each result as `go test -bench` prints it while
// they run, where time and memory go, and the history of results by revision as
// plots for a terminal and as one SVG.
//
// Its input is a [Page] of one run or a [History]. A change in a history is named
// with its p-value and with what else changed then; the plot's band is the range
// of the values, not an interval of confidence.
package bench
