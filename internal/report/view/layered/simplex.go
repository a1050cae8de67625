package layered

import (
	"container/heap"
	"errors"
)

// Layers and places across are the same problem: numbers for nodes, so that
// each lies at least some length after another, and the weighted sum of all
// distances is as small as can be. It is a linear program whose dual is a flow
// of least cost, and the network simplex method solves it (Gansner, Koutsofios,
// North, Vo: A Technique for Drawing Directed Graphs, 1993, section 2).
//
// A basis is a spanning tree of constraints that hold with equality. Removing
// one of its edges parts the nodes in two; moving the edge's head side away
// from its tail side changes the sum by the edge's *cut value*: the weight of
// all edges from tail side to head side less that of those back. Where it is
// negative the sides are moved apart, until an edge from head side to tail side
// gets tight, which takes the other's place in the tree.
//
// The cut value is computed without the paper's case distinctions: with
// surplus(v) = weight of edges out of v − weight of edges into v, the sum of
// surplus over the side below a tree edge counts edges inside the side twice
// with opposite signs, and leaves those that cross.

// constraint asks for x[to] − x[from] ≥ length; each unit more costs weight.
type constraint struct {
	from, to       int32
	length, weight int
}

type simplex struct {
	edges []constraint
	at    [][]int32 // constraints at a node
	x     []int

	tree   [][]int32 // constraints of the tree at a node
	chosen []int32   // those of the tree
	slot   []int32   // of a constraint: its index in chosen, or -1
	cut    []int     // of a constraint in the tree
	parent []int32   // of a node: the constraint towards the root, or -1
	lim    []int32   // of a node: its number when the tree is left bottom up
	low    []int32   // of a node: the lowest number below it
	order  []int32   // nodes by number
}

var errCycle = errors.New("draw graph: constraints in a circle")

// minimise solves the constraints on n connected nodes. After the given number
// of exchanges it returns what it has, which keeps every constraint.
func minimise(n int, edges []constraint, exchanges int) ([]int, error) {
	s := &simplex{edges: edges, at: make([][]int32, n), tree: make([][]int32, n), slot: make([]int32, len(edges)), cut: make([]int, len(edges)),
		parent: make([]int32, n), lim: make([]int32, n), low: make([]int32, n), order: make([]int32, n)}
	for i, e := range edges {
		s.at[e.from] = append(s.at[e.from], int32(i))
		s.at[e.to] = append(s.at[e.to], int32(i))
		s.slot[i] = -1
	}
	if !s.start(n) {
		return nil, errCycle
	}
	if n < 2 {
		return s.x, nil
	}
	s.span()
	s.number(0, -1, 0)
	s.weigh()
	for from := 0; exchanges > 0; exchanges-- {
		leaving, at := s.leaving(from)
		if leaving < 0 {
			break
		}
		s.exchange(leaving, s.entering(leaving))
		from = at
	}
	least := s.x[0]
	for _, x := range s.x {
		least = min(least, x)
	}
	for i := range s.x {
		s.x[i] -= least
	}
	return s.x, nil
}

