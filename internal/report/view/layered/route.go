package layered

import (
	"cmp"
	"slices"
)

// placeDown finds the vertical places: each layer is as high as its highest
// item, and the gap below it the larger the further edges lean across it.
func (c *component) placeDown() {
	lean := make([]int, len(c.layers))
	head := make([]int, len(c.layers)) // the longest arrow head in the gap
	for _, s := range c.segs {
		l := c.items[s.from].layer
		lean[l] = max(lean[l], c.x[s.from]-c.x[s.to], c.x[s.to]-c.x[s.from])
	}
	for i, e := range c.edges {
		chain := c.chains[i]
		l := c.items[chain[len(chain)-2]].layer
		if e.back {
			l = c.items[chain[0]].layer
		}
		head[l] = max(head[l], e.Arrow)
	}
	c.top, c.bottom = make([]int, len(c.layers)), make([]int, len(c.layers))
	y := 0
	for l, layer := range c.layers {
		high := 0
		for _, it := range layer {
			high = max(high, c.items[it].high)
		}
		c.top[l], c.bottom[l] = y, y+high
		gap := c.o.LayerGap
		y += high + max(gap, min(lean[l]/10, 4*gap)) + head[l]
	}
	c.height = c.bottom[len(c.bottom)-1]
}

// route draws the component at a place.
//
// A line is upright inside a layer, where its items have room for it, and
// curved between layers, where nothing stands: so no line runs through a box
// or a label.
func (c *component) route(d *Drawing, x0, y0 int) {
	for n, input := range c.nodes {
		it := &c.items[n]
		l := it.layer
		if c.labels {
			l /= 2
		}
		d.Nodes[input] = NodePosition{X: float64(x0 + c.x[n]), Y: float64(y0) + c.middle(n), Layer: l, Beside: float64(x0 + c.x[n] + it.right - c.sizes[n].Beside)}
	}
	starts, ends := c.ports()
	for i, e := range c.edges {
		chain := c.chains[i]
		upper, lower := chain[0], chain[len(chain)-1]
		size := c.sizes[c.items[upper].node]
		p := Point{float64(x0) + starts[i], float64(y0) + c.middle(int(upper)) + float64(size.Height)/2}
		from := p
		var tip Point
		if e.back {
			tip = p
			p.Y += float64(e.Arrow)
		}
		curve := []Point{p}
		to := func(q Point, bend bool) {
			p := curve[len(curve)-1]
			if p == q {
				return
			}
			if bend && p.X != q.X {
				half := (p.Y + q.Y) / 2
				curve = append(curve, Point{p.X, half}, Point{q.X, half}, q)
				return
			}
			curve = append(curve, p, q, q)
		}
		bottom := float64(y0 + c.bottom[c.items[upper].layer])
		to(Point{from.X, max(bottom, p.Y)}, false)
		label := Point{}
		for _, it := range chain[1 : len(chain)-1] {
			l := c.items[it].layer
			x := float64(x0 + c.x[it])
			to(Point{x, float64(y0 + c.top[l])}, true)
			to(Point{x, float64(y0 + c.bottom[l])}, false)
			if c.items[it].high > 0 {
				label = Point{x, float64(y0) + float64(c.top[l]+c.bottom[l])/2}
			}
		}
		size = c.sizes[c.items[lower].node]
		last := Point{float64(x0) + ends[i], float64(y0) + c.middle(int(lower)) - float64(size.Height)/2}
		top := float64(y0 + c.top[c.items[lower].layer])
		if !e.back {
			tip = last
			last.Y -= float64(e.Arrow)
			top = min(top, last.Y)
		}
		to(Point{last.X, top}, true)
		to(last, false)
		if e.back {
			slices.Reverse(curve)
		}
		d.Edges[e.input] = Route{Curve: curve, Tip: tip, Label: label, Back: e.back}
	}
	for _, l := range c.loops {
		size := c.sizes[l.node]
		x := float64(x0+c.x[l.node]) + float64(size.Width)/2
		right := float64(x0+c.x[l.node]+(size.Width+1)/2) + float64(loopWidth(l.Arrow))
		y, by := float64(y0)+c.middle(l.node), float64(size.Height)/4
		tip := Point{x, y + by}
		end := Point{x + float64(l.Arrow), y + by}
		d.Edges[l.input] = Route{
			Curve: []Point{{x, y - by}, {right, y - by}, {right, y + by}, end},
			Tip:   tip,
			Label: Point{right - (right-x)/4 + float64(l.Arrow)/4, y}, // right of the curve's bend
		}
	}
}

// middle returns the height of an item's centre: that of its layer.
func (c *component) middle(it int) float64 {
	l := c.items[it].layer
	return float64(c.top[l]+c.bottom[l]) / 2
}

// ports says where on the lower border of its upper node, and on the upper
// border of its lower node, each edge is attached: straight above or below
// where it comes from, or as near as the border and the other edges leave
// room; the heavy ones first. Where there are many they keep to half of the
// border, so that a heavy one can still be in the middle.
func (c *component) ports() (starts, ends []float64) {
	starts, ends = make([]float64, len(c.edges)), make([]float64, len(c.edges))
	pos := make([]int, len(c.items))
	c.positions(pos)
	type end struct {
		edge, pos int
		pull
	}
	out, in := make([][]end, len(c.nodes)), make([][]end, len(c.nodes))
	for i, chain := range c.chains {
		w := c.edges[i].weight
		second, last := chain[1], chain[len(chain)-2]
		out[chain[0]] = append(out[chain[0]], end{i, pos[second], pull{c.x[second], w}})
		n := chain[len(chain)-1]
		in[n] = append(in[n], end{i, pos[last], pull{c.x[last], w}})
	}
	spread := func(n int, at []end, to []float64) {
		slices.SortStableFunc(at, func(a, b end) int { return cmp.Compare(a.pos, b.pos) })
		wishes := make([]pull, len(at))
		for i, e := range at {
			wishes[i] = e.pull
		}
		half := c.sizes[n].Width/2 - min(10, c.sizes[n].Width/4)
		for i, x := range apartAtLeast(wishes, c.x[n]-half, c.x[n]+half, 11) {
			to[at[i].edge] = float64(x)
		}
	}
	for n := range c.nodes {
		spread(n, out[n], starts)
		spread(n, in[n], ends)
	}
	return starts, ends
}

// apartAtLeast returns places in the order of the wishes, in a range and at
// least a gap apart, or as far as half of the range allows, whose weighted distances
// from the wishes sum up to the least: neighbours that would come too near are
// pooled and go to their median, until none do.
func apartAtLeast(wishes []pull, first, last, gap int) []int {
	if len(wishes) > 1 {
		gap = min(gap, (last-first)/2/(len(wishes)-1))
	}
	type pool struct {
		members []pull // wishes, less what stands left of them
		at      int
	}
	var pools []pool
	for i, w := range wishes {
		next := pool{members: []pull{{w.at - i*gap, w.weight}}, at: w.at - i*gap}
		for len(pools) > 0 && pools[len(pools)-1].at > next.at {
			next.members = append(slices.Clone(pools[len(pools)-1].members), next.members...)
			pools = pools[:len(pools)-1]
			next.at, _ = medians(slices.Clone(next.members))
		}
		pools = append(pools, next)
	}
	out := make([]int, 0, len(wishes))
	for _, p := range pools {
		at := max(first, min(p.at, last-(len(wishes)-1)*gap))
		for range p.members {
			out = append(out, at+len(out)*gap)
		}
	}
	return out
}
