package callgraph

import (
	"fmt"
	"path/filepath"
	"strings"

	"whet/internal/analyze/selection"
)

// Graph is the call graph of a selection, made by New.
type Graph struct {
	Nodes []*Node // ranked

	// Remaining is the number of nodes before NodeCount selected the first.
	Remaining    int
	DroppedNodes int // by NodeFraction
	DroppedEdges int // by EdgeFraction
}

// Node is a function, or another unit of the selection's granularity. A call tree has
// several of them with the same Info.
type Node struct {
	Info selection.Node
	Name string // Info for people

	Costs

	// In and Out are the edges from callers and to callees, the heaviest
	// first. Their other ends need not be in Graph.Nodes: where nothing was
	// dropped, nodes whose values cancel to zero remain as ends.
	In, Out []*Edge

	// Of pictures: the values of samples by their labels. Labels is by all
	// string labels of a sample together, Numbers by the "bytes" of samples
	// with these string labels ("": without any).
	Labels  []*Tag
	Numbers map[string][]*Tag

	index int32 // in the sums it was made from; ranks what nothing else does
}

// Edge is a call.
type Edge struct {
	From, To        *Node
	Weight, Divisor int64
	Residual        bool // over nodes that were dropped
	Inlined         bool // the compiler inlined each of its calls
}

// Tag is the value that a node's samples with a label have.
type Tag struct {
	Name  string
	Unit  string // of Value; "" of string labels
	Value int64  // of numeric labels

	Costs
}

// Value returns the edge's weight, or its mean.
func (e *Edge) Value() int64 { return mean(e.Weight, e.Divisor) }

func mean(sum, divisor int64) int64 {
	if divisor == 0 {
		return sum
	}
	return sum / divisor
}

// FlatSum returns the sum of the flat values of the graph's nodes.
func (g *Graph) FlatSum() int64 {
	var sum int64
	for _, n := range g.Nodes {
		sum += n.FlatValue()
	}
	return sum
}

// Name prints the name of a node as pprof does: address, function, file and line, as
// far as the selection distinguishes them; the object file if nothing else is known.
func Name(n *selection.Node) string {
	return strings.Join(NameParts(n), " ")
}

// NameParts returns the parts of Name.
func NameParts(n *selection.Node) []string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, fmt.Sprintf("%016x", n.Address))
	}
	if n.Name != "" {
		parts = append(parts, n.Name)
	}
	switch {
	case n.Line != 0:
		place := fmt.Sprintf("%s:%d", n.File, n.Line)
		if n.Column != 0 {
			place += fmt.Sprintf(":%d", n.Column)
		}
		parts = append(parts, place)
	case n.File != "":
		parts = append(parts, n.File)
	case n.Name != "":
	case n.Object != "":
		parts = append(parts, "["+filepath.Base(n.Object)+"]")
	default:
		parts = append(parts, "<unknown>")
	}
	return parts
}
