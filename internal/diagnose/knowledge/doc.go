// Package knowledge is a table of calls that cost more than their use requires, and the
// rules that apply it.
//
// A row names functions, the condition under which a call of one of them can be
// replaced, and the replacement. It reads the base samples of the CPU and allocation
// profiles: one belongs to the innermost statement of the user's own on its stack, if
// that calls one of the functions directly. The typed view decides the condition; for
// several calls of a function in a statement it must hold for all, because samples do
// not tell them apart. The first row of a function whose condition holds makes the
// claim.
//
// Each row has an example, before and after. Tests make programs of both: the row must
// report the one and not the other. The command bench/knowledge makes benchmarks of
// both, and gains.jsonl keeps its measurements: rows whose remedy gains nothing on
// today's Go are deleted.
//
// If a remedy removes part of the work, the benchmark gives the size of that part: this
// misleads where the program's arguments are much larger or smaller than the example's.
package knowledge
