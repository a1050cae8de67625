package layered

// component is a connected part of the graph on its way to a drawing.
type component struct {
	o Options

	nodes  []int // of the input
	sizes  []Node
	edges  []link
	loops  []loop
	labels bool // some edge has one: every second layer is for labels

	layer []int // of each node

	items  []item
	downs  [][]int32 // segments that start at an item
	ups    [][]int32 // segments that end at an item
	segs   []segment
	chains [][]int32 // of each edge: its items from the upper node to the lower
	layers [][]int32 // items from left to right

	x             []int // of each item
	top, bottom   []int // of each layer
	width, height int
}

// link is an edge between two nodes of a component, from upper to lower once
// cycles are broken.
type link struct {
	from, to int // in component.nodes
	weight   int
	span     int // layers it goes down at least
	back     bool
	input    int // index of the edge
	Edge
}

// loop is an edge from a node to itself.
type loop struct {
	node  int
	input int
	Edge
}

// item is what takes room in a layer: a node, or the place where an edge
// passes through.
type item struct {
	layer int
	left  int // room it takes on both sides of its x, without the gap
	right int
	high  int
	node  int // in component.nodes; -1 where an edge passes
	edge  int // that passes; -1 at nodes
}

// segment is the part of an edge between one layer and the next.
type segment struct {
	from, to int32 // items, upper first
	weight   int   // of the edge
	cross    int   // what crossing it costs
}

// components splits the graph into its connected parts, in the order of their
// first nodes.
func components(nodes []Node, edges []Edge) []*component {
	root := make([]int, len(nodes))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, e := range edges {
		a, b := find(e.From), find(e.To)
		root[max(a, b)] = min(a, b)
	}
	var out []*component
	of := make(map[int]*component)
	local := make([]int, len(nodes))
	for i, n := range nodes {
		c := of[find(i)]
		if c == nil {
			c = &component{}
			of[find(i)] = c
			out = append(out, c)
		}
		local[i] = len(c.nodes)
		c.nodes = append(c.nodes, i)
		c.sizes = append(c.sizes, n)
	}
	for i, e := range edges {
		c := of[find(e.From)]
		if e.From == e.To {
			c.loops = append(c.loops, loop{node: local[e.From], input: i, Edge: e})
			continue
		}
		c.labels = c.labels || e.LabelWidth > 0
		c.edges = append(c.edges, link{from: local[e.From], to: local[e.To], weight: e.Weight, span: max(1, e.Layers), input: i, Edge: e})
	}
	return out
}

// box is the room of a component.
type box struct {
	x, y, width, height int
}

// pack places boxes in rows from left to right, in their order, and returns
// what they take together. Of the ways to break rows where the first is full it
// takes the one that suits a screen best.
func pack(boxes []box, gap int) (width, height int) {
	best, row, limit := 0, -gap, 0
	for _, b := range boxes {
		row += gap + b.width
		w, h := rows(boxes, gap, row)
		if fit := max(w*10, h*16); best == 0 || fit < best {
			best, limit = fit, row
		}
	}
	return rows(boxes, gap, limit)
}

// rows places boxes in rows of at most a width, or of one box.
func rows(boxes []box, gap, limit int) (width, height int) {
	x, y, high := 0, 0, 0
	for i := range boxes {
		b := &boxes[i]
		if x > 0 && x+b.width > limit {
			x, y, high = 0, y+high+gap, 0
		}
		b.x, b.y = x, y
		x += b.width + gap
		high = max(high, b.height)
		width = max(width, b.x+b.width)
	}
	return width, y + high
}
