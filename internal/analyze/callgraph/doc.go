// Package callgraph answers: to which functions (or files, lines, addresses) does
// a profile's value belong, and through which calls?
//
// Input is a selection: the samples, frames and values of a profile that a view's
// options leave. Output is a graph: nodes with flat (the value of the samples
// that end there) and cum (of those that pass through, each counted once even in
// recursion), edges with the value of the samples that contain the call, trimmed
// to the important ones.
//
// Method: flat, cum and edges are folds over neighboring samples (see fold.go).
// Trimming, its order, and the ranking of nodes for a picture follow pprof
// exactly; the tests compare every figure with pprof's. First, nodes below a
// share of the total are dropped; the graph is summed again without them, and the
// calls over them become residual edges. Then the highest ranking nodes are
// selected, by flat or cum for texts, by entropy for pictures, which prefers
// nodes at which paths meet or part; and the graph is summed again.
//
// It misleads if a dropped node explains a residual edge (raise the node count to
// see it), if cum of mutually recursive functions is summed (they share samples),
// and in differences of profiles, whose values cancel: a node of cum 0 is left
// out even if both sides pass through it.
package callgraph
