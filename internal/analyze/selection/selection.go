package selection

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/callstack"
)

// Selection is the part of the profiles that a view shows.
type Selection struct {
	Meta   callstack.Meta // of all sources together
	Column int            // in Meta.Types
	Type   callstack.ValueType

	// Nodes are the nodes under which frames are counted. Some may be on no remaining
	// stack.
	Nodes []Node

	Samples int // of the sources, summed if only sums are wanted

	// Total is the denominator of percentages: the sum of the samples' magnitudes, or
	// that of the base alone under DiffBase; with Options.Mean divided by the sum of
	// the divisors.
	Total int64

	// Ratio is the factor for printed values.
	Ratio        float64
	DropNegative bool // nodes below zero are not shown
	Warnings     []string

	profile    *callstack.Profile
	columns    []int // of the value, and of the divisor
	expansions []expansion
	steps      []Step // of all places, and a few more: follow reads beyond the end

	rules                  *rules // for Locations
	noInlines, showColumns bool

	// What the options decide, for walks to look up.
	tagRoot, tagLeaf           []string
	needs                      flags           // what the places of a stack must be, together, for it to be left
	plain                      bool            // no place decides anything, and nothing is added to stacks
	sets                       []*labelSet     // of the profile; nil where labels decide nothing
	tagged                     bool            // label sets are focused on or ignored
	shownKeys                  map[string]bool // nil: all
	measuredSource, baseSource int             // the first of a role; -1 is none
	baseFrom                   int             // the first sample of a DiffBase, where labels do not say so; else -1
}

// expansion is the steps that the options select of a location.
type expansion struct {
	first, end uint32 // its frames are steps[first:end], that nearest to the root first
	flags      flags
}

// OptionError is an error in an option, as opposed to a profile.
type OptionError struct{ err error }

func (e *OptionError) Error() string { return e.err.Error() }
func (e *OptionError) Unwrap() error { return e.err }

// New applies the options to the sources. An option that cannot be understood
// is an [OptionError] that names it; expressions that match nothing are
// warnings.
//
// Warnings of the profiles' readers are in Meta, not in Warnings.
func New(sources []Source, o Options) (*Selection, error) {
	reduced, listed := false, 0
	for _, source := range sources {
		listed += source.Profile.Listed()
	}
	if o.SumsOnly && o.AllSamples() && !o.Normalize && len(sources) > 1 {
		sources, reduced = inColumn(sources, &o)
	}
	p, baseFrom, err := merge(sources, &o)
	if err != nil {
		return nil, err
	}
	if !reduced {
		listed = p.Listed()
	}
	for _, keys := range [][]string{o.TagRoot, o.TagLeaf} {
		if len(keys) > maxTagFrames {
			return nil, &OptionError{fmt.Errorf("-tagroot and -tagleaf: %d keys, each a frame in every stack: name at most %d", len(keys), maxTagFrames)}
		}
	}
	if len(p.Types) == 0 {
		return nil, errors.New("the profile has no sample types")
	}
	column, err := sampleIndex(&p.Meta, o.SampleIndex)
	if err != nil {
		return nil, &OptionError{err}
	}
	g, err := newGrain(&o)
	if err != nil {
		return nil, &OptionError{err}
	}
	r, warnings, err := newRules(&o, &p.Meta)
	if err != nil {
		return nil, &OptionError{err}
	}
	labels, more, err := newLabelRules(&o)
	if err != nil {
		return nil, &OptionError{err}
	}
	s := &Selection{
		Meta: p.Meta, Column: column, Type: p.Types[column], Ratio: 1, DropNegative: o.DropNegative,
		Samples: listed, Warnings: append(warnings, more...),
		profile: p, columns: []int{column},
		tagRoot: nonEmpty(o.TagRoot), tagLeaf: nonEmpty(o.TagLeaf),
		needs: r.needs(), tagged: labels.filters(),
		measuredSource: firstOf(sources, Measured), baseSource: firstOf(sources, DiffBase), baseFrom: baseFrom,
	}
	if o.AllFrames {
		s.Meta.DropFrames, s.Meta.KeepFrames = "", ""
	}
	if o.Mean {
		s.Type.Type = "mean_" + s.Type.Type
		s.columns = append(s.columns, 0)
	}
	if o.DivideBy != 0 {
		s.Ratio = 1 / o.DivideBy
	}
	b := newExpander(s, r, g, &o)
	if labels.filters() || labels.shows() || len(s.tagRoot)+len(s.tagLeaf) > 0 || p.HasLabelKey(baseLabel.Key) {
		s.decideLabels(&o, &labels, b.labelFrame)
	}
	b.finish()
	s.plain = !r.active() && len(s.tagRoot)+len(s.tagLeaf) == 0
	s.Warnings = append(s.Warnings, r.unmatched()...)
	if labels.filters() || labels.shows() {
		s.unmatchedLabels(&o, &labels)
	}
	var fits bool
	if s.Total, fits = s.total(o.RelativePercentages); !fits {
		s.Warnings = append(s.Warnings, "the sum of the values overflows an int64: totals are wrong")
	}
	return s, nil
}

