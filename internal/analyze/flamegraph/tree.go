package flamegraph

import (
	"fmt"
	"math"
	"math/bits"

	"whet/internal/callstack"
)

// plainSteps is how many changes of paths a profile may have for its tree to
// be built whole; beyond it, only what the sketch says may be wide enough.
const plainSteps = 400_000

// sketchParts bounds a sketched tree where no part of the root was asked for.
const sketchParts = 1_000_000

// builder sums passes over samples into a graph.
type builder struct {
	*names
	options  Options
	of       callstack.ValueType
	value    func() *pass
	base     func() *pass // nil unless it is a comparison
	root     string
	ratio    float64
	plain    int // steps; plainSteps but in tests
	warnings []string

	sketch   sketch
	total    sides
	steps    int
	negative int
	shift    int // values are divided by 2^shift, so that their sum fits
	scale    float64

	nodes     []treeNode      // a parent before its children
	children  callstack.Pairs // a node and a frame to the child's node
	seen      counter
	estimated bool
}

// treeNode is a node while the tree grows.
type treeNode struct {
	frame, parent int32
	depth         int32
	sides         sides
	// Frames that got no node are counted at the nearest caller that has one:
	// how many different ones, and what the lowest of them hold.
	hidden float64
	lost   sides
}

// build makes the graph; nil where there is nothing to draw.
func (b *builder) build() (*Graph, error) {
	if err := b.options.Validate(); err != nil {
		return nil, err
	}
	if b.measure(); b.steps > b.plain {
		b.estimated, b.steps = true, 0
		b.measure()
	}
	if b.total == (sides{}) {
		return nil, nil
	}
	if b.estimated && b.options.Parts == 0 {
		b.options.Parts = sketchParts
	}
	for !b.tree() {
		b.options.Parts /= 2
	}
	return b.graph(), nil
}

// tree grows the tree, and reports whether that took no more nodes than
// spareNodes allows.
func (b *builder) tree() bool {
	b.nodes, b.children, b.seen = []treeNode{{parent: -1, sides: b.total}}, callstack.Pairs{}, counter{}
	return b.grow(b.value, 0) && (b.base == nil || b.grow(b.base, 1))
}

// spareNodes is the number of nodes that may be made for each that is drawn. Of a large
// heap profile fewer are made than may be drawn; more are of stacks made to fill
// memory, thousands of them, all wide and all different.
const spareNodes = 8

// open is a frame on the path to the current sample, with what is to be added
// to it once the path leaves it: work is done for changes of the path, not for
// each frame of each sample.
type open struct {
	hash    uint64
	node    int32 // or -1: it got none
	nearest int32 // node that counts it then
	pending sides
}

// measure finds the totals, the number of steps and, where these are known to be
// too many for a plain tree, what prefixes hold at most. It ends where they prove so.
func (b *builder) measure() {
	var sums [2][2]uint64 // of 128 bits: high, low
	against := 0
	for side, passes := range []func() *pass{b.value, b.base} {
		if passes == nil {
			continue
		}
		p := passes()
		path := []open{{}}
		closeTo := func(depth int) {
			for len(path) > depth {
				top := &path[len(path)-1]
				if depth := len(path) - 1; b.estimated && depth <= b.options.MaxDepth { // what is deeper is not drawn
					b.sketch.add(top.hash, top.pending)
				}
				path[len(path)-2].pending.plusAtMost(top.pending)
				path = path[:len(path)-1]
			}
		}
		for p.next() {
			closeTo(1 + p.shared)
			v := sidesOf(p.value, side)
			if p.value < 0 {
				against++
			}
			for i, x := range v {
				var carry uint64
				sums[i][1], carry = bits.Add64(sums[i][1], x, 0)
				sums[i][0] += carry
			}
			for _, f := range p.path[p.shared:] {
				path = append(path, open{hash: extend(path[len(path)-1].hash, f)})
			}
			if b.steps += len(p.path) - p.shared; b.steps > b.plain && !b.estimated {
				return
			}
			path[len(path)-1].pending.plusAtMost(v)
		}
		closeTo(1)
	}
	b.negative = against
	b.fit(sums)
}

