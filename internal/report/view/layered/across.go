package layered

import (
	"cmp"
	"slices"
)

// placeAcross finds the horizontal places: no two items of a layer overlap,
// and the weighted sum of how far edges lean is least. It is the layers'
// problem again: for a segment between u and v a further node lies left of
// both, and the sum of its distances to them is least when it is |x(u) − x(v)|.
//
// An edge that passes several layers must not bend on its way: its items have
// one place together, unless other edges that pass lie across it, in which case
// the lighter one bends. This also keeps the problem small: nodes and edges
// count, and not the layers that edges pass.
func (c *component) placeAcross() error {
	of, n := c.blocks()
	var constraints []constraint
	seen := make(map[[2]int32]int)
	for _, layer := range c.layers {
		for i := 1; i < len(layer); i++ {
			a, b := layer[i-1], layer[i]
			length := c.apart(a, b)
			key := [2]int32{of[a], of[b]}
			if at, ok := seen[key]; ok {
				constraints[at].length = max(constraints[at].length, length)
				continue
			}
			seen[key] = len(constraints)
			constraints = append(constraints, constraint{from: of[a], to: of[b], length: length})
		}
	}
	for _, seg := range c.segs {
		a, b := of[seg.from], of[seg.to]
		if a == b {
			continue
		}
		w := seg.weight * c.stiffness(seg)
		left := int32(n)
		n++
		constraints = append(constraints, constraint{from: left, to: a, weight: w}, constraint{from: left, to: b, weight: w})
	}
	x, err := minimise(n, constraints, 20_000)
	if err != nil {
		return err
	}
	c.x = make([]int, len(c.items))
	for i := range c.items {
		c.x[i] = x[of[i]]
	}
	c.centre(of)
	least, most := c.x[0]-c.items[0].left, 0
	for i, it := range c.items {
		least = min(least, c.x[i]-it.left)
	}
	for i, it := range c.items {
		c.x[i] -= least
		most = max(most, c.x[i]+it.right)
	}
	c.width = most
	return nil
}

// stiffness returns how much more than its weight a segment wants to be upright:
// long edges more than short ones, their middles most.
func (c *component) stiffness(s segment) int {
	switch a, b := c.items[s.from].node < 0, c.items[s.to].node < 0; {
	case a && b:
		return 8
	case a || b:
		return 2
	}
	return 1
}

// apart returns how far the places of two neighbours must lie apart.
func (c *component) apart(a, b int32) int {
	gap := c.o.NodeGap
	switch {
	case c.items[a].edge >= 0 && c.items[b].edge >= 0:
		gap = c.o.EdgeGap / 4
	case c.items[a].edge >= 0 || c.items[b].edge >= 0:
		gap = c.o.EdgeGap / 2
	}
	return c.items[a].right + gap + c.items[b].left
}

// blocks gives items that share a place one number, and returns how many there
// are. Segments inside of edges are taken by weight; one that would cross
// another that is upright already bends.
func (c *component) blocks() (of []int32, n int) {
	pos := make([]int, len(c.items))
	c.positions(pos)
	var inner []int32
	for i, s := range c.segs {
		if c.items[s.from].node < 0 && c.items[s.to].node < 0 {
			inner = append(inner, int32(i))
		}
	}
	slices.SortStableFunc(inner, func(a, b int32) int { return cmp.Compare(c.segs[b].weight, c.segs[a].weight) })
	type ends struct{ upper, lower int }
	upright := make([][]ends, len(c.layers)) // of the segments below a layer, from left to right
	above := make([]int32, len(c.items))     // the item an item stands under; its own where there is none
	for i := range above {
		above[i] = int32(i)
	}
	for _, id := range inner {
		s := &c.segs[id]
		l := c.items[s.from].layer
		e := ends{pos[s.from], pos[s.to]}
		at, _ := slices.BinarySearchFunc(upright[l], e, func(a, b ends) int { return cmp.Compare(a.upper, b.upper) })
		if at > 0 && upright[l][at-1].lower > e.lower || at < len(upright[l]) && upright[l][at].lower < e.lower {
			continue
		}
		upright[l] = slices.Insert(upright[l], at, e)
		above[s.to] = s.from
	}
	of = make([]int32, len(c.items))
	for _, layer := range c.layers { // from the top: what an item stands under has its number
		for _, it := range layer {
			if above[it] != it {
				of[it] = of[above[it]]
				continue
			}
			of[it] = int32(n)
			n++
		}
	}
	return of, n
}

// centre moves blocks that lean as much in several places to the middle of
// them, as far as their neighbours leave room: a caller stands above the
// middle of its callees, not above the first.
func (c *component) centre(of []int32) {
	members := make([][]int32, len(c.items))
	for _, layer := range c.layers {
		for _, it := range layer {
			members[of[it]] = append(members[of[it]], it)
		}
	}
	pos := make([]int, len(c.items))
	c.positions(pos)
	var pulls []pull
	for round := range 8 {
		moved := false
		for i := range members {
			b := i
			if round%2 == 1 {
				b = len(members) - 1 - i
			}
			if len(members[b]) == 0 {
				continue
			}
			pulls = pulls[:0]
			x := c.x[members[b][0]]
			const far = 1 << 40
			first, last := -far, far
			for _, it := range members[b] {
				layer := c.layers[c.items[it].layer]
				if p := pos[it]; p > 0 {
					first = max(first, c.x[layer[p-1]]+c.apart(layer[p-1], it))
				}
				if p := pos[it]; p+1 < len(layer) {
					last = min(last, c.x[layer[p+1]]-c.apart(it, layer[p+1]))
				}
				for _, s := range c.ups[it] {
					if from := c.segs[s].from; of[from] != int32(b) {
						pulls = append(pulls, pull{c.x[from], c.segs[s].weight * c.stiffness(c.segs[s])})
					}
				}
				for _, s := range c.downs[it] {
					if to := c.segs[s].to; of[to] != int32(b) {
						pulls = append(pulls, pull{c.x[to], c.segs[s].weight * c.stiffness(c.segs[s])})
					}
				}
			}
			if len(pulls) == 0 {
				continue
			}
			lo, hi := medians(pulls)
			to := max(first, min(last, (max(lo, first)+min(hi, last))/2))
			if hi < first {
				to = first
			} else if lo > last {
				to = last
			}
			if to != x {
				moved = true
				for _, it := range members[b] {
					c.x[it] = to
				}
			}
		}
		if !moved {
			return
		}
	}
}

// pull is a place that something wants to be at, and how much.
type pull struct {
	at, weight int
}

// medians sorts pulls and returns the range of places at which their weighted
// distances sum up to the least.
func medians(pulls []pull) (lo, hi int) {
	slices.SortFunc(pulls, func(a, b pull) int { return cmp.Compare(a.at, b.at) })
	total := 0
	for _, p := range pulls {
		total += p.weight
	}
	sum := 0
	for i, p := range pulls {
		sum += p.weight
		if 2*sum == total {
			return p.at, pulls[i+1].at
		}
		if 2*sum > total {
			return p.at, p.at
		}
	}
	return 0, 0
}
