// Package flame draws call trees ([flamegraph.Graph]): as one HTML file in which the
// reader zooms, searches and shows a function's callers and callees, and as SVG,
// static or with a script, with the options of the classic flame graph scripts.
//
// Its input are graphs and the texts beside them; its output is a file that loads
// nothing else. The same input always gives the same bytes.
//
// Every name in a graph comes from a measured program and is untrusted. Control
// characters and characters that reorder text are printed as escapes; markup is
// escaped; the page's content security policy allows no script but its own, by hash;
// links have the scheme of the caller's template.
//
// Colours are chosen by a hash of the name or of its package, so that a function
// looks the same in every graph. They are never the only sign: frames carry their
// names, and in a comparison the change with its sign.
//
// # When it misleads
//
// Frames narrower than a pixel or two are merged into hatched blocks with their
// number: what looks like one frame may be hundreds. The sandwich of the HTML page
// is made of the frames of the page; it lacks the frames in collapsed blocks, and
// the page gives their share of the whole. [flamegraph.Sandwich] is exact.
package flame
