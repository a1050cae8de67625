// Package load prints what a load of HTTP requests found: response and service
// times, throughput, errors, the knee, each second, as text, JSON, CSV, as one
// HTML page, and as lines of a terminal while the load runs.
//
// Its input is a [Page] of one run or of several beside each other; the first is
// what the others are compared with. Text, JSON and page print the same figures
// with the same rounding.
//
// It misleads where the generator was the bottleneck: then the first thing on
// every page is that the run is not valid.
package load
