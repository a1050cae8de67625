package original

import (
	"iter"

	"whet/casebook/havlak"
)

// loop is a loop and what is directly in it.
type loop struct {
	header      *block // nil in the root
	parent      *loop
	children    map[*loop]bool
	blocks      map[*block]bool
	irreducible bool

	depth, level int
}

// forest is the loops that were found.
type forest struct {
	root  *loop
	loops []*loop // the root is not among them
}

func newForest() *forest {
	return &forest{root: &loop{children: make(map[*loop]bool)}}
}

// add adds a loop with nothing in it but its header.
func (f *forest) add(header *block, irreducible bool) *loop {
	l := &loop{header: header, irreducible: irreducible, children: make(map[*loop]bool), blocks: make(map[*block]bool)}
	l.blocks[header] = true
	f.loops = append(f.loops, l)
	return l
}

func (l *loop) setParent(parent *loop) {
	l.parent = parent
	parent.children[l] = true
}

func (f *forest) Len() int { return 1 + len(f.loops) }

func (f *forest) Loops() iter.Seq[havlak.Loop] {
	return func(yield func(havlak.Loop) bool) {
		for _, l := range f.loops {
			if l.parent == nil {
				l.setParent(f.root)
			}
		}
		f.root.nest(0)
		if !yield(havlak.Loop{Header: havlak.Root, Parent: havlak.Root, Level: f.root.level}) {
			return
		}
		for _, l := range f.loops {
			parent := havlak.Root
			if l.parent != f.root {
				parent = l.parent.header.id
			}
			if !yield(havlak.Loop{Header: l.header.id, Parent: parent, Depth: l.depth, Level: l.level, Irreducible: l.irreducible}) {
				return
			}
		}
	}
}

// nest sets depth and level of a loop and of all inside it.
func (l *loop) nest(depth int) {
	l.depth, l.level = depth, 0
	for child := range l.children {
		child.nest(depth + 1)
		l.level = max(l.level, child.level+1)
	}
}

func (f *forest) Blocks() iter.Seq2[int, int] {
	return func(yield func(block, header int) bool) {
		for _, l := range f.loops {
			for b := range l.blocks {
				if !yield(b.id, l.header.id) {
					return
				}
			}
		}
	}
}
