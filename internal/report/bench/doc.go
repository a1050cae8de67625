// Package bench prints benchmarks: each result as `go test -bench` prints it while
// they run, the costs in time and memory, and the history of results by revision as
// plots for a terminal and as one SVG.
//
// Its input is a [Page] of one run or a [History]. A change in a history comes with
// its p-value and with the other things that changed then. The plot's band is the
// range of the values, not a confidence interval.
package bench
