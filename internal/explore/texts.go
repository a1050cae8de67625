package explore

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/report/view"
)

// viewWriter is a view of package view.
type viewWriter interface {
	Write(io.Writer) error
	WriteJSON(io.Writer) error
}

// text returns the product that prints one.
func (q *viewRequest) text(d viewWriter) product {
	if q.s.asJSON {
		return product{write: d.WriteJSON}
	}
	return product{write: d.Write}
}

// selected applies the options that choose samples and frames.
func (q *viewRequest) selected(name string, o selection.Options) (*selection.Selection, error) {
	if _, err := q.SampleType(o.SampleIndex); err != nil {
		return nil, err
	}
	o.SumsOnly = name != "tags" && name != "raw" && name != "merge" // which show samples and their labels
	sel, err := selection.New(q.Sources, o)
	if err == nil {
		return sel, nil
	}
	err = fmt.Errorf("%s of %s: %w", name, q.Name, err)
	if errors.As(err, new(*selection.OptionError)) {
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	return nil, err
}

// title names what a page is of.
func (q *viewRequest) title() string {
	if strings.Contains(q.Name, "://") {
		return recording.Redacted(q.Name)
	}
	return filepath.Base(q.Name)
}

// common returns the options that all views have.
func (q *viewRequest) common(warnings ...string) view.Options {
	o := view.Options{Unit: q.s.sel.Unit, Compact: q.s.compact, Zone: time.Local, Warnings: slices.Concat(q.Warnings, q.doubtUnit(), warnings)}
	for _, f := range []struct{ name, value string }{
		{"focus", q.s.sel.Focus}, {"ignore", q.s.sel.Ignore}, {"hide", q.s.sel.Hide}, {"show", q.s.sel.Show}, {"show_from", q.s.sel.ShowFrom},
		{"tagfocus", q.s.sel.TagFocus}, {"tagignore", q.s.sel.TagIgnore}, {"tagshow", q.s.sel.TagShow}, {"taghide", q.s.sel.TagHide},
	} {
		if f.value != "" {
			o.Filters = append(o.Filters, f.name+"="+f.value)
		}
	}
	return o
}

// doubtUnit says that -unit names none: as in pprof, values are then printed in
// another.
func (q *viewRequest) doubtUnit() []string {
	if quantity.PprofKnows(q.s.sel.Unit) {
		return nil
	}
	for _, source := range q.Sources {
		if slices.ContainsFunc(source.Profile.Types, func(t callstack.ValueType) bool { return t.Unit == q.s.sel.Unit }) {
			return nil
		}
	}
	return []string{fmt.Sprintf("unknown unit -unit=%s: values are not converted; use a unit such as ms or MB", q.s.sel.Unit)}
}

// graph returns the options that say how much of a call graph is shown, where the
// view as such is asked for by those that suit it.
func (s *settings) graph(o callgraph.Options) callgraph.Options {
	o.Cum, o.CallTree, o.Unit = s.sort == sortCum, s.callTree, s.sel.Unit
	o.NodeFraction, o.EdgeFraction = s.nodeFraction, s.edgeFraction
	if s.nodeCount != chosenByView {
		o.NodeCount = s.nodeCount
	}
	if !s.trim {
		o = o.Untrimmed()
	}
	return o
}

// Forms of texts that only the prompt's words and flags of their name choose.
const (
	formatTop      = "topproto"
	formatComments = "comments"
)

func topView() *profileVerb {
	return &profileVerb{
		name:  "top",
		reads: profile.Stacks,
		takes: ofSamples | ofFrames | ofOrder | ofNodes | ofEdges | ofSources | ofText,
		short: "print the functions with the highest cost, flat and cum",
		long:  "Top prints the functions of a profile by their own cost (flat), or by their cost with all\ncallees (cum)." + profileLong,
		examples: []string{
			"whet top cpu.pb.gz",
			"whet top -cum -nodecount 20 encode.whet",
			"whet top -alloc_objects heap.pb.gz",
			"whet top -base before.pb.gz after.pb.gz",
			"whet top -seconds 10 http://localhost:6060/debug/pprof/profile",
		},
		words: []promptWord{
			{name: "top", help: "the functions with the highest cost"},
			{name: "text", help: "the same as top"},
			{name: "topproto", help: "the functions of top as a file of pprof", set: setFormat(formatTop), suffix: "pb.gz"},
		},
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			top := view.NewTop(sel, q.s.graph(callgraph.ForTop()), q.common())
			if q.s.format == formatTop && !q.s.asJSON {
				return product{suffix: "pb.gz", warnings: top.Warnings, write: func(w io.Writer) error { return profile.Write(w, top.Profile()) }}, nil
			}
			return q.text(top), nil
		},
	}
}