// start gives every node the least number that keeps the constraints.
func (s *simplex) start(n int) bool {
	s.x = make([]int, n)
	before := make([]int, n)
	for _, e := range s.edges {
		before[e.to]++
	}
	ready := make([]int32, 0, n)
	for v := range n {
		if before[v] == 0 {
			ready = append(ready, int32(v))
		}
	}
	for i := 0; i < len(ready); i++ {
		for _, id := range s.at[ready[i]] {
			e := &s.edges[id]
			if e.from != ready[i] {
				continue
			}
			s.x[e.to] = max(s.x[e.to], s.x[e.from]+e.length)
			if before[e.to]--; before[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	return len(ready) == n
}

func (s *simplex) slack(id int32) int {
	e := &s.edges[id]
	return s.x[e.to] - s.x[e.from] - e.length
}

// span makes a tree of tight constraints: it grows from one node, and is moved
// as a whole until the constraint nearest to being tight is. What leads out of
// the tree and what leads into it get nearer by moves in opposite directions,
// so each has a queue whose keys are off by what the tree has moved.
func (s *simplex) span() {
	moved := 0
	in := make([]bool, len(s.x))
	var outward, inward queue
	add := func(v int32) {
		in[v] = true
		s.x[v] -= moved // found again at the end
		for _, id := range s.at[v] {
			e := &s.edges[id]
			switch {
			case e.from == v && !in[e.to]:
				heap.Push(&outward, waiting{s.x[e.to] - s.x[v] - e.length, id})
			case e.to == v && !in[e.from]:
				heap.Push(&inward, waiting{s.x[v] - s.x[e.from] - e.length, id})
			}
		}
	}
	add(0)
	for len(s.chosen) < len(s.x)-1 {
		for len(outward) > 0 && in[s.edges[outward[0].id].to] {
			heap.Pop(&outward)
		}
		for len(inward) > 0 && in[s.edges[inward[0].id].from] {
			heap.Pop(&inward)
		}
		var id, v int32
		if len(inward) == 0 || len(outward) > 0 && outward[0].key-moved <= inward[0].key+moved {
			next := heap.Pop(&outward).(waiting)
			id, v = next.id, s.edges[next.id].to
			moved = next.key
		} else {
			next := heap.Pop(&inward).(waiting)
			id, v = next.id, s.edges[next.id].from
			moved = -next.key
		}
		s.join(id, int32(len(s.chosen)))
		s.chosen = append(s.chosen, id)
		add(v)
	}
	for v := range s.x {
		s.x[v] += moved
	}
}

// join puts a constraint into the tree.
func (s *simplex) join(id, slot int32) {
	e := &s.edges[id]
	s.slot[id] = slot
	s.tree[e.from] = append(s.tree[e.from], id)
	s.tree[e.to] = append(s.tree[e.to], id)
}

// number numbers the nodes below v, each after all below it.
func (s *simplex) number(v, parent, next int32) int32 {
	s.parent[v] = parent
	s.low[v] = next
	for _, id := range s.tree[v] {
		if id != parent {
			next = s.number(s.other(id, v), id, next)
		}
	}
	s.lim[v] = next
	s.order[next] = v
	return next + 1
}

func (s *simplex) other(id, v int32) int32 {
	e := &s.edges[id]
	if e.from == v {
		return e.to
	}
	return e.from
}

// weigh computes the cut values of the first tree.
func (s *simplex) weigh() {
	surplus := make([]int, len(s.x))
	for _, e := range s.edges {
		surplus[e.from] += e.weight
		surplus[e.to] -= e.weight
	}
	for _, v := range s.order {
		id := s.parent[v]
		if id < 0 {
			continue
		}
		if s.edges[id].from == v {
			s.cut[id] = surplus[v]
		} else {
			s.cut[id] = -surplus[v]
		}
		surplus[s.other(id, v)] += surplus[v]
	}
}

// leaving finds a constraint of the tree to be given up, or -1: the worst of
// some, looked for in turns.
func (s *simplex) leaving(from int) (id int32, at int) {
	id = -1
	found := 0
	for i := range s.chosen {
		j := from + i
		if j >= len(s.chosen) {
			j -= len(s.chosen)
		}
		if c := s.chosen[j]; s.cut[c] < 0 {
			if id < 0 || s.cut[c] < s.cut[id] {
				id, at = c, j
			}
			if found++; found == 30 {
				break
			}
		}
	}
	return id, at
}

// below reports whether v is u or below it in the tree.
func (s *simplex) below(v, u int32) bool { return s.low[u] <= s.lim[v] && s.lim[v] <= s.lim[u] }

// side returns the lower end of a constraint of the tree, and whether that is
// its tail.
func (s *simplex) side(id int32) (v int32, tail bool) {
	e := &s.edges[id]
	if s.lim[e.from] < s.lim[e.to] {
		return e.from, true
	}
	return e.to, false
}

// entering finds the constraint from head side to tail side that is nearest to
// being tight.
func (s *simplex) entering(leaving int32) int32 {
	root, tail := s.side(leaving)
	best, least := int32(-1), 0
	look := func(nodes []int32, into bool) {
		for _, v := range nodes {
			for _, id := range s.at[v] {
				e := &s.edges[id]
				near, far := e.from, e.to
				if into {
					near, far = far, near
				}
				if near != v || s.below(far, root) == s.below(v, root) {
					continue
				}
				if slack := s.slack(id); best < 0 || slack < least || slack == least && id < best {
					best, least = id, slack
				}
			}
		}
	}
	if first, last := s.low[root], s.lim[root]; int(last-first) < len(s.x)/2 {
		look(s.order[first:last+1], tail)
	} else {
		look(s.order[:first], !tail)
		look(s.order[last+1:], !tail)
	}
	return best
}

// exchange makes entering tight and puts it in the place of leaving.
func (s *simplex) exchange(leaving, entering int32) {
	root, tail := s.side(leaving)
	by := s.slack(entering)
	if tail {
		by = -by
	}
	if first, last := s.low[root], s.lim[root]; int(last-first) < len(s.x)/2 {
		s.shift(s.order[first:last+1], by)
	} else {
		s.shift(s.order[:first], -by)
		s.shift(s.order[last+1:], -by)
	}

	// The flow of the dual goes around the cycle that entering closes.
	flow := -s.cut[leaving]
	from, to := s.edges[entering].from, s.edges[entering].to
	top := from
	for !s.below(to, top) {
		top = s.drain(top, -flow)
	}
	for to != top {
		to = s.drain(to, flow)
	}
	s.cut[entering] = flow

	slot := s.slot[leaving]
	s.slot[leaving] = -1
	for _, v := range []int32{s.edges[leaving].from, s.edges[leaving].to} {
		t := s.tree[v]
		for i := range t {
			if t[i] == leaving {
				t[i] = t[len(t)-1]
				s.tree[v] = t[:len(t)-1]
				break
			}
		}
	}
	s.chosen[slot] = entering
	s.join(entering, slot)
	s.number(top, s.parent[top], s.low[top])
}

func (s *simplex) shift(nodes []int32, by int) {
	for _, v := range nodes {
		s.x[v] += by
	}
}

// drain adds a flow to the constraint above v, and returns the node there.
func (s *simplex) drain(v int32, flow int) int32 {
	id := s.parent[v]
	if s.edges[id].from == v {
		s.cut[id] += flow
	} else {
		s.cut[id] -= flow
	}
	return s.other(id, v)
}

// waiting is a constraint that leads out of a growing tree or into it.
type waiting struct {
	key int
	id  int32
}

type queue []waiting

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].key < q[j].key || q[i].key == q[j].key && q[i].id < q[j].id
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(waiting)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
