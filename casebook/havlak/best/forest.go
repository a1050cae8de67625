package best

import (
	"iter"

	"whet/casebook/havlak"
)

// none stands for the header of a loop that is not there.
const none int32 = -1

// What is known of a block.
const (
	header  uint8 = 1 << iota // it has a loop
	entered                   // its loop is entered elsewhere, too
)

// forest is the loops that were found.
type forest struct {
	loops  int
	around []int32 // header of the innermost loop around a block, its own apart
	marks  []uint8
}

func newForest(blocks int) *forest {
	f := &forest{loops: 1, around: make([]int32, blocks), marks: make([]uint8, blocks)}
	for b := range f.around {
		f.around[b] = none
	}
	return f
}

// head makes b the header of a loop.
func (f *forest) head(b int32) {
	if f.marks[b]&header == 0 {
		f.marks[b] |= header
		f.loops++
	}
}

func (f *forest) Len() int { return f.loops }

func (f *forest) Loops() iter.Seq[havlak.Loop] {
	return func(yield func(havlak.Loop) bool) {
		depth, level := f.nest()
		rootLevel := int32(0)
		for b, m := range f.marks {
			if m&header != 0 && depth[b] == 1 {
				rootLevel = max(rootLevel, level[b]+1)
			}
		}
		if !yield(havlak.Loop{Header: havlak.Root, Parent: havlak.Root, Level: int(rootLevel)}) {
			return
		}
		for b, m := range f.marks {
			if m&header == 0 {
				continue
			}
			// none is Root.
			l := havlak.Loop{Header: b, Parent: int(f.around[b]), Depth: int(depth[b]), Level: int(level[b]), Irreducible: m&entered != 0}
			if !yield(l) {
				return
			}
		}
	}
}

// nest returns depth and level of the loop of each header.
func (f *forest) nest() (depth, level []int32) {
	depth, level = make([]int32, len(f.marks)), make([]int32, len(f.marks))
	var chain []int32 // headers whose depth is not known, each in the next
	for b, m := range f.marks {
		if m&header == 0 {
			continue
		}
		h := int32(b)
		for h != none && depth[h] == 0 {
			chain = append(chain, h)
			h = f.around[h]
		}
		d := int32(0)
		if h != none {
			d = depth[h]
		}
		for len(chain) > 0 {
			d++
			depth[chain[len(chain)-1]] = d
			chain = chain[:len(chain)-1]
		}
		// A level that is high enough already has been handed up.
		for h, up := f.around[b], int32(1); h != none && level[h] < up; h, up = f.around[h], up+1 {
			level[h] = up
		}
	}
	return depth, level
}

func (f *forest) Blocks() iter.Seq2[int, int] {
	return func(yield func(block, header int) bool) {
		for b, m := range f.marks {
			h := f.around[b]
			if m&header != 0 {
				h = int32(b)
			}
			if h != none && !yield(b, int(h)) {
				return
			}
		}
	}
}
