// Package best is the loop finder with nothing left but arrays of 32-bit
// numbers, and one walk.
//
// What it does beyond package cached:
//
//   - The graph is two arrays, all edges in one, sorted by the block they
//     leave, and where each block's edges begin in the other. No block is an
//     object, and the edges are not kept by the block they lead to.
//   - Loops are found during the depth-first walk, not in passes after it
//     (T. Wei, J. Mao, W. Zou, Y. Chen, A new algorithm for identifying loops
//     in decompilation, SAS 2007). Every block keeps the header of the
//     innermost loop around it that is known so far; headers that are met
//     below it are handed up when the walk leaves a block. That does without
//     union-find, without predecessors, and without a set of any kind. The
//     loops are Havlak's, irreducible ones too: the shared table and the
//     fuzzing hold them to the definition and to the other stages.
//   - What a call has to remember is one number a block and the path. The
//     memory of one call is kept for the next; a call that overlaps another
//     makes its own and lets it go.
//   - A forest is one number and one byte a block. Its nesting is worked out
//     when it is asked for.
//
// The price: a header that is handed up is sorted into the headers known
// already, one step for each loop between. Where one block has edges back to
// each of n headers around it, innermost first, that is n²/2 steps; union-find
// takes hardly more than n. Control flow that people write is some loops deep.
package best
