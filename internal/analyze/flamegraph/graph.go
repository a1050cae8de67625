package flamegraph

import (
	"errors"

	"whet/internal/callstack"
)

// Graph is a tree of frames.
type Graph struct {
	Type   callstack.ValueType
	Frames []Frame // of the nodes
	// Nodes are in preorder: a node before its children, the children in their order, a
	// block last. Node 0 is the root and has the total.
	Nodes []Node
	// Differential: some Base is not zero. It is comparable with Value after
	// multiplication with Scale, which is 1 unless the sides were normalised.
	Differential bool
	Scale        float64
	// Ratio is the factor for printed values: 1 except for a selection with
	// Options.DivideBy.
	Ratio float64
	// Parts is the bound that was used: where more nodes reached the one asked
	// for than the browser takes, it is lower.
	Parts int
	// Estimated reports whether the numbers of collapsed frames are estimates.
	Estimated bool
	Warnings  []string
}

// Frame has the attributes that all nodes of one name share.
type Frame struct {
	Name string // "" for a block
	File string // "" when unknown
	Line int    // where the function begins, or the line of the frame; 0 when unknown
}

// Node is a frame of the tree, or a block of several.
type Node struct {
	Frame  int32 // index into Frames
	Parent int32 // index into Nodes, -1 for the root
	Value  int64
	Base   int64
	// Collapsed is the number of frames too narrow to draw that the node replaces; 0
	// for a frame.
	Collapsed int64
}

// Weight returns the width of a node.
func (g *Graph) Weight(n *Node) float64 {
	if g.Scale == 1 {
		return float64(n.Value + n.Base) // they are bounded: this does not overflow
	}
	return float64(n.Value) + float64(n.Base)*g.Scale
}

// Change returns the change of a node's value.
func (g *Graph) Change(n *Node) float64 {
	if g.Scale == 1 {
		return float64(n.Value - n.Base)
	}
	return float64(n.Value) - float64(n.Base)*g.Scale
}

// Options choose how samples become a tree.
type Options struct {
	// Parts: a frame below 1/Parts of the root is collapsed. 0 draws every
	// frame, but in a large profile those below a millionth, as long as
	// MaxNodes lets it.
	Parts int
	// MaxDepth and MaxNodes bound the tree for the drawing code. Deeper frames are
	// collapsed; to keep MaxNodes, Parts is halved repeatedly.
	MaxDepth int
	MaxNodes int
	// Reversed puts the frame that was running at the root and its callers on
	// it, so that all places where a function runs come together.
	Reversed bool
	// ByValue orders siblings by width, the widest first, instead of by name.
	ByValue bool
	// Normalize scales the base of a Diff to the same total.
	Normalize bool
	// File gives a file's name for people; nil keeps it.
	File func(string) string
}

// DefaultOptions are good for a browser: a screen is some 2,000 pixels wide, so
// that the narrowest frame is a tenth of a pixel, and one zoom makes it visible.
func DefaultOptions() Options {
	return Options{Parts: 20_000, MaxDepth: 512, MaxNodes: 150_000}
}

// Validate reports an option that cannot be.
func (o Options) Validate() error {
	switch {
	case o.Parts < 0:
		return errors.New("flame graph: the part of the root below which frames are collapsed is negative")
	case o.MaxDepth < 1 || o.MaxNodes <= o.MaxDepth:
		return errors.New("flame graph: want a depth of at least 1 and more nodes than the depth")
	case o.MaxDepth > 1<<20 || o.MaxNodes > 1<<24:
		return errors.New("flame graph: a depth beyond 2^20 or more than 2^24 nodes cannot be drawn")
	}
	return nil
}
