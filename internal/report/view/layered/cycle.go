package layered

import (
	"cmp"
	"slices"
)

// breakCycles turns edges around so that none of them goes in a circle: those
// that lead back to a node on the way to them, on a walk from the nodes nobody
// points to that takes heavy edges first. So calls go down from where the
// program starts, and what goes up is the lighter edge of a recursion.
func (c *component) breakCycles() {
	out := make([][]int, len(c.nodes))
	in := make([]int, len(c.nodes))
	for i, e := range c.edges {
		out[e.from] = append(out[e.from], i)
		in[e.to]++
	}
	for _, o := range out {
		slices.SortStableFunc(o, func(a, b int) int { return cmp.Compare(c.edges[b].weight, c.edges[a].weight) })
	}
	const (
		unseen = iota
		open   // on the way to where we are
		done
	)
	state := make([]int, len(c.nodes))
	next := make([]int, len(c.nodes)) // index in out of the edge to look at
	walk := func(start int) {
		path := []int{start}
		state[start] = open
		for len(path) > 0 {
			n := path[len(path)-1]
			if next[n] == len(out[n]) {
				state[n] = done
				path = path[:len(path)-1]
				continue
			}
			e := &c.edges[out[n][next[n]]]
			next[n]++
			switch state[e.to] {
			case unseen:
				state[e.to] = open
				path = append(path, e.to)
			case open:
				e.back = true
			}
		}
	}
	for n := range c.nodes {
		if in[n] == 0 {
			walk(n)
		}
	}
	for n := range c.nodes { // cycles that nothing leads to
		if state[n] == unseen {
			walk(n)
		}
	}
	for i := range c.edges {
		if e := &c.edges[i]; e.back {
			e.from, e.to = e.to, e.from
		}
	}
}
