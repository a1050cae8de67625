// Package folded reads and writes folded stacks, the text that the flame graph
// scripts pass between each other: one stack a line, root first, its frames
// divided by semicolons, a blank and a count after it.
//
// [Read] sums up nothing: each line is a sample. The scripts' marks at the end
// of a name go into the model: an inlined frame (_[i]) becomes part of its
// caller's location, frames of the kernel (_[k]) and of generated code (_[j])
// lie in a mapping of that name. A file in which every line ends in two counts
// is a differential one, before and after, and has two columns.
// Counts with decimals are rounded so that the sum of all lines up to any one
// is off by half a unit at most; a warning says so.
//
// [Write] writes one column with the names that pprof prints, without marks.
//
// It misleads where names do: what the writer of the file left out (lines,
// files, addresses, labels) is unknown here, so that two functions of one name
// are one; and in names, a semicolon is written as a colon.
package folded
