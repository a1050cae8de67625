package havlaktest

import (
	"cmp"
	"fmt"
	"slices"

	"whet/casebook/havlak"
)

// Seen is a forest in the one form in which forests are compared.
type Seen struct {
	Loops  []havlak.Loop // by header, the root first
	Blocks []int         // header of the innermost loop of each block, or havlak.Root
}

// See reads a forest of a graph of so many blocks. What cannot be in one, the
// same loop twice for one, is an error.
func See(f havlak.Forest, blocks int) (Seen, error) {
	s := Seen{Blocks: slices.Repeat([]int{havlak.Root}, blocks)}
	for l := range f.Loops() {
		s.Loops = append(s.Loops, l)
	}
	slices.SortFunc(s.Loops, func(a, b havlak.Loop) int { return cmp.Compare(a.Header, b.Header) })
	if len(s.Loops) != f.Len() {
		return s, fmt.Errorf("%d loops are there, Len is %d", len(s.Loops), f.Len())
	}
	for i, l := range s.Loops {
		if i > 0 && s.Loops[i-1].Header == l.Header {
			return s, fmt.Errorf("the loop of %d is there twice", l.Header)
		}
	}
	for b, h := range f.Blocks() {
		if b < 0 || b >= blocks {
			return s, fmt.Errorf("block %d is in the loop of %d: there are %d blocks", b, h, blocks)
		}
		if s.Blocks[b] != havlak.Root {
			return s, fmt.Errorf("block %d is there twice: in the loops of %d and of %d", b, s.Blocks[b], h)
		}
		if _, ok := s.loop(h); !ok || h == havlak.Root {
			return s, fmt.Errorf("block %d is in the loop of %d, which is not there", b, h)
		}
		s.Blocks[b] = h
	}
	return s, nil
}

// loop returns the loop of a header.
func (s Seen) loop(header int) (havlak.Loop, bool) {
	i, ok := slices.BinarySearchFunc(s.Loops, header, func(l havlak.Loop, h int) int { return cmp.Compare(l.Header, h) })
	if !ok {
		return havlak.Loop{}, false
	}
	return s.Loops[i], true
}

// Equal says whether two forests are the same.
func (s Seen) Equal(other Seen) bool {
	return slices.Equal(s.Loops, other.Loops) && slices.Equal(s.Blocks, other.Blocks)
}

// nested is a forest given by the blocks of each loop, which must hold one
// another or have none in common. Parents, depths and levels are counted.
func nested(blocks int, bodies map[int][]bool, irreducible map[int]bool) Seen {
	s := Seen{
		Loops:  []havlak.Loop{{Header: havlak.Root, Parent: havlak.Root}},
		Blocks: slices.Repeat([]int{havlak.Root}, blocks),
	}
	size := func(h int) (n int) {
		for _, in := range bodies[h] {
			if in {
				n++
			}
		}
		return n
	}
	// innermost returns the header of the smallest loop around b but for one,
	// and how many loops are around b.
	innermost := func(b, except int) (header, around int) {
		header = havlak.Root
		for h, body := range bodies {
			if !body[b] {
				continue
			}
			around++
			if h != except && (header == havlak.Root || size(h) < size(header)) {
				header = h
			}
		}
		return header, around
	}
	for b := range blocks {
		s.Blocks[b], _ = innermost(b, havlak.Root)
		if bodies[b] == nil {
			continue
		}
		parent, depth := innermost(b, b)
		s.Loops = append(s.Loops, havlak.Loop{Header: b, Parent: parent, Depth: depth, Irreducible: irreducible[b]})
	}
	for i := range s.Loops {
		l := &s.Loops[i]
		for _, inner := range s.Loops {
			if l.Header == havlak.Root || inner.Header != havlak.Root && bodies[l.Header][inner.Header] {
				l.Level = max(l.Level, inner.Depth-l.Depth)
			}
		}
	}
	return s
}
