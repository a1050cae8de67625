package report

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"whet/internal/callstack"
)

const (
	// flameCut: frames below 1/flameCut of the root are collapsed. A screen is
	// some 2,000 pixels wide, so that such a frame is a tenth of a pixel; it
	// takes one zoom to make it visible, and further ones find the block.
	flameCut = 20_000
	// flameDepth bounds the tower: what lies deeper is collapsed.
	flameDepth = 512
	// flameNodes bounds the tree, for the browser's sake: where more frames
	// than this reach the cut, the cut is doubled until they fit.
	flameNodes = 50_000
)

// Names of frames that are no functions.
const (
	flameRoot    = "all"
	flameNoStack = "(no stack)"
	flameUnknown = "(unknown)"
)

// BuildFlame sums column t of the samples kept into a call tree by function
// name, root first, children in the order of their names. display gives a
// file's name for people; nil keeps it. It returns nil where there is nothing
// to draw: no sample is kept, or all are zero.
//
// The root's value is the sum of the samples kept; a frame's children never
// hold more than it does. A negative value (of a difference of profiles) counts
// by its size, and a sum beyond 62 bits is scaled down; both say so in
// Flame.Warnings.
//
// The samples are sorted by their stacks and then read once, holding only the
// path to the current one: a frame's value is final when the next stack leaves
// it, and a frame below the cut is then taken off the end of the output, where
// nothing else follows yet. So the tree that is too large to keep is never
// built: a heap profile of 1.4 million samples has 7 million distinct paths.
func BuildFlame(p *callstack.Profile, t int, keep callstack.Keep, display func(frameFile string) string) *Flame {
	b := flameBuilder{p: p, values: make(map[callstack.StackID]uint64)}
	b.collect(t, keep)
	if b.total == 0 {
		return nil
	}
	b.rankNames()
	b.sortStacks()
	cut := uint64(flameCut)
	nodes := b.tree(cut)
	for nodes == nil {
		cut /= 2
		nodes = b.tree(cut)
	}
	return b.finish(nodes, display)
}

type flameBuilder struct {
	p        *callstack.Profile
	values   map[callstack.StackID]uint64
	example  map[callstack.StackID]int // a sample that has the stack
	total    uint64
	warnings []string

	names  []string // sorted
	rank   []int32  // per frame: index into names
	stacks []flameStack
}

// flameStack is one distinct stack, leaf first as in the profile.
type flameStack struct {
	frames []callstack.FrameID
	value  uint64
}

// collect adds the values of equal stacks up.
func (b *flameBuilder) collect(t int, keep callstack.Keep) {
	b.example = make(map[callstack.StackID]int)
	negative := 0
	var hi, lo uint64 // 128-bit total
	for i := range b.p.Len() {
		v := b.p.Value(t, i)
		if v == 0 || keep != nil && !keep(i) {
			continue
		}
		if v < 0 {
			negative++
		}
		var carry uint64
		lo, carry = bits.Add64(lo, size(v), 0)
		hi += carry
	}
	shift := 0
	if n := bits.Len64(lo); hi > 0 {
		shift = 64 + bits.Len64(hi) - 62
	} else if n > 62 {
		shift = n - 62
	}
	for i := range b.p.Len() {
		v := b.p.Value(t, i)
		if v == 0 || keep != nil && !keep(i) {
			continue
		}
		id := b.p.StackID(i)
		b.values[id] += size(v) >> shift
		b.example[id] = i
		b.total += size(v) >> shift
	}
	if negative > 0 {
		b.warnings = append(b.warnings, fmt.Sprintf("%d samples are negative: the flame graph draws them by their size", negative))
	}
	if shift > 0 {
		b.warnings = append(b.warnings, fmt.Sprintf("the values are too large to add up: the flame graph shows them divided by 2^%d", shift))
	}
}

