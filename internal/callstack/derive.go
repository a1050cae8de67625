package callstack

import (
	"math"
	"slices"
)

// WithColumns returns the profile with some of its value columns, in the order
// given. All else is shared with p.
func (p *Profile) WithColumns(columns ...int) *Profile {
	out := *p
	out.Types, out.values = nil, nil
	for _, t := range columns {
		out.Types = append(out.Types, p.Types[t])
		out.values = append(out.values, p.values[t])
	}
	return &out
}

// Scaled returns the profile with the values of column i multiplied by
// ratios[i] and rounded. As in pprof, where only some ratios differ from 1, a
// sample all of whose scaled columns become zero has nothing left in the
// others either. All else is shared with p.
func (p *Profile) Scaled(ratios []float64) *Profile {
	columns := make([]int, len(ratios))
	same := true
	for t, ratio := range ratios {
		columns[t] = t
		same = same && ratio == 1
	}
	if same {
		return p
	}
	out := *p
	out.values = make([]varints, len(p.values))
	row := make([]int64, len(ratios))
	for r := p.Rows(columns...); r.Next(); {
		any := false
		for t, ratio := range ratios {
			row[t] = r.Value(t)
			if ratio != 1 {
				row[t] = int64(math.Round(float64(row[t]) * ratio))
				any = any || row[t] != 0
			}
		}
		for t, v := range row {
			if !any {
				v = 0
			}
			out.values[t].value(v)
		}
	}
	return &out
}

// Only returns the profile with zero values for the samples that keep does not
// select. All else is shared with p.
func (p *Profile) Only(keep Keep) *Profile {
	out := *p
	out.values = make([]varints, len(p.values))
	columns := AllColumns(len(p.values))
	for i, r := 0, p.Rows(columns...); r.Next(); i++ {
		kept := keep(i)
		for t := range columns {
			v := r.Value(t)
			if !kept {
				v = 0
			}
			out.values[t].value(v)
		}
	}
	return &out
}

// WithLabel returns the profile with a label on every sample, in place of
// those of the same key with a text. All else is shared with p.
func (p *Profile) WithLabel(l Label) *Profile {
	out := *p
	b := &Builder{p: &out, stringID: make(map[string]uint64, len(p.strings))}
	out.strings = slices.Clone(p.strings)
	for id, s := range p.strings {
		if _, ok := b.stringID[s]; !ok {
			b.stringID[s] = uint64(id)
		}
	}
	out.sets = make([][]byte, len(p.sets))
	for set := range out.sets {
		labels := slices.DeleteFunc(p.Labels(LabelSet(set)), func(have Label) bool { return have.Key == l.Key && have.Str != "" })
		for _, l := range append(labels, l) {
			out.sets[set] = AppendLabel(out.sets[set], b.string(l.Key), b.string(l.Str), l.Num, b.string(l.Unit))
		}
	}
	return &out
}

// HasLabelKey reports whether a label of the profile may have this key.
func (p *Profile) HasLabelKey(key string) bool { return slices.Contains(p.strings, key) }

// Named returns the profile with its functions renamed by name. Functions that get
// the same name become one function: a sample that passes through several of them
// counts once.
func (f *Frames) Named(name func(string) string) *Frames {
	out := *f
	out.frames = slices.Clone(f.frames)
	for i := range out.frames {
		out.frames[i].Function = name(out.frames[i].Function)
	}
	return &out
}

// Without returns the profile without the frames of some functions; their samples
// count for their callers. A stack of such frames only keeps them. All else is
// shared with f.
func (f *Frames) Without(functions ...string) *Frames {
	out := *f
	out.of = slices.Clone(f.of)
	dropped := false
	for id, frames := range f.of {
		drop := func(n FrameID) bool { return slices.Contains(functions, f.frames[n].Function) }
		if slices.ContainsFunc(frames, drop) {
			out.of[id] = slices.DeleteFunc(slices.Clone(frames), drop)
			dropped = true
		}
	}
	if !dropped {
		return f
	}
	for c := f.Cursor(); c.Next(); {
		if !slices.ContainsFunc(c.Path, func(id LocationID) bool { return len(out.of[id]) > 0 }) {
			for _, id := range c.Path {
				out.of[id] = f.of[id]
			}
		}
	}
	return &out
}
