package wall

import (
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// tree holds every stack as a path from the root function to the leaf, so that
// what two stacks share is their nearest common ancestor, and what a stack says
// about its request is known from its parent and one more frame.
type tree struct {
	// numbers are those of frames. A builder would keep them all, and not those
	// of samples alone.
	numbers  map[callstack.Frame]int
	seen     []*callstack.Frame // by number
	children map[child]*node
	// names, byStack and byWait are of the reading at hand.
	names           names
	byStack, byWait []*node // by number
	byFrame         map[*callstack.Frame]int
}

// names tells what the numbers in events mean.
type names interface {
	Stack(exectrace.StackID) *exectrace.Stack
	String(exectrace.StringID) string
}

type child struct {
	parent *node
	frame  int // its number
}

// node is a stack. The empty stack has none.
type node struct {
	parent *node
	frame  int    // its number
	name   string // the leaf's function
	depth  int    // frames
	cut    bool   // frames towards the root may be missing
	facts
}

func newTree() *tree {
	t := &tree{numbers: make(map[callstack.Frame]int), children: make(map[child]*node)}
	t.nextTrace()
	return t
}

// nextTrace forgets the pointers of the reading that ended.
func (t *tree) nextTrace() {
	t.byStack, t.byWait = nil, nil
	t.byFrame = make(map[*callstack.Frame]int)
}

// node returns the place of a stack, nil for none.
func (t *tree) node(id exectrace.StackID) *node {
	return t.place(&t.byStack, id, func(frames []*callstack.Frame) []*callstack.Frame { return frames })
}

// waiting returns the place of a stack without the runtime's frames of parking
// at its leaf: the trace gives them when it states what a goroutine does, and
// leaves them out when the goroutine stops, and the place is the same.
func (t *tree) waiting(id exectrace.StackID) *node {
	return t.place(&t.byWait, id, func(frames []*callstack.Frame) []*callstack.Frame {
		for len(frames) > 1 && isParking(frames[0].Function) {
			frames = frames[1:]
		}
		return frames
	})
}

func (t *tree) place(known *[]*node, id exectrace.StackID, frames func([]*callstack.Frame) []*callstack.Frame) *node {
	if id == 0 {
		return nil
	}
	if int(id) >= len(*known) {
		*known = append(*known, make([]*node, int(id)+1-len(*known))...)
	}
	n := (*known)[id]
	if n == nil {
		s := t.names.Stack(id)
		n = t.path(frames(s.Frames), s.Cut())
		(*known)[id] = n
	}
	return n
}

func (t *tree) path(frames []*callstack.Frame, cut bool) *node {
	var n *node
	for i := len(frames) - 1; i >= 0; i-- {
		n = t.step(n, frames[i], cut)
	}
	return n
}

func (t *tree) step(parent *node, f *callstack.Frame, cut bool) *node {
	id, ok := t.byFrame[f]
	if !ok {
		if id, ok = t.numbers[*f]; !ok {
			id = len(t.seen)
			t.numbers[*f] = id
			t.seen = append(t.seen, f)
		}
		t.byFrame[f] = id
	}
	key := child{parent, id}
	n, ok := t.children[key]
	if !ok {
		n = &node{parent: parent, frame: id, name: f.Function, depth: 1, cut: cut}
		if parent != nil {
			n.depth = parent.depth + 1
		}
		n.facts = factsOf(parent, f.Function)
		t.children[key] = n
	}
	return n
}

// root returns the stack's outermost frame.
func (n *node) root() *node {
	if n == nil {
		return nil
	}
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// started returns the stack of the function that the go statement was for: the
// root, or what a launcher at the root called. Nil if that is not on the stack:
// one that was taken while the goroutine ended shows the runtime alone.
func (n *node) started() *node {
	root := n.root()
	if strings.HasPrefix(root.name, "runtime.goexit") {
		return nil
	}
	if !isLauncher(root.name) {
		return root
	}
	for n.depth > 2 {
		n = n.parent
	}
	if n.depth < 2 {
		return nil
	}
	return n
}

// common returns the part that two stacks share from the root on, nil for none.
func common(a, b *node) *node {
	for a != b {
		switch {
		case a == nil || b == nil:
			return nil
		case a.depth > b.depth:
			a = a.parent
		case b.depth > a.depth:
			b = b.parent
		default:
			a, b = a.parent, b.parent
		}
	}
	return a
}

// frames returns the numbers of the stack's frames, leaf first.
func (n *node) frames() (out []int) {
	for ; n != nil; n = n.parent {
		out = append(out, n.frame)
	}
	return out
}
