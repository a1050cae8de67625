package callstack

import (
	"cmp"
	"slices"
)

// Cost is the cost of one key (a function, a line) in a column: Flat sums the
// samples that end there, Cum those that pass through it.
type Cost struct {
	Flat, Cum int64
}

// FunctionCost is the cost of one function over all its frames.
type FunctionCost struct {
	Function string
	File     string // of the first frame met
	Cost
}

// FunctionCosts sums column t by function name, in the order of flat, then cum,
// both falling, then name. Unsymbolised frames are left out of the list but
// not of the callers' cum.
func (p *Frames) FunctionCosts(t int, keep Keep) []FunctionCost {
	byName := make(map[string]int)
	var out []FunctionCost
	for key, c := range p.Costs(t, keep, func(f *Frame) string { return f.Function }) {
		if key == "" {
			continue
		}
		byName[key] = len(out)
		out = append(out, FunctionCost{Function: key, Cost: c})
	}
	for i := range p.frames {
		f := &p.frames[i]
		if j, ok := byName[f.Function]; ok && out[j].File == "" {
			out[j].File = f.File
		}
	}
	slices.SortFunc(out, func(a, b FunctionCost) int {
		return cmp.Or(cmp.Compare(b.Flat, a.Flat), cmp.Compare(b.Cum, a.Cum), cmp.Compare(a.Function, b.Function))
	})
	return out
}

// Line is a source line of one function.
type Line struct {
	Function string
	File     string
	Line     int
}

// LineCosts sums column t by source line of each function.
func (p *Frames) LineCosts(t int, keep Keep) map[Line]Cost {
	return costs(p, t, keep, func(f *Frame) Line { return Line{f.Function, f.File, f.Line} })
}

// Costs sums column t by any key of a frame. A sample counts once in a key's
// Cum however many of its frames share the key.
func (p *Frames) Costs(t int, keep Keep, key func(*Frame) string) map[string]Cost {
	return costs(p, t, keep, key)
}

func costs[K comparable](p *Frames, t int, keep Keep, key func(*Frame) K) map[K]Cost {
	// Keys are interned first, so that the loop over samples compares integers.
	ids := make(map[K]uint32)
	var keys []K
	frameKey := make([]uint32, len(p.frames))
	for i := range p.frames {
		k := key(&p.frames[i])
		id, ok := ids[k]
		if !ok {
			id = uint32(len(keys))
			ids[k] = id
			keys = append(keys, k)
		}
		frameKey[i] = id
	}
	sums := make([]Cost, len(keys))
	seen := make([]int, len(keys)) // 1 + the last sample that counted the key
	for s := p.Stacks(keep, t); s.Next(); {
		v, i := s.Value(t), s.Index()
		for j, f := range s.Stack {
			k := frameKey[f]
			if j == 0 {
				sums[k].Flat += v
			}
			if seen[k] != i+1 {
				seen[k] = i + 1
				sums[k].Cum += v
			}
		}
	}
	out := make(map[K]Cost, len(keys))
	for id, c := range sums {
		if c != (Cost{}) {
			out[keys[id]] = c
		}
	}
	return out
}
