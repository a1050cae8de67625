package layered

import (
	"cmp"
	"slices"
)

// order finds an order of the items in each layer in which few edges cross,
// and returns the number of crossings. From each of two first orders, those in
// which a walk down from the top and one up from the bottom meet the items, it
// sweeps up and down, sorts every layer by the weighted mean place of the
// items' neighbours in the layer before, and swaps neighbours as long as that
// helps; the best order of all is kept.
func (c *component) order() int {
	var best [][]int32
	least := 0
	pos := make([]int, len(c.items))
	sweeps := max(6, min(28, 150_000/(1+len(c.segs))))
	for _, down := range []bool{true, false} {
		c.walkOrder(down)
		c.positions(pos)
		for sweep := 0; sweep <= sweeps; sweep++ {
			if sweep > 0 {
				c.sweep(pos, sweep%2 == 1, sweep/2%2 == 1)
			}
			c.swap(pos)
			if cost := c.crossings(pos, true); best == nil || cost < least {
				least = cost
				best = cloneOrder(c.layers)
			}
			if least == 0 {
				break
			}
		}
	}
	c.layers = best
	c.positions(pos)
	return c.crossings(pos, false)
}

func cloneOrder(layers [][]int32) [][]int32 {
	out := make([][]int32, len(layers))
	for i, l := range layers {
		out[i] = slices.Clone(l)
	}
	return out
}

func (c *component) positions(pos []int) {
	for _, layer := range c.layers {
		for i, it := range layer {
			pos[it] = i
		}
	}
}

// walkOrder puts the items into their layers in the order of a walk, depth
// first, along the heavy edges before the light ones.
func (c *component) walkOrder(down bool) {
	for i := range c.layers {
		c.layers[i] = c.layers[i][:0]
	}
	seen := make([]bool, len(c.items))
	next := c.ups
	if down {
		next = c.downs
	}
	var walk func(it int32)
	walk = func(it int32) {
		if seen[it] {
			return
		}
		seen[it] = true
		c.layers[c.items[it].layer] = append(c.layers[c.items[it].layer], it)
		to := slices.Clone(next[it])
		slices.SortStableFunc(to, func(a, b int32) int { return cmp.Compare(c.segs[b].weight, c.segs[a].weight) })
		for _, s := range to {
			if down {
				walk(c.segs[s].to)
			} else {
				walk(c.segs[s].from)
			}
		}
	}
	starts := make([]int32, len(c.items))
	for i := range starts {
		starts[i] = int32(i)
	}
	slices.SortStableFunc(starts, func(a, b int32) int {
		if down {
			return cmp.Compare(c.items[a].layer, c.items[b].layer)
		}
		return cmp.Compare(c.items[b].layer, c.items[a].layer)
	})
	for _, it := range starts {
		walk(it)
	}
}

// sweep sorts every layer by the items' neighbours in the layer before it.
// Items without such neighbours keep their places. Ties are left or turned
// around, in turns: what is equal to one layer may not be to the next.
func (c *component) sweep(pos []int, down, turn bool) {
	const fine = 1 << 16 // parts of a place
	mean := make([]int, len(c.items))
	for i := range c.layers {
		l := i
		segs := c.ups
		if !down {
			l = len(c.layers) - 1 - i
			segs = c.downs
		}
		var sorted []int32
		for _, it := range c.layers[l] {
			if len(segs[it]) == 0 {
				continue
			}
			sum, weight := 0, 0
			for _, s := range segs[it] {
				seg := &c.segs[s]
				other := seg.from
				if !down {
					other = seg.to
				}
				sum += pos[other] * seg.cross
				weight += seg.cross
			}
			mean[it] = sum * fine / weight
			sorted = append(sorted, it)
		}
		if turn {
			slices.Reverse(sorted)
		}
		slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(mean[a], mean[b]) })
		next := 0
		for p, it := range c.layers[l] {
			if len(segs[it]) > 0 {
				c.layers[l][p] = sorted[next]
				next++
			}
			pos[c.layers[l][p]] = p
		}
	}
}

// swap exchanges neighbours in a layer as long as crossings get fewer.
func (c *component) swap(pos []int) {
	dirty := make([]bool, len(c.layers))
	for i := range dirty {
		dirty[i] = true
	}
	for round := 0; round < 20; round++ {
		better := false
		for l, layer := range c.layers {
			if !dirty[l] {
				continue
			}
			dirty[l] = false
			for i := 1; i < len(layer); i++ {
				a, b := layer[i-1], layer[i]
				now := c.pair(c.ups[a], c.ups[b], pos, false) + c.pair(c.downs[a], c.downs[b], pos, true)
				if now == 0 {
					continue
				}
				then := c.pair(c.ups[b], c.ups[a], pos, false) + c.pair(c.downs[b], c.downs[a], pos, true)
				if then < now {
					layer[i-1], layer[i] = b, a
					pos[a], pos[b] = i, i-1
					better = true
					for _, near := range []int{l - 1, l, l + 1} {
						if near >= 0 && near < len(dirty) {
							dirty[near] = true
						}
					}
				}
			}
		}
		if !better {
			return
		}
	}
}

// pair returns what the crossings between the segments of an item and those of one
// to the right of it cost.
func (c *component) pair(left, right []int32, pos []int, down bool) int {
	cost := 0
	for _, a := range left {
		for _, b := range right {
			x, y := c.segs[a].from, c.segs[b].from
			if down {
				x, y = c.segs[a].to, c.segs[b].to
			}
			if pos[x] > pos[y] {
				cost += c.segs[a].cross * c.segs[b].cross
			}
		}
	}
	return cost
}

// crossings counts the pairs of segments that cross, or sums up what they
// cost: with the segments in the order of their upper ends, each crosses those
// before it whose lower ends lie further right, and a tree of partial sums
// over the lower ends says how much that is (Barth, Jünger, Mutzel: Simple and
// Efficient Bilayer Cross Counting, 2002).
func (c *component) crossings(pos []int, cost bool) int {
	total := 0
	var lower []int32 // segments
	for l := 0; l+1 < len(c.layers); l++ {
		lower = lower[:0]
		for _, it := range c.layers[l] {
			first := len(lower)
			lower = append(lower, c.downs[it]...)
			slices.SortFunc(lower[first:], func(a, b int32) int { return cmp.Compare(pos[c.segs[a].to], pos[c.segs[b].to]) })
		}
		sums := make([]int, len(c.layers[l+1])+1) // a Fenwick tree, from the right
		for _, s := range lower {
			seg := &c.segs[s]
			weight := 1
			if cost {
				weight = seg.cross
			}
			at := len(c.layers[l+1]) - pos[seg.to] // from 1 at the right end
			for i := at - 1; i > 0; i -= i & -i {
				total += weight * sums[i]
			}
			for i := at; i < len(sums); i += i & -i {
				sums[i] += weight
			}
		}
	}
	return total
}
