package callgraph

// Options are the choices of pprof's texts and graphs, by their names there.
type Options struct {
	Cum          bool    // rank by cum instead of flat; of pictures it changes nothing
	NodeCount    int     // keep at most so many nodes, 0 all
	NodeFraction float64 // drop nodes whose cum is a smaller share of the total
	EdgeFraction float64 // drop edges whose weight is a smaller share

	// Picture is for graphs that are drawn: nodes are ranked by entropy, have
	// tags, which count as nodes, and residual edges go where another path
	// leads to the same node.
	Picture  bool
	CallTree bool   // of NewPicture: one node for each path that leads to it
	Unit     string // of numeric tags, "" the best for each
}

// What pprof leaves out unless asked otherwise.
const (
	nodeFraction = 0.005
	edgeFraction = 0.001
	nodeCount    = 80
)

// ForTop are pprof's options for the table of nodes.
func ForTop() Options {
	return Options{NodeFraction: nodeFraction, EdgeFraction: edgeFraction}
}

// ForTree are pprof's options for the text of nodes with their callers and
// callees.
func ForTree() Options {
	return Options{NodeFraction: nodeFraction, EdgeFraction: edgeFraction, NodeCount: nodeCount}
}

// ForPicture are pprof's options for a drawn graph.
func ForPicture() Options {
	o := ForTree()
	o.Picture = true
	return o
}

// Untrimmed returns the same options without dropping nodes: for pprof's peek, and for
// every view with -trim=false.
func (o Options) Untrimmed() Options {
	o.NodeCount, o.NodeFraction, o.EdgeFraction = 0, 0, 0
	return o
}
