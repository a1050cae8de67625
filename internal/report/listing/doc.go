// Package listing shows source lines with all that is known of them: for a
// terminal, as JSON (whet/lines/1), as one HTML file, and as diagnostics, a line
// of text each, which editors read.
//
// Its input is a model of package lines and the source, as it was measured and as
// it is now. Shown are the functions that were asked for, or of the user's own
// code those that hold at least 2 % of a kind of cost. What is left out is
// counted: of each kind, what is shown, what is elsewhere and what has no line sum
// to the total.
//
// It misleads where the source that was measured is not at hand: a line of the
// source here may be another. The function then has a doubt.
package listing
