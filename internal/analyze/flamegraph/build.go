package flamegraph

import (
	"fmt"
	"strconv"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
)

// Build sums the samples of a selection. It returns nil where there is nothing
// to draw: no sample is left, or all are zero.
func Build(s *selection.Selection, o Options) (*Graph, error) {
	b := newBuilder(s, o)
	b.value = b.orient(selected(b.names, s))
	return b.build()
}

// Diff compares two selections of the same sample type: for each frame its value in
// before with that in after; frames of one side only are included.
func Diff(before, after *selection.Selection, o Options) (*Graph, error) {
	if before.Type.Unit != after.Type.Unit {
		return nil, fmt.Errorf("compare flame graphs: one is of %s, the other of %s", before.Type, after.Type)
	}
	b := newBuilder(after, o)
	if before.Type.Type != after.Type.Type {
		b.warn("%s is compared with %s", after.Type, before.Type)
	}
	b.value, b.base = b.orient(selected(b.names, after)), b.orient(selected(b.names, before))
	g, err := b.build()
	if g != nil {
		g.Differential = true
	}
	return g, err
}

// Pair is a sandwich: one function, its callers and its callees, both graphs with the
// function at the root. Its value is its cum in both.
type Pair struct {
	Callers *Graph
	Callees *Graph
}

// Sandwich sums the samples through the functions whose name matches. A sample counts
// once, at the outermost of them on its path: recursive calls are among the callees.
// Both graphs are nil if no sample passes through one.
func Sandwich(s *selection.Selection, title string, match func(name string) bool, o Options) (Pair, error) {
	callers, callees := newBuilder(s, o), newBuilder(s, o)
	callers.root, callees.root = title, title
	for _, half := range []struct {
		b  *builder
		to func(out, path []int32, at int) []int32
	}{
		{callers, func(out, path []int32, at int) []int32 { out, _ = reversed(out, path[:at]); return out }},
		{callees, func(out, path []int32, at int) []int32 { return append(out, path[at+1:]...) }},
	} {
		b := half.b
		var matches []int8 // per frame: 0 unknown, 1 yes, -1 no
		b.value = derived(selected(b.names, s), func(out, path []int32) ([]int32, bool) {
			for at, f := range path {
				for int(f) >= len(matches) {
					matches = append(matches, 0)
				}
				if matches[f] == 0 {
					matches[f] = -1
					if match(b.frames[f].Name) {
						matches[f] = 1
					}
				}
				if matches[f] > 0 {
					return half.to(out, path, at), true
				}
			}
			return out, false
		})
	}
	var p Pair
	var err error
	if p.Callers, err = callers.build(); err != nil {
		return Pair{}, err
	}
	p.Callees, err = callees.build()
	return p, err
}

// FromProfile sums column t of the samples that keep chooses, by their frames;
// nil keeps all. It returns nil where there is nothing to draw.
func FromProfile(p *callstack.Frames, t int, keep callstack.Keep, o Options) (*Graph, error) {
	b := &builder{names: newNames(), options: o, of: p.Types[t], root: rootName, ratio: 1, plain: plainSteps}
	b.value = b.orient(profilePass(b.names, p, t, keep))
	return b.build()
}

func newBuilder(s *selection.Selection, o Options) *builder {
	b := &builder{names: newNames(), options: o, of: s.Type, root: rootName, ratio: s.Ratio, plain: plainSteps}
	for _, w := range s.Warnings {
		b.warn("%s", w)
	}
	if w := s.Walk(); w.Next() && w.Divisor != 0 {
		b.warn("means cannot be summed: the flame graph shows sums of %s", s.Meta.Types[s.Column])
	}
	return b
}

func (b *builder) orient(passes func() *pass) func() *pass {
	if b.options.Reversed {
		return derived(passes, reversed)
	}
	return passes
}

// selected goes through the samples of a selection.
func selected(n *names, s *selection.Selection) func() *pass {
	places := make(map[string]Frame)
	for _, f := range s.Profile().Functions {
		if have := places[f.Name]; have.File == "" {
			places[f.Name] = Frame{File: f.File, Line: f.Start}
		}
	}
	ids := make([]int32, len(s.Nodes))
	for i := range s.Nodes {
		ids[i] = n.id(frameOf(&s.Nodes[i], places))
	}
	noStack := n.id(Frame{Name: noStackName})
	return func() *pass {
		w := s.Walk()
		return &pass{step: func(p *pass) bool {
			if !w.Next() {
				return false
			}
			p.shared, p.value = min(w.Shared, len(p.path)), w.Value
			p.path = p.path[:p.shared]
			for _, step := range w.Path[p.shared:] {
				p.path = append(p.path, ids[step.Node])
			}
			if len(w.Path) == 0 {
				p.path = append(p.path, noStack)
			}
			return true
		}}
	}
}

// frameOf names a node by all that its granularity tells apart. Where that is
// the function alone, its place comes from the profile.
func frameOf(n *selection.Node, places map[string]Frame) Frame {
	f := Frame{Name: n.Name, File: n.File, Line: n.Line}
	switch {
	case n.Name == "" && n.File == "" && n.Address != 0:
		f.Name = fmt.Sprintf("0x%x", n.Address)
	case n.Name == "" && n.File == "" && n.Object != "":
		f.Name = "[" + n.Object + "]"
	case n.Name == "":
		f.Name = n.File
	case n.File == "":
		place := places[n.Name]
		f.File, f.Line = place.File, place.Line
	}
	if n.Line > 0 {
		if n.Name != "" {
			f.Name += " " + n.File
		}
		f.Name += ":" + strconv.Itoa(n.Line)
		if n.Column > 0 {
			f.Name += ":" + strconv.Itoa(n.Column)
		}
	} else if n.Name != "" && n.File != "" {
		f.Name += " " + n.File
	}
	if n.Address != 0 && n.Name != "" {
		f.Name = fmt.Sprintf("%016x %s", n.Address, f.Name)
	}
	return f
}
