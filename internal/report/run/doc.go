// Package run answers where a program spends, and what to change, on one page: for
// the terminal (WriteText), for scripts (WriteJSON) and for a browser (WriteHTML,
// one file that loads nothing from elsewhere).
//
// Its input is a [Page], filled by the code that read the recording. All three
// print the same figures in the same order, with the same rounding, and the same
// Page always gives the same bytes: there is no clock, no map order and no path of
// this machine in them.
//
// Flame graphs are package flame's, of trees that package flamegraph makes.
// Beside a function's share of CPU samples stands its sampling error, the 95 %
// Wilson interval: it misleads where one call lasts for many samples.
package run
