package report

import (
	"path/filepath"

	"whet/internal/callstack"
)

// nodes are what a view sums up by: functions, or their lines.
type nodes struct {
	keys []nodeKey
	file []string // of the first frame met
	cost []callstack.Cost
	of   []int32 // node of each frame
}

// nodeKey names a node. Fields a view does not sum up by stay empty.
type nodeKey struct {
	function string
	object   string // file loaded, where there is no function name
	file     string
	line     int
	start    int
}

func (k nodeKey) name() string {
	switch {
	case k.function != "":
		return k.function
	case k.object != "":
		return "[" + filepath.Base(k.object) + "]"
	}
	return "<unknown>"
}

func newNodes(p *callstack.Profile, key func(*callstack.Frame) nodeKey) *nodes {
	n := &nodes{of: make([]int32, p.NumFrames())}
	ids := make(map[nodeKey]int32)
	for i := range p.NumFrames() {
		f := p.Frame(callstack.FrameID(i))
		k := key(f)
		id, ok := ids[k]
		if !ok {
			id = int32(len(n.keys))
			ids[k] = id
			n.keys = append(n.keys, k)
			n.file = append(n.file, "")
		}
		if n.file[id] == "" {
			n.file[id] = f.File
		}
		n.of[i] = id
	}
	n.cost = make([]callstack.Cost, len(n.keys))
	return n
}

// sum adds column t up: flat at the leaf, cum once for each node of a stack.
func (n *nodes) sum(p *callstack.Profile, t int) {
	seen := make([]int, len(n.keys)) // 1 + the last sample that counted the node
	for i := range p.Len() {
		v := p.Value(t, i)
		if v == 0 {
			continue
		}
		for j, f := range p.Stack(i) {
			k := n.of[f]
			if j == 0 {
				n.cost[k].Flat += v
			}
			if seen[k] != i+1 {
				seen[k] = i + 1
				n.cost[k].Cum += v
			}
		}
	}
}

// live lists the nodes that hold anything.
func (n *nodes) live() []int {
	var out []int
	for i, c := range n.cost {
		if c != (callstack.Cost{}) {
			out = append(out, i)
		}
	}
	return out
}

// inlining says for every node whether the calls to it were inlined. Only
// calls between kept nodes count (nil: all), and only those at or over cut; a
// call from one node to another is inlined if it always was.
func (n *nodes) inlining(p *callstack.Profile, t int, kept []bool, cut int64) []string {
	type call struct{ from, to int32 }
	type calls struct {
		weight  int64
		inlined bool
		sample  int // 1 + the last sample that counted it
	}
	edges := make(map[call]*calls)
	for i := range p.Len() {
		v := p.Value(t, i)
		if v == 0 {
			continue
		}
		parent := int32(-1)
		stack := p.Stack(i)
		for j := len(stack) - 1; j >= 0; j-- {
			k := n.of[stack[j]]
			if kept != nil && !kept[k] {
				continue
			}
			if parent >= 0 && parent != k {
				e := edges[call{parent, k}]
				if e == nil {
					e = &calls{inlined: true}
					edges[call{parent, k}] = e
				}
				if e.sample != i+1 {
					e.sample = i + 1
					e.weight += v
					e.inlined = e.inlined && p.Frame(stack[j]).Inlined
				}
			}
			parent = k
		}
	}
	const plain, inlined = 1, 2
	found := make([]int, len(n.keys))
	for c, e := range edges {
		if magnitude(e.weight) < cut {
			continue
		}
		if e.inlined {
			found[c.to] |= inlined
		} else {
			found[c.to] |= plain
		}
	}
	notes := make([]string, len(n.keys))
	for i, f := range found {
		switch f {
		case inlined:
			notes[i] = "inline"
		case inlined | plain:
			notes[i] = "partial-inline"
		}
	}
	return notes
}
