// Package havlak is the case of the loop finder: the rules that every stage of
// its tuning keeps, the graph they are measured on, and the interface they
// share.
//
// The question of the case is what the shape of the data costs: the same walk
// over the same graph, with its sets and look-ups held in maps, in slices, in
// slices that are used again, and in flat arrays. Each sub-package is one
// stage; package havlaktest holds the one table, the reference that works by
// definition instead of by an algorithm, and the benchmark that all of them
// run.
//
// What a stage does with a [Graph], the control flow of a function in blocks
// and edges whose entry is block 0:
//
//   - It walks depth first from the entry, taking the edges that leave a block
//     in the order the graph gives them. Blocks that the walk does not reach
//     are in no loop.
//   - A block is the header of a loop if an edge comes back to it from itself
//     or from a block that the walk reached through it. The loop's blocks are
//     those that the walk reached through the header and that lead back to it
//     by way of such blocks alone. This is Havlak's loop (P. Havlak, Nesting
//     of reducible and irreducible loops, ACM TOPLAS 19(4), 1997). A header has
//     one loop, however many edges come back to it.
//   - Two loops share no block, or one holds the other. The loop around a loop
//     is its parent, and the root, which is no loop of the graph but is counted
//     as one, is the parent of all that no loop holds.
//   - A loop is irreducible if an edge from outside enters it elsewhere than at
//     its header. Which of its blocks is the header then depends on the order
//     of the edges; the loops of a reducible graph do not.
//   - A loop's depth is the number of loops around it, the root among them: 0
//     for the root, 1 for an outermost loop. Its level is 0 if it holds no
//     loop, else one more than the highest level inside it.
//
// A stage builds its own form of the graph, once, and that is part of what it
// costs. Each call of Find does the whole analysis again: memory may be kept
// from one call to the next, nothing that was found may. Calls may overlap.
//
// The program that is measured, [Analyze], builds the graph of [Nested] with
// [Rows] and [Nests], 252,013 blocks, 378,021 edges and 76,000 loops, finds
// its loops once and then [Repeats] times more. It says little about the
// graphs that a compiler sees: those are small, and the cost of a call there
// is memory set up and let go.
package havlak
