package havlaktest

import "whet/casebook/havlak"

// ByArithmetic is the forest of havlak.Nested(rows, nests), written down from
// the order in which its blocks are numbered:
//
//	0, 1, 2     entry, exit, fork
//	3           head of the first row: the top of its first nest
//	 +1         a nest's blocks, 252; base loop i starts at its block 10×i
//	   +0       start of a base loop, its header
//	   +1..+4   first diamond: split, its header, two branches, join
//	   +5..+8   second diamond
//	   +9       end of the base loop
//	  +250      end of the chain of 25, in no base loop
//	  +251      bottom: the top of the next nest
func ByArithmetic(rows, nests int) Seen {
	const perNest = 252
	s := Seen{Loops: []havlak.Loop{{Header: havlak.Root, Parent: havlak.Root}}}
	if rows*nests > 0 {
		s.Loops[0].Level = 3
	}
	s.Blocks = append(s.Blocks, havlak.Root, havlak.Root, havlak.Root) // entry, exit, fork
	for range rows {
		for range nests {
			top := len(s.Blocks)
			s.Loops = append(s.Loops, havlak.Loop{Header: top, Parent: havlak.Root, Depth: 1, Level: 2})
			s.Blocks = append(s.Blocks, top)
			for i := range 25 {
				base := top + 1 + 10*i
				one, two := base+1, base+5
				s.Loops = append(s.Loops,
					havlak.Loop{Header: base, Parent: top, Depth: 2, Level: 1},
					havlak.Loop{Header: one, Parent: base, Depth: 3},
					havlak.Loop{Header: two, Parent: base, Depth: 3})
				s.Blocks = append(s.Blocks, base, one, one, one, one, two, two, two, two, base)
			}
			s.Blocks = append(s.Blocks, top)
			if len(s.Blocks) != top+perNest {
				panic("a nest is not 252 blocks long")
			}
		}
		s.Blocks = append(s.Blocks, havlak.Root) // the last bottom of a row
	}
	return s
}
