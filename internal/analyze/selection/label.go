package selection

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// labelRules are the options that decide about labels.
type labelRules struct {
	focus, ignore *tagFilter
	show, hide    *pattern
}

func newLabelRules(o *Options) (r labelRules, warnings []string, err error) {
	if r.focus, err = compileTagFilter("tagfocus", o.TagFocus); err != nil {
		return r, nil, err
	}
	if r.ignore, err = compileTagFilter("tagignore", o.TagIgnore); err != nil {
		return r, nil, err
	}
	if r.show, err = compile("tagshow", o.TagShow); err != nil {
		return r, nil, err
	}
	if r.hide, err = compile("taghide", o.TagHide); err != nil {
		return r, nil, err
	}
	for _, option := range []struct {
		name, expression string
		filter           *tagFilter
	}{{"tagfocus", o.TagFocus, r.focus}, {"tagignore", o.TagIgnore, r.ignore}} {
		if option.filter != nil && option.filter.within != nil {
			warnings = append(warnings, fmt.Sprintf("-%s=%s is read as a range of numbers, not as a regular expression", option.name, option.expression))
		}
	}
	return r, warnings, nil
}

func (r *labelRules) filters() bool { return r.focus != nil || r.ignore != nil }
func (r *labelRules) shows() bool   { return r.show != nil || r.hide != nil }

// shown reports whether labels of a key are shown, and notes what matched.
func (r *labelRules) shown(key string) bool {
	return (r.show == nil || r.show.is(key)) && (r.hide == nil || !r.hide.is(key))
}

// labelSet is what is decided of a set of labels.
type labelSet struct {
	focused, ignored bool
	base             bool                   // of a DiffBase
	shownAsBase      bool                   // and its label is shown
	showHit, hideHit bool                   // tagshow, taghide match one of its keys
	roots, leaves    []callstack.LocationID // added to the stack, from its root on
}

// noLabel reports whether a label says nothing: pprof has no such labels.
func noLabel(l callstack.Label) bool { return l == callstack.Label{Key: l.Key} }

// decideLabels decides about every set of labels that occurs, in the order of
// their first sample.
func (s *Selection) decideLabels(o *Options, r *labelRules, add func(name, file string) callstack.LocationID) {
	s.sets = make([]*labelSet, s.profile.LabelSets())
	s.shownKeys = make(map[string]bool)
	var units map[string]string
	if r.filters() {
		var warnings []string
		units, warnings = s.LabelUnits()
		s.Warnings = append(s.Warnings, warnings...)
	}
	unit := o.Unit
	if unit == "" {
		unit = "minimum"
	}
	var rootHit, leafHit bool
	for i := range s.sets {
		labels := slices.DeleteFunc(s.profile.Labels(callstack.LabelSet(i)), noLabel)
		set := new(labelSet)
		s.sets[i] = set
		set.focused = r.focus == nil || r.focus.match(labels, units)
		set.ignored = r.ignore != nil && r.ignore.match(labels, units)
		for _, l := range labels {
			s.shownKeys[l.Key] = r.shown(l.Key)
			set.showHit = set.showHit || r.show != nil && r.show.is(l.Key)
			set.hideHit = set.hideHit || r.hide != nil && r.hide.is(l.Key)
		}
		set.base = slices.Contains(labels, baseLabel)
		set.shownAsBase = set.base && r.shown(baseLabel.Key)
		// The frames of the last key are numbered first, as pprof does.
		frames := func(keys []string, hit *bool) []callstack.LocationID {
			out := make([]callstack.LocationID, len(keys))
			for i, key := range slices.Backward(keys) {
				name, ok := tagFrame(labels, key, unit)
				*hit = *hit || ok
				out[i] = add(name, key)
			}
			return out
		}
		set.roots, set.leaves = frames(s.tagRoot, &rootHit), frames(s.tagLeaf, &leafHit)
	}
	if len(s.tagRoot) > 0 && !rootHit {
		s.Warnings = append(s.Warnings, "-tagroot="+strings.Join(s.tagRoot, ",")+noMatch)
	}
	if len(s.tagLeaf) > 0 && !leafHit {
		s.Warnings = append(s.Warnings, "-tagleaf="+strings.Join(s.tagLeaf, ",")+noMatch)
	}
}

// LabelUnits returns the units of the numbers under each key: the first that a sample
// names; otherwise bytes for known keys, otherwise the key itself. The warnings name
// the units that this ignores.
func (s *Selection) LabelUnits() (units map[string]string, warnings []string) {
	units = make(map[string]string)
	others := make(map[string][]string)
	p := s.profile
	for set := range p.LabelSets() {
		for l := range p.NumberedLabels(callstack.LabelSet(set)) {
			if p.LabelText(l.Str) != "" {
				continue
			}
			key, own := p.LabelText(l.Key), p.LabelText(l.Unit)
			if l.Num == 0 && own == "" {
				continue // it says nothing
			}
			switch unit := units[key]; {
			case unit == "":
				units[key] = own
			case own != "" && own != unit && !slices.Contains(others[key], own):
				others[key] = append(others[key], own)
			}
		}
	}
	for key, unit := range units {
		switch {
		case unit != "":
		case key == "alignment" || key == "request":
			units[key] = "bytes"
		default:
			units[key] = key
		}
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		slices.Sort(others[key])
		warnings = append(warnings, fmt.Sprintf("numbers of the label %s are read as %s, though some are in %s", key, units[key], strings.Join(others[key], ", ")))
	}
	return units, warnings
}

// tagFrame returns the name of the frame that stands for a key's values: texts,
// then numbers, scaled to unit if any of them has a unit of its own.
func tagFrame(labels []callstack.Label, key, unit string) (name string, ok bool) {
	var values []string
	withUnit := false
	for _, l := range labels {
		if l.Key == key && l.Str != "" {
			values = append(values, l.Str)
		}
		withUnit = withUnit || l.Key == key && l.Unit != ""
	}
	for _, l := range labels {
		switch {
		case l.Key != key || l.Str != "":
		case withUnit:
			values = append(values, quantity.PprofLabel(l.Num, l.Unit, unit))
		default:
			values = append(values, quantity.PprofLabel(l.Num, "", ""))
		}
	}
	return strings.Join(values, ","), len(values) > 0
}
