// Package havlaktest holds what every stage of the loop finder has to pass and
// the benchmark that compares them.
//
// [Run] is the one table of behaviour: small graphs whose forests are written
// out, the graph of the case in several sizes against arithmetic, graphs drawn
// at random against two references, calls one after the other and at once.
// [RunNesting] is the table's row that the published program failed: the depth
// of inner loops.
//
// The references take no stage's word. [ByDefinition] finds each loop's blocks
// by asking what the package comment of havlak says a loop is, header by
// header; [ByDominators] finds natural loops from dominators, which it finds
// by taking blocks out, and answers for reducible graphs only. Both take time
// that grows with the square of the graph and more.
//
// [Find] is the benchmark: one call on a graph of 760 loops that was built
// before. It measures the analysis alone, and fits into caches that the
// published graph does not fit into; that one is measured as a whole program,
// by its CPU time and peak memory, with the command in casebook/cmd/casebook.
package havlaktest
