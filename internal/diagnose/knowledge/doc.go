// Package knowledge is a table of calls that cost more than their use requires, and
// the rules that apply it.
//
// A row names functions, the condition under which a call of one of them can be
// replaced, and what to write instead. It reads the base samples of the CPU and
// allocation profiles: one belongs to the innermost statement of the user's own on
// its stack, where that calls one of the functions directly. The typed view decides
// the condition; of several calls of a function in a statement it must hold for
// all, as samples do not tell them apart. The first row of a function whose
// condition holds speaks.
//
// Each row has an example, before and after. Tests make programs of both: the row
// speaks about the one and is silent about the other. The command bench/knowledge
// makes benchmarks of both, and gains.jsonl keeps what it measured: rows whose remedy
// gains nothing on today's Go are deleted.
//
// Where a row says that a part of the work goes, how large it is in a program is
// taken from the benchmark: that misleads where the program's arguments are much
// larger or smaller than the example's.
package knowledge
