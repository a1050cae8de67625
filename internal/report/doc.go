// Package report answers where a program spends, and what to change, on one
// page: for the terminal (WriteText), for scripts (WriteJSON) and for a browser
// (WriteHTML, one file that loads nothing from elsewhere).
//
// Its input is a [Page], filled by whoever read the recording. All three print
// the same figures in the same order, with the same rounding, and the same Page
// always gives the same bytes: there is no clock, no map order and no path of
// this machine in them.
//
// Every name on a page comes from a measured program and is untrusted. Control
// characters, terminal escapes and characters that reorder text are printed as
// escapes by all three renderers; HTML is escaped by html/template, and the
// page's policy allows no script but its own, by hash.
//
// Flame graphs are package flame's, of trees that package flamegraph makes.
//
// Charts over time are SVG that the program draws, thinned to the least and the
// greatest value of each pixel column; what is unknown is a gap. Beside a
// function's share of CPU samples stands its sampling error, the 95 % Wilson
// interval: it misleads where one call lasts for many samples.
package report
