// Package gc prints what the collector did: as text, as JSON, as a page and as a
// picture of its own.
//
// Its input is what package format/gctrace read of a log, or the metrics of a process,
// and what package analyze/gc makes of it. Text, page and picture show the same figures;
// the JSON has every cycle besides.
//
// It misleads where a stream holds several processes: figures are of one of them, the
// one with the most cycles, and a warning says so. Charts of very many cycles are thinned
// to the least and the greatest value of each step of time.
package gc