// maxTagFrames is how many keys of labels may become frames at either end of a
// stack.
const maxTagFrames = 64

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}

// sampleIndex is pprof's rule: by type, by number, or with the "inuse_" that
// old heap profiles leave out.
func sampleIndex(m *callstack.Meta, name string) (int, error) {
	if name == "" {
		return m.DefaultType, nil
	}
	if i, err := strconv.Atoi(name); err == nil {
		if i < 0 || i >= len(m.Types) {
			return 0, fmt.Errorf("sample_index %s is outside the range [0..%d]", name, len(m.Types)-1)
		}
		return i, nil
	}
	short := strings.TrimPrefix(name, "inuse_")
	names := make([]string, len(m.Types))
	for i, t := range m.Types {
		if t.Type == name || t.Type == short {
			return i, nil
		}
		names[i] = t.Type
	}
	return 0, fmt.Errorf("sample_index %q must be one of: %v", name, names)
}

// total is pprof's: of what is selected under -relative_percentages, else of
// everything; of a DiffBase alone where there is one. The readers of all formats
// refuse profiles whose total does not fit; what was made otherwise gets the
// largest.
func (s *Selection) total(relative bool) (total int64, fits bool) {
	var all, base struct{ value, divisor int64 }
	overflow := false
	add := func(value, divisor int64, isBase bool) {
		if value < 0 {
			value = -value
		}
		all.value += value
		all.divisor += divisor
		overflow = overflow || value < 0 || all.value < 0
		if isBase {
			base.value += value
			base.divisor += divisor
		}
	}
	if relative {
		for w := s.WalkLabels(); w.Next(); { // there may be no stacks
			add(w.Value, w.Divisor, s.sets != nil && w.labelSet().shownAsBase || s.baseFrom >= 0 && w.c.Index() >= s.baseFrom)
		}
	} else {
		rows := s.profile.Rows(s.columns...)
		for i := 0; rows.Next(); i++ {
			var divisor int64
			if len(s.columns) > 1 {
				divisor = rows.Value(1)
			}
			add(rows.Value(0), divisor, s.sets != nil && s.sets[rows.LabelSet()].base || s.baseFrom >= 0 && i >= s.baseFrom)
		}
	}
	if overflow {
		return math.MaxInt64, false
	}
	if base.value > 0 {
		all = base
	}
	if all.divisor != 0 {
		return all.value / all.divisor, true
	}
	return all.value, true
}

// unmatchedLabels says which expressions for labels matched nothing. Like
// pprof it asks the samples that are left by the options before them, those
// that are zero in the column shown among them.
func (s *Selection) unmatchedLabels(o *Options, r *labelRules) {
	var focus, ignore, show, hide bool
	w := s.walk()
	for w.c.Next() {
		w.move()
		if !w.takes() {
			continue
		}
		set := w.labelSet()
		focus, ignore = focus || set.focused, ignore || set.ignored
		if set.focused && !set.ignored {
			show, hide = show || set.showHit, hide || set.hideHit
		}
	}
	for _, option := range []struct {
		name, expression string
		matched          bool
	}{{"tagfocus", o.TagFocus, focus}, {"tagignore", o.TagIgnore, ignore}, {"tagshow", o.TagShow, show}, {"taghide", o.TagHide, hide}} {
		if option.expression != "" && !option.matched {
			s.Warnings = append(s.Warnings, "-"+option.name+"="+option.expression+noMatch)
		}
	}
}

// Profile returns the profile that Walk.Sample counts in: the sources merged.
func (s *Selection) Profile() *callstack.Profile { return s.profile }

func firstOf(sources []Source, role Role) int {
	return slices.IndexFunc(sources, func(s Source) bool { return s.Role == role })
}
