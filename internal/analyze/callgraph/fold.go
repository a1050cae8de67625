package callgraph

import "whet/internal/analyze/selection"

// The sums are made in one way: neighbouring samples share the root part of
// their stacks, so a sum over prefixes of stacks need not visit every frame of
// every sample. The path of the sample at hand is kept as a stack of prefixes,
// each with the value of the samples that lie in it and have not been handed on.
// A sample adds its value to its last prefix only. When a prefix is left, its
// value goes to its node and its edge, and to the prefix before it: so each
// value arrives once at each prefix of its path, and the work is two additions
// for each step in which neighbours differ.
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

// place is a step of the path.
type place struct {
	value, divisor int64 // not yet handed on
	cum            int32 // the node of which this is the first place on the path, or none
	edge           int32 // the edge likewise
	last           int32 // the last kept node up to here, or none
	gap            bool  // steps behind that node were left out
}

// fold sums up a walk.
type fold struct {
	kept   []bool // by node of the selection; nil keeps all
	onPath []bool
	sums   []sums
	edges  bool // wanted
	calls  []call
	find   pairs
	path   []place
}

// run reads the walk to its end.
func (f *fold) run(w *selection.Walk) {
	for w.Next() {
		f.leave(w.Shared)
		for _, step := range w.Path[w.Shared:] {
			f.enter(step)
		}
		if len(f.path) == 0 {
			continue
		}
		leaf := &f.path[len(f.path)-1]
		leaf.value += w.Value
		leaf.divisor += w.Divisor
		if leaf.last != none && !leaf.gap {
			s := &f.sums[leaf.last]
			s.flat += w.Value
			s.flatDivisor += w.Divisor
		}
	}
	f.leave(0)
}

// enter puts a step on the path.
func (f *fold) enter(step selection.Step) {
	parent, gap := int32(none), false
	if n := len(f.path); n > 0 {
		parent, gap = f.path[n-1].last, f.path[n-1].gap
	}
	node := int32(step.Node)
	if f.kept != nil && !f.kept[node] {
		f.path = append(f.path, place{cum: none, edge: none, last: parent, gap: true})
		return
	}
	p := place{cum: none, edge: none, last: node}
	if !f.onPath[node] {
		f.onPath[node] = true
		p.cum = node
	}
	if f.edges && parent != none && parent != node {
		p.edge = f.call(parent, node, gap, step.Inlined)
	}
	f.path = append(f.path, p)
}

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

// leave cuts the path down to its first n steps.
func (f *fold) leave(n int) {
	for i := len(f.path) - 1; i >= n; i-- {
		p := &f.path[i]
		if p.cum != none {
			f.onPath[p.cum] = false
			s := &f.sums[p.cum]
			s.cum += p.value
			s.cumDivisor += p.divisor
		}
		if p.edge != none {
			c := &f.calls[p.edge]
			c.onPath = false
			c.weight += p.value
			c.divisor += p.divisor
		}
		if i > 0 {
			f.path[i-1].value += p.value
			f.path[i-1].divisor += p.divisor
		}
	}
	f.path = f.path[:n]
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
