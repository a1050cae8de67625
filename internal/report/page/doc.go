// Package page is the kit for building reports: text laid out for a terminal
// ([Text]), charts drawn as SVG ([Timeline], [Scale]), words for figures, and the
// shell of an HTML page ([Shell]).
//
// Its input is the result of other packages; it measures and ranks nothing. Text
// stays within the given width, charts show only the smallest and the largest value
// of each pixel column, and an unknown value is a gap.
//
// Every name on a page comes from a measured program and is untrusted: callers pass
// names made safe by package printable, html/template escapes them, and the page's
// content security policy allows no script and no style but its own, by hash.
package page
