// Package callgraph answers: which functions (or files, lines, addresses)
// does a profile's value belong to, and through which calls did it get there?
//
// Input is a selection: the samples, frames and values that the options of a
// view leave of a profile. Output is a graph: nodes with flat (the value of the
// samples that end there) and cum (of those that pass through, each counted
// once however often it recurses), edges with the value of the samples that
// have the call, trimmed to what is worth showing.
//
// Method: flat, cum and edges are folds over neighbouring samples (see fold.go).
// What is trimmed, in which order, and how nodes are ranked for a picture
// follows pprof to the digit; the tests hold every figure against pprof's own.
// Nodes are dropped below a share of the total first; the graph is summed up
// again without them, and the calls over them become residual edges. Then the
// highest ranking nodes are taken: by flat or cum for texts, for pictures by
// entropy, which prefers nodes at which paths meet or part; and the graph is
// summed up again.
//
// It misleads where a node that was dropped explains a residual edge (raise the
// node count to see it), where cum of mutually recursive functions is added up
// (they share samples), and in differences of profiles, where values cancel:
// a node of cum 0 is left out although both sides pass through it.
package callgraph
