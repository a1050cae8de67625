package layered

import "slices"

// assignLayers gives every node its layer, so that edges go down, and heavy
// ones not far.
func (c *component) assignLayers() error {
	scale := 1
	if c.labels {
		scale = 2
	}
	constraints := make([]constraint, len(c.edges))
	for i, e := range c.edges {
		constraints[i] = constraint{from: int32(e.from), to: int32(e.to), length: e.span, weight: e.weight}
	}
	layer, err := minimise(len(c.nodes), constraints, 50*len(c.nodes)+1000)
	if err != nil {
		return err
	}
	c.layer = layer
	c.balance()
	for i := range c.layer {
		c.layer[i] *= scale
	}
	return nil
}

// balance moves nodes that are as well off in several layers to the one with
// the fewest nodes: the drawing gets less wide.
func (c *component) balance() {
	up, down := make([][]int, len(c.nodes)), make([][]int, len(c.nodes))
	for i, e := range c.edges {
		down[e.from] = append(down[e.from], i)
		up[e.to] = append(up[e.to], i)
	}
	crowd := make([]int, slices.Max(c.layer)+1)
	for _, l := range c.layer {
		crowd[l]++
	}
	for n := range c.nodes {
		if len(up[n]) == 0 || len(down[n]) == 0 {
			continue
		}
		pull, first, last := 0, 0, len(crowd)-1
		for _, i := range up[n] {
			e := &c.edges[i]
			pull += e.weight
			first = max(first, c.layer[e.from]+e.span)
		}
		for _, i := range down[n] {
			e := &c.edges[i]
			pull -= e.weight
			last = min(last, c.layer[e.to]-e.span)
		}
		if pull != 0 {
			continue
		}
		best := c.layer[n]
		for l := first; l <= last; l++ {
			if crowd[l] < crowd[best]-1 || l != c.layer[n] && best != c.layer[n] && crowd[l] < crowd[best] {
				best = l
			}
		}
		crowd[c.layer[n]]--
		c.layer[n] = best
		crowd[best]++
	}
}

// count returns the number of items that the layers will hold.
func (c *component) count() int {
	n := len(c.nodes)
	for _, e := range c.edges {
		n += c.layer[e.to] - c.layer[e.from] - 1
	}
	return n
}

// makeItems cuts edges at every layer they pass. Where labels have layers, a
// label takes the one nearest to the middle of its edge.
func (c *component) makeItems() {
	c.items = make([]item, 0, c.count())
	for n, size := range c.sizes {
		c.items = append(c.items, item{layer: c.layer[n], left: (size.Width + 1) / 2, right: (size.Width + 1) / 2, high: size.Height, node: n, edge: -1})
	}
	for _, l := range c.loops {
		it := &c.items[l.node]
		it.right += loopWidth(l.Arrow) + l.LabelWidth
		it.high = max(it.high, l.LabelHeight)
	}
	for n, size := range c.sizes {
		if size.Beside > 0 {
			c.items[n].right += besideGap + size.Beside
			c.items[n].high = max(c.items[n].high, size.BesideHeight)
		}
	}
	c.chains = make([][]int32, len(c.edges))
	for i, e := range c.edges {
		from, to := c.layer[e.from], c.layer[e.to]
		labelled := -1
		if e.LabelWidth > 0 {
			labelled = (from + to) / 2
			if labelled%2 == 0 {
				labelled--
			}
		}
		chain := []int32{int32(e.from)}
		for l := from + 1; l < to; l++ {
			it := item{layer: l, left: c.o.EdgeGap / 2, right: c.o.EdgeGap / 2, node: -1, edge: i}
			if l == labelled {
				it.right, it.high = e.LabelWidth, e.LabelHeight
			}
			chain = append(chain, int32(len(c.items)))
			c.items = append(c.items, it)
		}
		c.chains[i] = append(chain, int32(e.to))
	}
	c.layers = make([][]int32, slices.Max(c.layer)+1)
	c.downs, c.ups = make([][]int32, len(c.items)), make([][]int32, len(c.items))
	for i, chain := range c.chains {
		w := c.edges[i].weight
		for j := 1; j < len(chain); j++ {
			id := int32(len(c.segs))
			c.segs = append(c.segs, segment{from: chain[j-1], to: chain[j], weight: w, cross: root(w)})
			c.downs[chain[j-1]] = append(c.downs[chain[j-1]], id)
			c.ups[chain[j]] = append(c.ups[chain[j]], id)
		}
	}
}

// root returns the integer part of a square root. It damps weights where crossings
// count: two heavy edges that cross cost as much as one that is heavier by the
// square, not as much as thousands of light ones.
func root(w int) int {
	r := 1
	for (r+1)*(r+1) <= w {
		r++
	}
	return r
}

// besideGap is between a box, with its loop, and the room beside it.
const besideGap = 12

// loopWidth returns the room beside a node for the line of a loop.
func loopWidth(arrow int) int { return arrow + 22 }
