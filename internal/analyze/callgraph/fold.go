package callgraph

import (
	"slices"

	"whet/internal/analyze/selection"
)

// The sums are made in one way: neighbouring samples share the root part of
// their stacks, so a sum over prefixes of stacks need not visit every frame of
// every sample. The path of the sample at hand is kept as a stack of places, and
// the values of all samples are added up as they come. While a place is on the
// path, every sample lies in its prefix: its sum is what the running sum grew by
// from when it was entered until it is left. So the work is a subtraction for
// each step in which neighbours differ.
//
// A node counts a sample once although it may be on its path several times:
// only the first of its places on the path adds to it. That place depends on
// nothing behind it, so it is the same for all samples that share it. The same
// holds for edges.

const none = -1

// sums of a node.
type sums struct {
	flat, flatDivisor int64
	cum, cumDivisor   int64
}

// call is an edge being summed up.
type call struct {
	from, to        int32
	weight, divisor int64
	residual        bool // once or more over nodes left out
	plain           bool // once or more not inlined
	onPath          bool
}

// place is a step of the path whose node is kept.
type place struct {
	value, divisor int64 // of all samples before it was entered
	node           int32
	edge           int32 // of which this is the first place on the path, or none
	first          bool  // place of node on the path
}

// fold sums up a walk.
type fold struct {
	kept   []bool // by node of the selection; nil keeps all
	onPath []bool
	sums   []sums
	edges  bool // wanted
	calls  []call
	find   pairs

	value, divisor int64 // of all samples so far
	path           []place
	upTo           []int32 // by step of the walk: the places up to it
}

// run reads the walk to its end.
func (f *fold) run(w *selection.Walk) {
	for w.Next() {
		f.leave(w.Shared)
		f.enter(w.Path, w.Shared)
		f.value += w.Value
		f.divisor += w.Divisor
		if len(w.Path) == 0 {
			continue
		}
		if leaf := w.Path[len(w.Path)-1].Node; f.keeps(leaf) {
			s := &f.sums[leaf]
			s.flat += w.Value
			s.flatDivisor += w.Divisor
		}
	}
	f.leave(0)
}

// enter puts the steps from the shared ones on onto the path.
func (f *fold) enter(steps []selection.Step, shared int) {
	for i := shared; i < len(steps); i++ {
		step := steps[i]
		node := int32(step.Node)
		if f.kept != nil && !f.kept[node] {
			f.upTo = append(f.upTo, int32(len(f.path)))
			continue
		}
		n := len(f.path)
		if n == cap(f.path) {
			f.path = slices.Grow(f.path, 1)
		}
		f.path = f.path[:n+1]
		p := &f.path[n]
		p.value, p.divisor, p.node, p.edge = f.value, f.divisor, node, none
		p.first = !f.onPath[node]
		f.onPath[node] = true
		if f.edges && n > 0 {
			if parent := f.path[n-1].node; parent != node {
				// Nodes lie between the two if the step before was not kept.
				p.edge = f.call(parent, node, !f.keeps(steps[i-1].Node), step.Inlined)
			}
		}
		f.upTo = append(f.upTo, int32(n+1))
	}
}

func (f *fold) keeps(node selection.NodeID) bool { return f.kept == nil || f.kept[node] }

// call returns the edge that the path's next step goes over, or none when the
// path has it already.
func (f *fold) call(from, to int32, gap, inlined bool) int32 {
	id := f.find.id(from, to)
	if int(id) == len(f.calls) {
		f.calls = append(f.calls, call{from: from, to: to})
	}
	c := &f.calls[id]
	if c.onPath {
		return none
	}
	c.onPath = true
	c.residual = c.residual || gap
	c.plain = c.plain || !inlined
	return id
}

// leave cuts the path down to the walk's first n steps.
func (f *fold) leave(n int) {
	keep := 0
	if n > 0 {
		keep = int(f.upTo[n-1])
	}
	for i := keep; i < len(f.path); i++ {
		p := &f.path[i]
		value, divisor := f.value-p.value, f.divisor-p.divisor
		if p.first {
			f.onPath[p.node] = false
			s := &f.sums[p.node]
			s.cum += value
			s.cumDivisor += divisor
		}
		if p.edge != none {
			c := &f.calls[p.edge]
			c.onPath = false
			c.weight += value
			c.divisor += divisor
		}
	}
	f.path = f.path[:keep]
	f.upTo = f.upTo[:n]
}

// add adds what the samples behind f's sum up to. Edges stay in the order in
// which they first appear.
func (f *fold) add(g *fold) {
	for i := range g.sums {
		s, t := &f.sums[i], &g.sums[i]
		s.flat += t.flat
		s.flatDivisor += t.flatDivisor
		s.cum += t.cum
		s.cumDivisor += t.cumDivisor
	}
	for i := range g.calls {
		d := &g.calls[i]
		id := f.find.id(d.from, d.to)
		if int(id) == len(f.calls) {
			f.calls = append(f.calls, call{from: d.from, to: d.to})
		}
		c := &f.calls[id]
		c.weight += d.weight
		c.divisor += d.divisor
		c.residual = c.residual || d.residual
		c.plain = c.plain || d.plain
	}
}

// pairs numbers pairs of numbers from none up in the order they are first asked
// for. It is a hash table of linear probing: it is asked at every step that
// neighbouring samples do not share.
type pairs struct {
	slots []pair
	used  int32
}

type pair struct {
	key uint64 // the pair, each number plus one; 0 for a free slot
	id  int32
}

// id returns the number of a pair; a new pair's is the number of those before.
func (p *pairs) id(a, b int32) int32 {
	if int(p.used)*2 >= len(p.slots) {
		p.grow()
	}
	key := uint64(uint32(a+1))<<32 | uint64(uint32(b+1))
	s := p.slot(key)
	if s.key == 0 {
		*s = pair{key, p.used}
		p.used++
	}
	return s.id
}

// slot is the pair's own or the free one in which it belongs.
func (p *pairs) slot(key uint64) *pair {
	mask := uint64(len(p.slots) - 1)
	// Fibonacci hashing: the upper bits of the product depend on all of the key's.
	for i := key * 0x9e3779b97f4a7c15 >> 32; ; i++ {
		if s := &p.slots[i&mask]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func (p *pairs) grow() {
	old := p.slots
	p.slots = make([]pair, max(1024, 4*len(old)))
	for _, s := range old {
		if s.key != 0 {
			*p.slot(s.key) = s
		}
	}
}
