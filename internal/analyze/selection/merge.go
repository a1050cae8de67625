package selection

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// baseLabel marks the samples of a DiffBase, as pprof marks them: a profile
// that pprof saved as a difference has it, too.
var baseLabel = callstack.Label{Key: callstack.BaseKey, Str: "true"}

// merge makes one profile of the sources, in pprof's order: those of a role
// are added up, the base is marked, the others are scaled to its totals, and
// it is subtracted. A single profile stays as it is. Where samples need not be
// marked as the base's, baseFrom is the first of them, else -1.
func merge(sources []Source, o *Options) (p *callstack.Profile, baseFrom int, err error) {
	var roles [DiffBase + 1][]*callstack.Profile
	for _, source := range sources {
		roles[source.Role] = append(roles[source.Role], mapped(source.Profile))
	}
	bases := append(slices.Clip(roles[Base]), roles[DiffBase]...)
	switch {
	case len(roles[Measured]) == 0:
		return nil, -1, errors.New("select samples: no profile was given")
	case len(roles[Base]) > 0 && len(roles[DiffBase]) > 0:
		return nil, -1, &OptionError{errors.New("-base and -diff_base exclude each other")}
	case o.Normalize && len(bases) == 0:
		return nil, -1, &OptionError{errors.New("-normalize needs a profile to scale to: -base or -diff_base")}
	}
	if p, err = sum(nil, roles[Measured]...); err != nil || len(bases) == 0 {
		return p, -1, err
	}
	base, err := sum(nil, bases...)
	if err != nil {
		return nil, -1, fmt.Errorf("base: %w", err)
	}
	if o.Normalize {
		if p, err = normalized(p, base); err != nil {
			return nil, -1, err
		}
	}
	if len(roles[DiffBase]) > 0 {
		if o.SumsOnly && !o.labels() && joinable(p) && joinable(base) {
			pair, err := alike(p, base)
			if err != nil {
				return nil, -1, err
			}
			baseFrom = pair[0].Len()
			p, err = pair[0].Joined(pair[1], -1)
			return p, baseFrom, err
		}
		base = base.WithLabel(baseLabel)
	}
	p, err = sum([]float64{1, -1}, p, base)
	return p, -1, err
}

// inColumn leaves of profiles that have the same types the column that is shown, and
// the one that means are of: sums of one column do not depend on the others, and
// samples that are zero in it need not be known again.
func inColumn(sources []Source, o *Options) (reduced []Source, ok bool) {
	column, ok := sharedColumn(sources, o.SampleIndex)
	if !ok {
		return sources, false
	}
	columns, shown := []int{column}, 0
	if o.Mean && column > 0 {
		columns, shown = []int{0, column}, 1
	}
	out := slices.Clone(sources)
	for i := range out {
		p := out[i].Profile.WithColumns(columns...)
		p.DefaultType, p.DefaultNamed = shown, true
		out[i].Profile = p
	}
	o.SampleIndex = ""
	return out, true
}

// sharedColumn returns the column that is shown of all sources, if they have the same
// types.
func sharedColumn(sources []Source, index string) (column int, ok bool) {
	first := sources[0].Profile
	column, err := sampleIndex(&first.Meta, index)
	for _, source := range sources {
		p := source.Profile
		if !slices.Equal(p.Types, first.Types) || p.PeriodType != first.PeriodType || index == "" && p.DefaultType != column {
			return 0, false
		}
	}
	return column, err == nil && first.DistinctTypes() // one name twice is for alike
}

// ShareColumn reports whether a sample type of profiles that were read in part is enough
// to add them up: they have the same types, and each was.
func ShareColumn(sources []Source, index string) bool {
	_, ok := sharedColumn(sources, index)
	return ok && !slices.ContainsFunc(sources, func(s Source) bool { return !s.Profile.Partial() })
}

// labels reports whether any option is about labels.
func (o *Options) labels() bool {
	return o.TagFocus+o.TagIgnore+o.TagShow+o.TagHide != "" || len(nonEmpty(o.TagRoot))+len(nonEmpty(o.TagLeaf)) > 0
}

// joinable reports whether a profile is no difference itself: of one, samples
// that are equal may cancel, and then the sum of magnitudes is another.
func joinable(p *callstack.Profile) bool {
	if p.HasLabelKey(baseLabel.Key) {
		return false
	}
	for rows := p.Rows(callstack.AllColumns(len(p.Types))...); rows.Next(); {
		for t := range p.Types {
			if rows.Value(t) < 0 {
				return false
			}
		}
	}
	return true
}

// mapped gives a profile without mappings one of which nothing is known, as
// pprof does: expressions that match an empty file name match it.
func mapped(p *callstack.Profile) *callstack.Profile {
	if len(p.Mappings) > 0 {
		return p
	}
	out := *p
	out.Mappings = make([]callstack.Mapping, 1)
	out.Locations = slices.Clone(p.Locations)
	for i := range out.Locations {
		out.Locations[i].Mapping = 0
	}
	return &out
}

