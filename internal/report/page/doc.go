// Package page is the kit that every report is built from: text laid out for a
// terminal ([Text]), charts drawn as SVG ([Timeline], [Scale]), words for figures,
// and the shell of an HTML page ([Shell]).
//
// Its input is what a product's package has computed; it measures and ranks
// nothing. Text keeps within the width it was given, charts are thinned to the
// least and the greatest value of each pixel column, and what is unknown is a gap.
//
// Every name on a page comes from a measured program and is untrusted: callers
// hand in names that package printable made safe, html/template escapes them, and
// the page's policy allows no script and no style but its own, by hash.
package page
