// Package layered draws directed graphs in layers: which box goes where, and
// which way its arrows take, when calls are to lead down, few lines to cross
// and the heavy ones to be straight?
//
// Input are boxes with their sizes and edges with their weights; the result is
// geometry, without colours or text. The method is that of Sugiyama, Tagawa and
// Toda (1981) with the refinements of Gansner, Koutsofios, North and Vo (1993):
//
//   - cycles are broken by turning around the edges that lead back on a walk
//     from the top;
//   - layers minimise the weighted length of edges, exactly (network simplex);
//   - edges are cut at each layer they pass, and the order inside the layers
//     comes from sweeps and swaps that make weighted crossings fewer;
//   - places across minimise how far edges lean, by the same simplex, with
//     long edges upright;
//   - lines are upright inside layers and curved between them.
//
// Labels of edges have room of their own beside the line, loops beside their
// node, and parts that are not connected are packed in rows. Everything is
// computed in integers, and ties are broken by the order of the input: the
// same graph gives the same drawing on every machine.
//
// The number of crossings is not the least there is: that problem is NP-hard.
// And what looks close in the drawing need not be: only lines mean something,
// not places.
package layered