// size is |v|, also of the smallest int64.
func size(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// rankNames gives every frame the position of its name among the sorted ones.
func (b *flameBuilder) rankNames() {
	seen := make(map[string]bool)
	for id := range b.p.NumFrames() {
		name := frameName(b.p.Frame(callstack.FrameID(id)))
		if !seen[name] {
			seen[name] = true
			b.names = append(b.names, name)
		}
	}
	if !seen[flameNoStack] {
		b.names = append(b.names, flameNoStack)
	}
	slices.Sort(b.names)
	at := make(map[string]int32, len(b.names))
	for i, name := range b.names {
		at[name] = int32(i)
	}
	b.rank = make([]int32, b.p.NumFrames())
	for id := range b.rank {
		b.rank[id] = at[frameName(b.p.Frame(callstack.FrameID(id)))]
	}
}

// frameName is the name a frame is summed under.
func frameName(f *callstack.Frame) string {
	switch {
	case f.Function != "":
		return f.Function
	case f.Address != 0:
		return fmt.Sprintf("0x%x", f.Address)
	}
	return flameUnknown
}

// sortStacks orders the distinct stacks by their names from the root, so that
// equal beginnings are neighbours.
func (b *flameBuilder) sortStacks() {
	b.stacks = make([]flameStack, 0, len(b.values))
	for id, v := range b.values {
		if v > 0 {
			b.stacks = append(b.stacks, flameStack{b.p.Stack(b.example[id]), v})
		}
	}
	slices.SortFunc(b.stacks, func(x, y flameStack) int {
		i, j := len(x.frames)-1, len(y.frames)-1
		for ; i >= 0 && j >= 0; i, j = i-1, j-1 {
			if d := b.rank[x.frames[i]] - b.rank[y.frames[j]]; d != 0 {
				return int(d)
			}
		}
		return i - j
	})
}

// openFrame is a frame on the path to the current stack.
type openFrame struct {
	name      int32
	node      int // its place in the output
	value     uint64
	collapsed int    // frames below it that were taken out
	cutValue  uint64 // what their topmost ones hold
}

// tree returns the nodes with the frames below total/cut collapsed, or nil as
// soon as they are more than flameNodes. Names are ranks; -1 is the root and -2
// a collapsed block.
func (b *flameBuilder) tree(cut uint64) []FlameNode {
	nodes := []FlameNode{{Name: -1, Parent: -1, Value: int64(b.total)}}
	path := []openFrame{{name: -1, value: b.total}}
	noStack, _ := slices.BinarySearch(b.names, flameNoStack)

	closeTo := func(depth int) {
		for len(path) > depth {
			f := path[len(path)-1]
			path = path[:len(path)-1]
			if len(path) > 0 && (len(path) > flameDepth || below(f.value, b.total, cut)) {
				// Its own descendants hold no more than it does, so they are
				// out already: it is the last node of the output.
				nodes = nodes[:f.node]
				up := &path[len(path)-1]
				up.collapsed += f.collapsed + 1
				up.cutValue += f.value
				continue
			}
			nodes[f.node].Value = int64(f.value)
			if f.collapsed > 0 {
				nodes = append(nodes, FlameNode{Name: -2, Parent: f.node, Value: int64(f.cutValue), Collapsed: f.collapsed})
			}
		}
	}
	at := func(s *flameStack, depth int) int32 { // depth from 1
		if len(s.frames) == 0 {
			return int32(noStack)
		}
		return b.rank[s.frames[len(s.frames)-depth]]
	}
	for i := range b.stacks {
		s := &b.stacks[i]
		depth := max(len(s.frames), 1)
		common := 1
		for common < len(path) && common <= depth && path[common].name == at(s, common) {
			common++
		}
		closeTo(common)
		if len(nodes) > flameNodes && cut > 1 {
			return nil
		}
		for d := range path[1:] {
			path[d+1].value += s.value
		}
		for d := common; d <= depth; d++ {
			path = append(path, openFrame{name: at(s, d), node: len(nodes), value: s.value})
			nodes = append(nodes, FlameNode{Name: int(at(s, d)), Parent: path[d-1].node})
		}
	}
	closeTo(0)
	return nodes
}

// below reports value < total/cut without rounding.
func below(value, total, cut uint64) bool {
	hi, lo := bits.Mul64(value, cut)
	return hi == 0 && lo < total
}

// finish replaces ranks by a table of the names that are used.
func (b *flameBuilder) finish(nodes []FlameNode, display func(string) string) *Flame {
	f := &Flame{Nodes: nodes, Warnings: b.warnings}
	files := make(map[int32]string)
	for id := range b.rank {
		file := b.p.Frame(callstack.FrameID(id)).File
		if _, ok := files[b.rank[id]]; !ok && file != "" {
			files[b.rank[id]] = file
		}
	}
	index := make(map[int]int)
	for i := range nodes {
		n := &nodes[i]
		at, ok := index[n.Name]
		if !ok {
			at = len(f.Names)
			index[n.Name] = at
			name, file := "", ""
			switch n.Name {
			case -1:
				name = flameRoot
			case -2: // a block has no name
			default:
				name, file = b.names[n.Name], files[int32(n.Name)]
			}
			if file != "" && display != nil {
				file = display(file)
			}
			f.Names = append(f.Names, strings.Clone(name))
			f.Files = append(f.Files, file)
		}
		n.Name = at
	}
	return f
}
