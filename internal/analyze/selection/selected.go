package selection

import (
	"slices"

	"whet/internal/callstack"
)

// Selected returns the selection as a profile, as pprof's proto writes it: the selected
// samples with the values of all their columns, zeros included, and the shown labels;
// of their stacks the selected locations and lines, including frames made from labels.
// Granularity and Mean have no effect, as in pprof; unused locations are left out.
func (s *Selection) Selected() *callstack.Profile {
	if s.isWhole() {
		out := *s.profile
		out.Meta = s.Meta
		return &out
	}
	l := s.Locations()
	b := callstack.NewBuilder(s.Meta.Types...)
	out := b.Profile()
	out.Meta = s.Meta
	if s.noInlines {
		out.Mappings = slices.Clone(s.Meta.Mappings)
		for i := range out.Mappings {
			out.Mappings[i].HasInlineFrames = false
		}
	}
	ids := make([]callstack.LocationID, l.Len()) // 1 + that in out; 0 is none yet
	var path []callstack.LocationID              // root first
	var leafFirst []callstack.LocationID
	values := make([]int64, len(s.Meta.Types))
	rows := s.profile.Rows(callstack.AllColumns(len(s.profile.Types))...)
	at := -1
	for w := l.Walk(); w.Next(); {
		for ; at < w.Sample(); at++ {
			rows.Next()
		}
		path = path[:w.Shared]
		for _, step := range w.Path[w.Shared:] {
			id := &ids[step.Node]
			if *id == 0 {
				*id = 1 + addPlace(b, l.At(int(step.Node)))
			}
			path = append(path, *id-1)
		}
		leafFirst = append(leafFirst[:0], path...)
		slices.Reverse(leafFirst)
		for t := range values {
			values[t] = s.divided(rows.Value(t))
		}
		b.Add(leafFirst, w.Labels(), values...)
	}
	return out
}

// isWhole reports whether the options change nothing of the profile.
func (s *Selection) isWhole() bool {
	for _, shown := range s.shownKeys {
		if !shown {
			return false
		}
	}
	return s.plain && !s.tagged && !s.noInlines && (s.Ratio <= 0 || s.Ratio == 1)
}

// divided returns a value as -divide_by has it.
func (s *Selection) divided(v int64) int64 {
	if s.Ratio > 0 && s.Ratio != 1 {
		return int64(float64(v) * s.Ratio)
	}
	return v
}

func addPlace(b *callstack.Builder, p Location) callstack.LocationID {
	lines := make([]callstack.SourceLine, len(p.Frames))
	for i, f := range p.Frames {
		lines[i] = callstack.SourceLine{Function: b.Function(f.Function), Line: f.Line, Column: f.Column}
	}
	return b.NewLocation(p.Mapping, p.Address, p.Folded, lines...)
}
