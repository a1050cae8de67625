// Package proof prints whether a change made a program faster: the result of `whet
// prove` as text, Markdown, JSON and benchmark lines, and the comparison of
// benchmark files in the formats of benchstat and benchcmp.
//
// Its input is a compare.Result or a tables.Result. Each difference is printed with
// its interval and p-value; a cell without them has too few measurements to tell.
package proof
