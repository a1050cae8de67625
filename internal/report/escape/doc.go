// Package escape prints the compiler's decisions: as text grouped by function, as
// the document whet/escape/1, and line by line for editors and for GitHub's
// workflows.
//
// Its input is a result of package analyze/escape. Text shows the decisions that the
// user can act on: allocated values, functions and calls that were not inlined, and
// remaining checks; the document has all. Names and source come from a program and
// are escaped for a terminal.
//
// It misleads as the result does; unknown values are null in the document and have a
// warning.
package escape
