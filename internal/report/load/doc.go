// Package load prints the results of an HTTP load: response and service times,
// throughput, errors, the knee and each second, as text, JSON, CSV, as one HTML
// page, and as lines of a terminal while the load runs.
//
// Its input is a [Page] of one run, or of several, which it compares with the first.
// Text, JSON and page print the same figures with the same rounding.
//
// It misleads if the generator was the bottleneck: every page then begins with a
// warning that the run is not valid.
package load
