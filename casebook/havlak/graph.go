package havlak

import (
	"fmt"
	"iter"
)

const (
	// MaxBlocks and MaxEdges bound a graph, so that every stage may number
	// blocks and edges with 32 bits.
	MaxBlocks = 1 << 24
	MaxEdges  = 1 << 28
)

// Graph is a control-flow graph whose blocks are numbered from 0, the entry.
// The zero Graph has no block. Make others with NewGraph and Nested.
type Graph struct {
	blocks int
	edges  iter.Seq2[int, int]
}

// Edge leads from one block to another.
type Edge struct{ From, To int }

// NewGraph returns a graph of that many blocks with those edges, which it
// keeps. The same edge may be there more than once.
func NewGraph(blocks int, edges []Edge) (Graph, error) {
	if blocks < 0 || blocks > MaxBlocks {
		return Graph{}, fmt.Errorf("new graph: %d blocks: want 0 to %d", blocks, MaxBlocks)
	}
	if len(edges) > MaxEdges {
		return Graph{}, fmt.Errorf("new graph: %d edges: want at most %d", len(edges), MaxEdges)
	}
	for i, e := range edges {
		if e.From < 0 || e.From >= blocks || e.To < 0 || e.To >= blocks {
			return Graph{}, fmt.Errorf("new graph: edge %d leads from %d to %d: there are %d blocks, numbered from 0", i, e.From, e.To, blocks)
		}
	}
	return Graph{blocks, func(yield func(from, to int) bool) {
		for _, e := range edges {
			if !yield(e.From, e.To) {
				return
			}
		}
	}}, nil
}

// Blocks returns the number of blocks.
func (g Graph) Blocks() int { return g.blocks }

// Edges yields each edge, from and to. It can be ranged over again and by
// several at once, and yields the same edges in the same order each time.
func (g Graph) Edges() iter.Seq2[int, int] {
	if g.edges == nil {
		return func(func(from, to int) bool) {}
	}
	return g.edges
}
