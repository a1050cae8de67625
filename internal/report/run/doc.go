// Package run prints the results of a run on one page, where the program spends its
// time and what to change: for the terminal (WriteText), for scripts (WriteJSON) and
// for a browser (WriteHTML, one file that loads nothing else).
//
// Its input is a [Page], filled by the code that read the recording. All three print
// the same figures in the same order with the same rounding, and the same Page
// always gives the same bytes: they contain no time of day, no map order and no path
// of this machine.
//
// Package flame draws the flame graphs, from trees of package flamegraph. A
// function's share of CPU samples has a sampling error, the 95 % Wilson interval. It
// misleads if one call lasts for many samples.
package run
