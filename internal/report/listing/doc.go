// Package listing prints source lines with their costs and the compiler's decisions:
// for a terminal, as JSON (whet/lines/1), as one HTML file, and as diagnostics for
// editors, one line of text each.
//
// Its input is a model of package lines and the source, both as it was measured and
// as it is now. It shows the requested functions, or the user's own functions with
// at least 2 % of a kind of cost. It counts the rest: for each kind, the costs
// shown, elsewhere and without a line sum to the total.
//
// It misleads if the measured source is missing: a line of the present source may be
// another. The function then has a doubt.
package listing
