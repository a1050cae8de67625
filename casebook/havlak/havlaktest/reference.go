package havlaktest

import (
	"slices"

	"whet/casebook/havlak"
)

// drawn is a graph as lists of neighbours.
type drawn struct{ out, in [][]int }

func draw(g havlak.Graph) drawn {
	d := drawn{make([][]int, g.Blocks()), make([][]int, g.Blocks())}
	for from, to := range g.Edges() {
		d.out[from] = append(d.out[from], to)
		d.in[to] = append(d.in[to], from)
	}
	return d
}

// reach returns what can be reached from a block over neighbours without
// stepping on a block that is not allowed.
func reach(neighbours [][]int, from int, allowed func(b int) bool) []bool {
	reached := make([]bool, len(neighbours))
	if from >= len(neighbours) || !allowed(from) {
		return reached
	}
	reached[from] = true
	for work := []int{from}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		for _, to := range neighbours[b] {
			if allowed(to) && !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
	return reached
}

func anywhere(int) bool { return true }

// ByDefinition finds the loops of a graph from what a loop is.
func ByDefinition(g havlak.Graph) Seen {
	d := draw(g)
	n := g.Blocks()
	// The walk's tree: through[b] is the block that b was reached through.
	const notReached = -2
	through := slices.Repeat([]int{notReached}, n)
	var walk func(b, from int)
	walk = func(b, from int) {
		through[b] = from
		for _, to := range d.out[b] {
			if through[to] == notReached {
				walk(to, b)
			}
		}
	}
	if n > 0 {
		walk(0, -1)
	}
	bodies, irreducible := map[int][]bool{}, map[int]bool{}
	for h := range n {
		if through[h] == notReached {
			continue
		}
		below := func(b int) bool {
			for b >= 0 && b != h {
				b = through[b]
			}
			return b == h
		}
		if !slices.ContainsFunc(d.in[h], below) {
			continue
		}
		body := reach(d.in, h, below)
		bodies[h] = body
		for b, in := range body {
			if in && b != h && slices.ContainsFunc(d.in[b], func(from int) bool { return through[from] != notReached && !body[from] }) {
				irreducible[h] = true
			}
		}
	}
	return nested(n, bodies, irreducible)
}

// ByDominators finds the natural loops of a graph: those of edges from a block
// to one that dominates it. ok is false if the graph is irreducible, that is
// if it has cycles without such an edge.
func ByDominators(g havlak.Graph) (seen Seen, ok bool) {
	d := draw(g)
	n := g.Blocks()
	live := reach(d.out, 0, anywhere)
	forward := make([][]int, n) // edges that do not lead back
	bodies := map[int][]bool{}
	for h := range n {
		if !live[h] {
			continue
		}
		// h dominates what cannot be reached without it.
		others := reach(d.out, 0, func(b int) bool { return b != h })
		for _, from := range d.in[h] {
			if !live[from] {
				continue
			}
			if others[from] {
				forward[from] = append(forward[from], h)
				continue
			}
			if bodies[h] == nil {
				bodies[h] = make([]bool, n)
				bodies[h][h] = true
			}
			for b, in := range reach(d.in, from, func(b int) bool { return b != h && live[b] }) {
				bodies[h][b] = bodies[h][b] || in
			}
		}
	}
	for b := range n {
		for _, to := range forward[b] {
			if reach(forward, to, anywhere)[b] {
				return Seen{}, false
			}
		}
	}
	return nested(n, bodies, nil), true
}
