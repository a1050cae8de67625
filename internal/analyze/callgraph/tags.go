package callgraph

import (
	"slices"
	"strings"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/quantity"
)

// class is what tells the samples of a node's tags apart: their string labels
// and the numbers under the key "bytes", the only ones that pprof's graphs keep.
type class struct {
	labels  string
	numbers []int64
}

func newClass(labels []callstack.Label) class {
	var c class
	var parts []string
	for _, l := range labels {
		switch {
		case l.Key == callstack.BaseKey: // no tag of a node
		case l.Str != "":
			parts = append(parts, l.Key+":"+l.Str)
		case l.Key == "bytes" && (l.Num != 0 || l.Unit != ""):
			c.numbers = append(c.numbers, l.Num)
		}
	}
	slices.Sort(parts)
	c.labels = strings.Join(parts, `\n`)
	return c
}

// tagCost is the sum of a node's samples of a class.
type tagCost struct {
	node  *Node
	class int32
	Costs
}

// mark is a place on the path of a node that tags are wanted for.
type mark struct {
	value, divisor int64 // of all samples before its class changed last, or it was entered
	node           *Node
	first          bool // place of node on the path
}

// tagFold sums up the values of some nodes by class. It is the fold of nodes
// and edges, but when the next sample is of another class, all places on the
// path hand in what they have.
type tagFold struct {
	id     func(parent int32, step selection.Step) int32 // of a step after another
	nodes  []*Node                                       // by id; nil where no tags are wanted
	onPath []bool

	value, divisor int64 // of all samples so far
	path           []mark
	steps          []tagStep
	now            int32 // the class of the sample before
	ids            map[tagKey]int32
	sums           []tagCost // in the order in which the samples come
}

// tagStep is a step of the walk.
type tagStep struct {
	id   int32
	upTo int32 // the places up to it
}

type tagKey struct {
	node  *Node
	class int32
}

// addTags gives nodes of a graph their tags.
func (b *build) addTags(nodes []*Node) {
	b.foldTags(nodes, len(b.s.Nodes), func(_ int32, step selection.Step) int32 { return int32(step.Node) })
}

// foldTags gives the nodes their tags, given how many nodes there are in all
// and which of them a step is.
func (b *build) foldTags(nodes []*Node, all int, id func(int32, selection.Step) int32) {
	f := tagFold{id: id, nodes: make([]*Node, all), onPath: make([]bool, all), ids: make(map[tagKey]int32)}
	for _, n := range nodes {
		f.nodes[n.index] = n
	}
	var classes []class
	ids := make([]int32, b.s.Profile().LabelSets()) // 1 + the class
	w := b.s.Walk()
	for w.Next() {
		set := w.LabelSet()
		if ids[set] == 0 {
			classes = append(classes, newClass(w.Labels()))
			ids[set] = int32(len(classes))
		}
		f.sample(w, ids[set]-1)
	}
	f.leave(0)
	b.name(f.sums, classes)
	for _, n := range nodes {
		b.trimTags(n)
	}
}

func (f *tagFold) sample(w *selection.Walk, class int32) {
	f.leave(w.Shared)
	if class != f.now {
		f.handIn(0)
		f.now = class
	}
	for _, step := range w.Path[w.Shared:] {
		parent := int32(none)
		if n := len(f.steps); n > 0 {
			parent = f.steps[n-1].id
		}
		id := f.id(parent, step)
		if n := f.nodes[id]; n != nil {
			f.path = append(f.path, mark{f.value, f.divisor, n, !f.onPath[id]})
			f.onPath[id] = true
		}
		f.steps = append(f.steps, tagStep{id, int32(len(f.path))})
	}
	f.value += w.Value
	f.divisor += w.Divisor
	if len(f.steps) == 0 {
		return
	}
	if n := f.nodes[f.steps[len(f.steps)-1].id]; n != nil {
		s := f.of(n)
		s.Flat += w.Value
		s.FlatDivisor += w.Divisor
	}
}

// leave cuts the path down to the walk's first n steps.
func (f *tagFold) leave(n int) {
	keep := 0
	if n > 0 {
		keep = int(f.steps[n-1].upTo)
	}
	f.handIn(keep)
	for _, m := range f.path[keep:] {
		if m.first {
			f.onPath[m.node.index] = false
		}
	}
	f.path = f.path[:keep]
	f.steps = f.steps[:n]
}

// handIn adds what the places from the i-th on have to their nodes' sums.
func (f *tagFold) handIn(i int) {
	for ; i < len(f.path); i++ {
		m := &f.path[i]
		value, divisor := f.value-m.value, f.divisor-m.divisor
		if m.first && (value != 0 || divisor != 0) {
			s := f.of(m.node)
			s.Cum += value
			s.CumDivisor += divisor
		}
		m.value, m.divisor = f.value, f.divisor
	}
}

// of returns a node's sums of the class at hand.
func (f *tagFold) of(n *Node) *tagCost {
	k := tagKey{n, f.now}
	id, ok := f.ids[k]
	if !ok {
		id = int32(len(f.sums))
		f.ids[k] = id
		f.sums = append(f.sums, tagCost{node: n, class: f.now})
	}
	return &f.sums[id]
}

// name makes tags of classes: of a class all its string labels together, and
// each of its numbers. Numbers that print alike are one tag.
func (b *build) name(list []tagCost, classes []class) {
	type tagID struct {
		node    *Node
		numeric bool
		labels  string
		name    string
	}
	tags := make(map[tagID]*Tag)
	add := func(t *tagCost, id tagID, number int64, unit string) {
		tag := tags[id]
		if tag == nil {
			tag = &Tag{Name: id.name, Unit: unit, Value: number}
			tags[id] = tag
			n := t.node
			if id.numeric {
				if n.Numbers == nil {
					n.Numbers = make(map[string][]*Tag)
				}
				n.Numbers[id.labels] = append(n.Numbers[id.labels], tag)
			} else {
				n.Labels = append(n.Labels, tag)
			}
		}
		tag.Add(&t.Costs)
	}
	units, _ := b.s.LabelUnits()
	unit := units["bytes"]
	target := b.o.Unit
	if target == "" {
		target = "minimum"
	}
	for i := range list {
		t := &list[i]
		c := &classes[t.class]
		if c.labels != "" {
			add(t, tagID{node: t.node, name: c.labels}, 0, "")
		}
		for _, v := range c.numbers {
			add(t, tagID{node: t.node, numeric: true, labels: c.labels, name: quantity.PprofLabel(v, unit, target)}, v, unit)
		}
	}
}

// trimTags drops a node's tags below the node cut.
func (b *build) trimTags(n *Node) {
	light := func(t *Tag) bool { return magnitude(t.Flat) < b.nodeCut && magnitude(t.Cum) < b.nodeCut }
	n.Labels = slices.DeleteFunc(n.Labels, light)
	for key, tags := range n.Numbers {
		n.Numbers[key] = slices.DeleteFunc(tags, light)
	}
}