// fit divides values so that all of them together stay below 2^62, which their
// sums and differences then do, too.
func (b *builder) fit(sums [2][2]uint64) {
	low, carry := bits.Add64(sums[0][1], sums[1][1], 0)
	high := sums[0][0] + sums[1][0] + carry
	n := bits.Len64(low)
	if high > 0 {
		n = 64 + bits.Len64(high)
	}
	b.shift = max(0, n-62)
	for i := range sums {
		b.total[i] = sums[i][1]>>b.shift | sums[i][0]<<(64-b.shift)
	}
	b.scale = 1
	if b.options.Normalize && b.total[0] > 0 && b.total[1] > 0 {
		b.scale = float64(b.total[0]) / float64(b.total[1])
	}
}

// sidesOf puts a value on its side: a negative one stands on the other.
func sidesOf(v int64, side int) (out sides) {
	if v < 0 {
		out[1-side] = -uint64(v)
	} else {
		out[side] = uint64(v)
	}
	return out
}

// below reports whether a frame of this size is collapsed: less than the
// parts-th part of the root, without rounding where there are whole numbers.
func (b *builder) below(v sides, parts uint64) bool {
	if b.scale != 1 {
		return (float64(v[0])+float64(v[1])*b.scale)*float64(parts) < float64(b.total[0])+float64(b.total[1])*b.scale
	}
	hi, lo := bits.Mul64(add(v[0], v[1]), parts)
	return hi == 0 && lo < b.total[0]+b.total[1]
}

// grow adds the samples of one side to the tree. With a shift the total of the
// samples is a little less than the root holds: each loses its remainder. It
// stops, and reports false, when a sketched tree has too many nodes.
func (b *builder) grow(passes func() *pass, side int) bool {
	p := passes()
	path := []open{{}}
	closeTo := func(depth int) {
		for len(path) > depth {
			top := &path[len(path)-1]
			from := &path[len(path)-2]
			if top.node >= 0 {
				b.nodes[top.node].sides.plus(top.pending)
			} else if from.node >= 0 {
				b.nodes[from.node].lost.plus(top.pending)
			}
			from.pending.plus(top.pending)
			path = path[:len(path)-1]
		}
	}
	for p.next() {
		closeTo(1 + p.shared)
		for _, f := range p.path[p.shared:] {
			path = append(path, b.step(&path[len(path)-1], f))
		}
		if b.estimated && b.options.Parts > 1 && len(b.nodes) > spareNodes*b.options.MaxNodes {
			return false
		}
		v := sidesOf(p.value, side)
		v[0], v[1] = v[0]>>b.shift, v[1]>>b.shift
		path[len(path)-1].pending.plus(v)
	}
	closeTo(1)
	return true
}

// step finds or makes the node of one more frame.
func (b *builder) step(from *open, frame int32) open {
	to := open{node: -1, nearest: from.nearest}
	if b.estimated {
		to.hash = extend(from.hash, frame)
	}
	if from.node >= 0 {
		if n, ok := b.children.Get(from.node, frame); ok {
			to.node, to.nearest = n, n
			return to
		}
		if !b.estimated || int(b.nodes[from.node].depth) < b.options.MaxDepth && !b.below(b.atMost(to.hash), uint64(b.options.Parts)) {
			n, _ := b.children.At(from.node, frame)
			*n = int32(len(b.nodes))
			to.node, to.nearest = *n, *n
			b.nodes = append(b.nodes, treeNode{frame: frame, parent: from.node, depth: b.nodes[from.node].depth + 1})
			return to
		}
	}
	b.nodes[to.nearest].hidden += b.seen.add(to.hash)
	return to
}

// atMost returns what a prefix can hold, divided as all values are.
func (b *builder) atMost(hash uint64) sides {
	v := b.sketch.atMost(hash)
	return sides{v[0] >> b.shift, v[1] >> b.shift}
}

func (b *builder) warn(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// doubts says what the graph does to the values.
func (b *builder) doubts() {
	if b.negative > 0 {
		b.warn("%d samples are negative: their frames are drawn by absolute value and marked as decreases", b.negative)
	}
	if b.shift > 0 {
		b.warn("the values are too large to sum: the flame graph shows them divided by 2^%d", b.shift)
	}
}

// whole rounds a number of frames.
func whole(n float64) int64 { return int64(math.Round(n)) }