// normalized scales p's columns to the sums they have in base.
func normalized(p, base *callstack.Profile) (*callstack.Profile, error) {
	if !slices.Equal(p.Types, base.Types) || p.PeriodType != base.PeriodType {
		return nil, fmt.Errorf("-normalize needs profiles of one kind: this one has %v, its base %v", p.Types, base.Types)
	}
	ratios := make([]float64, len(p.Types))
	for t := range ratios {
		if have := p.Total(t); have != 0 {
			ratios[t] = float64(base.Total(t)) / float64(have)
		}
	}
	return p.Scaled(ratios), nil
}

// sum adds profiles up, each times its scale: the sample types that all of
// them have, in the finest of their units.
func sum(scales []float64, profiles ...*callstack.Profile) (*callstack.Profile, error) {
	if len(profiles) == 1 {
		return profiles[0], nil
	}
	profiles, err := alike(profiles...)
	if err != nil {
		return nil, err
	}
	return callstack.Merge(scales, profiles...)
}

// alike gives profiles the same types and units.
func alike(profiles ...*callstack.Profile) ([]*callstack.Profile, error) {
	profiles, err := sameTypes(profiles)
	if err != nil {
		return nil, err
	}
	return sameUnits(profiles)
}

// sameTypes leaves the sample types that every profile has, in the order of
// the first.
func sameTypes(profiles []*callstack.Profile) ([]*callstack.Profile, error) {
	have := make(map[string]int)
	for _, p := range profiles {
		for _, t := range p.Types {
			have[t.Type]++
		}
	}
	var names []string
	for _, t := range profiles[0].Types {
		if have[t.Type] == len(profiles) {
			names = append(names, t.Type)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the profiles have no sample type in common: the first has %v, the second %v", profiles[0].Types, profiles[1].Types)
	}
	out := make([]*callstack.Profile, len(profiles))
	for i, p := range profiles {
		columns := make([]int, len(names))
		for j, name := range names {
			columns[j] = slices.IndexFunc(p.Types, func(t callstack.ValueType) bool { return t.Type == name })
		}
		if at := slices.Index(columns, -1); at >= 0 { // another one has the type twice
			return nil, fmt.Errorf("sample type %q is missing from some of the profiles", names[at])
		}
		if len(columns) == len(p.Types) && slices.IsSorted(columns) {
			out[i] = p
			continue
		}
		name, column := p.Types[p.DefaultType].Type, 0
		if at := slices.Index(names, name); p.DefaultNamed && at >= 0 {
			column = at
		}
		out[i] = p.WithColumns(columns...)
		out[i].DefaultType, out[i].DefaultNamed = column, true
	}
	return out, nil
}

// sameUnits scales the values to common units.
func sameUnits(profiles []*callstack.Profile) ([]*callstack.Profile, error) {
	types := make([]callstack.ValueType, len(profiles))
	finest := func(of func(*callstack.Profile) callstack.ValueType) (string, error) {
		for i, p := range profiles {
			types[i] = of(p)
		}
		return finestUnit(types)
	}
	period, err := finest(func(p *callstack.Profile) callstack.ValueType { return p.PeriodType })
	if err != nil {
		return nil, fmt.Errorf("period type: %w", err)
	}
	units := make([]string, len(profiles[0].Types))
	for t := range units {
		if units[t], err = finest(func(p *callstack.Profile) callstack.ValueType { return p.Types[t] }); err != nil {
			return nil, fmt.Errorf("sample types: %w", err)
		}
	}
	out := make([]*callstack.Profile, len(profiles))
	for i, p := range profiles {
		ratios := make([]float64, len(units))
		scaled := *p
		scaled.Types = slices.Clone(p.Types)
		for t, unit := range units {
			ratios[t], _ = quantity.PprofScale(1, p.Types[t].Unit, unit)
			scaled.Types[t].Unit = unit
		}
		length, _ := quantity.PprofScale(p.Period, p.PeriodType.Unit, period)
		scaled.Period, scaled.PeriodType.Unit = int64(length), period
		out[i] = scaled.Scaled(ratios)
	}
	return out, nil
}

// finestUnit returns the smallest unit of types that measure the same.
func finestUnit(types []callstack.ValueType) (string, error) {
	min := types[0]
	for _, t := range types[1:] {
		if strings.TrimSuffix(t.Type, "s") != strings.TrimSuffix(min.Type, "s") || !quantity.PprofComparable(t.Unit, min.Unit) {
			return "", fmt.Errorf("%v and %v cannot be added", min, t)
		}
		if ratio, _ := quantity.PprofScale(1, t.Unit, min.Unit); ratio < 1 {
			min = t
		}
	}
	return min.Unit, nil
}