func treeView() *profileVerb {
	return &profileVerb{
		name:  "tree",
		reads: profile.Stacks,
		takes: ofSamples | ofFrames | ofOrder | ofNodes | ofEdges | ofSources | ofText,
		short: "print functions with their callers and callees",
		long: `
Tree prints each function between its callers (above) and its callees (below), with the cost
of each of these calls.` + profileLong,
		examples: []string{
			"whet tree cpu.pb.gz",
			"whet tree -focus 'json\\.Marshal$' -nodecount 20 cpu.pb.gz",
		},
		words: []promptWord{{name: "tree", help: "print functions with their callers and callees"}},
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			return q.text(view.NewTree(sel, q.s.graph(callgraph.ForTree()), q.common())), nil
		},
	}
}

func peekView() *profileVerb {
	return &profileVerb{
		name:  "peek",
		param: "RE",
		reads: profile.Stacks,
		takes: ofSamples | ofFrames | ofOrder | ofSources | ofText,
		short: "print the callers and callees of a function",
		long: `
Peek prints the functions whose name matches the regular expression RE between all their callers
and all their callees, however small their cost.` + profileLong,
		examples: []string{
			"whet peek 'mallocgc$' cpu.pb.gz",
			"whet peek -alloc_space 'bytes.growSlice' heap.pb.gz",
		},
		words: []promptWord{{name: "peek", help: "the callers and callees of functions"}},
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			d, err := view.NewPeek(sel, q.arg, q.s.graph(callgraph.ForTop()), q.common())
			return q.text(d), err
		},
	}
}

func tagsView() *profileVerb {
	return &profileVerb{
		name:  "tags",
		reads: profile.Labels,
		takes: ofSamples,
		short: "print the cost of labels by key and value",
		long: `
Tags prints the labels of samples with the cost of their samples: labels that
runtime/pprof.Do set, and those of the runtime, such as the size of allocations.` + profileLong,
		examples: []string{
			"whet tags cpu.pb.gz",
			"whet tags -tagshow endpoint -focus ServeHTTP cpu.pb.gz",
		},
		words: []promptWord{{name: "tags", help: "the cost of labels; here FOCUS and -IGNORE match labels"}},
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			return q.text(view.NewTags(sel, q.common())), nil
		},
	}
}

func rawView() *profileVerb {
	return &profileVerb{
		name:  "raw",
		takes: ofSamples | ofFrames,
		short: "print a profile's samples",
		long: `
Raw prints the content of a profile: every sample with its values, labels and the numbers of its
locations, then the locations. -stacks prints the samples with the functions on their stacks, as
pprof's -traces does.` + profileLong,
		examples: []string{
			"whet raw cpu.pb.gz",
			"whet raw -stacks -focus json cpu.pb.gz",
		},
		words: []promptWord{
			{name: "raw", help: "the samples as stored in the profile"},
			{name: "stacks", help: "the samples with the functions on their stacks", set: setStacks},
			{name: "traces", help: "the same as stacks", set: setStacks},
			{name: "comments", help: "the recorder's comments", set: setFormat(formatComments)},
		},
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			if q.s.format == formatComments && !q.s.asJSON {
				return product{write: func(w io.Writer) error { return view.WriteComments(w, sel) }}, nil
			}
			if q.s.stacks {
				return q.text(view.NewStacks(sel, q.common())), nil
			}
			return q.text(view.NewRaw(sel, q.common())), nil
		},
	}
}

func setStacks(s *settings) { s.stacks, s.sel.RawPaths = true, true }
