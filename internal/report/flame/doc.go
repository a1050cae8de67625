// Package flame draws call trees ([flamegraph.Graph]): as one HTML file in which
// one zooms, searches and turns a function inside out, and as SVG, still or with
// a script, with the options that the classic flame graph scripts have.
//
// Input are graphs and what to write beside them; output is a file that loads
// nothing from elsewhere. The same input always gives the same bytes.
//
// Every name in a graph comes from a measured program and is untrusted. Control
// characters and characters that reorder text are printed as escapes; markup is
// escaped; the page's policy allows no script but its own, by hash; links have
// the scheme that the caller's template has.
//
// Colours are chosen by a hash of the name or of its package, so that a function
// looks the same in every graph. They never stand alone: frames carry their
// names, and where graphs are compared, the change with its sign.
//
// # When it misleads
//
// Frames narrower than a pixel or two stand together in hatched blocks that say
// how many they are: what looks like one thing may be hundreds. The sandwich of
// the HTML page is made of the frames that are in it; what lies in collapsed
// blocks is missing there, and the page says how much of the whole that is.
// [flamegraph.Sandwich] is exact.
package flame
