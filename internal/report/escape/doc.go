// Package escape prints what the compiler decided: as text grouped by function, as the
// document whet/escape/1, and line by line for editors and for GitHub's workflows.
//
// Its input is a result of package analyze/escape. Text shows what can be acted upon:
// values that are allocated, functions and calls that were not inlined, and checks that
// remain; the rest is in the document. Names and source come from a program and are made
// fit for a terminal.
//
// It misleads as the result does; what is unknown is said in a warning, and is null in
// the document.
package escape
