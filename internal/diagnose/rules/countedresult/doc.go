// Package countedresult is the rule that finds results which are made only for
// their length to be taken: the pieces of a split text, a formatted text, all that a
// reader holds.
//
// It knows a table of functions with what counts instead. It reads the samples
// below them, and asks of the typed view whether anything but len ever sees the
// result, by itself or through a variable.
//
// Avoidable is what the runtime does for the function itself: taking memory,
// growing and copying. Looking for the pieces, formatting and reading stay, but
// where the table says that all of it goes.
//
// It misleads where the memory is taken by a function that the table's calls in
// turn: that is left out.
package countedresult
