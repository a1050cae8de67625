// Package proof prints whether a change made a program faster: the result of
// `whet prove` as text, Markdown, JSON and benchmark lines, and the comparison of
// benchmark files in the forms of benchstat and benchcmp.
//
// Its input is a compare.Result or a tables.Result. A difference stands beside its
// interval and p-value; a cell without them is one that cannot tell.
package proof
