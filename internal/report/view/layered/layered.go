package layered

import (
	"errors"
	"fmt"
)

// Node is a box to be placed. Lengths are whole pixels: sums of integers are
// the same on every machine, and so is the drawing.
type Node struct {
	Width, Height int
	// Beside is room to the right of the box, as high as BesideHeight around
	// its middle, that nothing else takes.
	Beside, BesideHeight int
}

// Edge is an arrow between two nodes, which may be the same for one edge of a
// node.
type Edge struct {
	From, To int // indexes of nodes
	// Weight, at least 1, says how much the edge wants to be short, straight
	// and uncrossed.
	Weight int
	// Layers is how many layers it must go down at least; 0 stands for 1.
	Layers int
	// Arrow is the length of its head, which the curve leaves free.
	Arrow int
	// LabelWidth and LabelHeight are the room for its label, which stands to
	// the right of the line; 0 without one.
	LabelWidth, LabelHeight int
}

// Options are the distances of a drawing.
type Options struct {
	NodeGap  int // between boxes side by side
	EdgeGap  int // between a line and what stands beside it
	LayerGap int // between layers, where labels have layers of their own: twice from box to box
	MaxItems int // boxes and bends of lines together that are drawn at most
}

// DefaultOptions suit text of some 10 pixels.
func DefaultOptions() Options {
	return Options{NodeGap: 24, EdgeGap: 14, LayerGap: 26, MaxItems: 200_000}
}

// Point is a point in the drawing, measured from its upper left corner.
type Point struct {
	X, Y float64
}

// NodePosition is the position of a node in the drawing.
type NodePosition struct {
	X, Y   float64 // of its centre
	Beside float64 // the left end of the room beside it
	Layer  int     // from 0 at the top of its component
}

// Route is the route of an edge.
type Route struct {
	// Curve is a chain of cubic Bézier curves: where it starts, then three
	// points for each curve: two that bend it and the one it goes to. It starts
	// at the border of the box From, and ends before that of To.
	Curve []Point
	// Tip is where the arrow points to, on the border of To: straight ahead of
	// the curve's end.
	Tip Point
	// Label is the left end, half way up, of the room for the label.
	Label Point
	// Back says that the edge goes up: its cycle was broken here.
	Back bool
}

// Drawing is a layered drawing.
type Drawing struct {
	Width, Height float64
	Nodes         []NodePosition // as the input's
	Edges         []Route        // as the input's
	Crossings     int            // of lines, each pair counted between each two layers
}

// ErrTooLarge is returned for graphs that nobody could look at.
var ErrTooLarge = errors.New("too large to draw")

// Draw places the nodes and routes the edges of a graph.
func Draw(nodes []Node, edges []Edge, o Options) (*Drawing, error) {
	for i, n := range nodes {
		if n.Width < 0 || n.Height < 0 || n.Beside < 0 {
			return nil, fmt.Errorf("draw graph: node %d: its size is negative", i)
		}
	}
	looped := make([]bool, len(nodes))
	for i, e := range edges {
		if e.From < 0 || e.From >= len(nodes) || e.To < 0 || e.To >= len(nodes) {
			return nil, fmt.Errorf("draw graph: edge %d: it goes from node %d to node %d of %d", i, e.From, e.To, len(nodes))
		}
		if e.Weight < 1 {
			return nil, fmt.Errorf("draw graph: edge %d: its weight is %d, below 1", i, e.Weight)
		}
		if e.From == e.To && looped[e.From] {
			return nil, fmt.Errorf("draw graph: edge %d: a second loop at node %d", i, e.From)
		}
		looped[e.From] = looped[e.From] || e.From == e.To
	}
	d := &Drawing{Nodes: make([]NodePosition, len(nodes)), Edges: make([]Route, len(edges))}
	var boxes []box
	var parts []*component
	room := o.MaxItems
	for _, c := range components(nodes, edges) {
		c.o = o
		c.breakCycles()
		if err := c.assignLayers(); err != nil {
			return nil, err
		}
		if room -= c.count(); room < 0 {
			return nil, fmt.Errorf("draw graph: %w: its boxes and the bends of its lines are more than %d", ErrTooLarge, o.MaxItems)
		}
		c.makeItems()
		d.Crossings += c.order()
		if err := c.placeAcross(); err != nil {
			return nil, err
		}
		c.placeDown()
		boxes = append(boxes, box{width: c.width, height: c.height})
		parts = append(parts, c)
	}
	width, height := pack(boxes, o.NodeGap*2)
	d.Width, d.Height = float64(width), float64(height)
	for i, c := range parts {
		c.route(d, boxes[i].x, boxes[i].y)
	}
	return d, nil
}
