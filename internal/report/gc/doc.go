// Package gc prints the work of the garbage collector: as text, as JSON, as a page
// and as a picture.
//
// Its input is a log read by package format/gctrace, or the metrics of a process,
// and their analysis by package analyze/gc. Text, page and picture show the same
// figures; the JSON also has every cycle.
//
// It misleads about a stream of several processes: the figures are those of the
// process with the most cycles, and a warning says so. Charts of very many cycles
// show only the smallest and the largest value of each step of time.
package gc
