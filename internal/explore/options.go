package explore

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/cli"
	"whet/internal/profiles"
	"whet/internal/report/flame"
)

// settings are the values of the options of views: pprof's, by its names.
type settings struct {
	sel selection.Options // which samples and frames

	sort                       string
	nodeCount                  int // -1: as many as suit the view
	nodeFraction, edgeFraction float64
	trim, callTree             bool

	compact bool
	stacks  bool
	flame   flameSettings
	format  string
	output  string
	asJSON  bool
	open    bool
}

// Orders of functions.
const (
	sortFlat = "flat"
	sortCum  = "cum"
)

// chosenByView is the number of nodes that suits the view.
const chosenByView = -1

func defaultSettings() settings {
	trim := callgraph.ForTree()
	return settings{
		sel: selection.Options{Unit: "minimum", DivideBy: 1}, sort: sortFlat,
		nodeCount: chosenByView, nodeFraction: trim.NodeFraction, edgeFraction: trim.EdgeFraction, trim: true,
		flame: defaultFlame(),
	}
}

// group is what options are about. A view takes those of some groups: a flag
// that would change nothing is no flag of its verb.
type group uint

const (
	ofColumn  group = 1 << iota // which sample type
	ofSamples                   // which samples and frames, and how values are printed
	ofFrames                    // what a node is
	ofOrder                     // which node comes first
	ofNodes                     // how many nodes
	ofEdges                     // which edges between them
	ofSources                   // where source files lie, and how they are called
	ofText                      // how a text begins
	ofFlame                     // how a flame graph looks
	ofFormat                    // what kind of file
	ofOutput                    // where it goes, and in which form
	ofPicture                   // what becomes of a page or a picture

	ofAll = ofColumn | ofSamples | ofFrames | ofOrder | ofNodes | ofEdges | ofSources | ofText | ofFlame | ofFormat | ofOutput | ofPicture
)

// option is an option of views: a flag of their verbs, an assignment in the
// prompt, a word to complete and a line of help.
type option struct {
	name string
	of   group
	// help says what it is for; a word in backquotes is what its value is called.
	help string
	// choices are the values it may have; each is a switch of its own, too.
	choices []choice
	value   any // in the settings: *string, *bool, *int, *float64, or *[]string, comma-separated
}

type choice struct{ name, help string }

// options returns the table of them, with the values that the settings have.
func (s *settings) options() []option { return slices.Concat(s.pprofOptions(), s.flame.options()) }

func (s *settings) pprofOptions() []option {
	return []option{
		{name: "sample_index", of: ofColumn, help: "show the sample `type`, by name or number: cpu, alloc_space, delay, ... (default: the profile's own)", value: &s.sel.SampleIndex},
		{name: "mean", of: ofSamples, help: "divide each value by its sample's first value, the count", value: &s.sel.Mean},
		{name: "unit", of: ofSamples, help: "print values in this `unit`: ms, MB, ...; minimum chooses one for all, auto one for each", value: &s.sel.Unit},
		{name: "divide_by", of: ofSamples, help: "divide all values by this `number`, such as a number of processors or operations", value: &s.sel.DivideBy},
		{name: "focus", of: ofSamples, help: "keep only samples with a function, file or object that matches `regexp`", value: &s.sel.Focus},
		{name: "ignore", of: ofSamples, help: "drop samples with a function, file or object that matches `regexp`", value: &s.sel.Ignore},
		{name: "hide", of: ofSamples, help: "remove frames that match `regexp` from samples", value: &s.sel.Hide},
		{name: "show", of: ofSamples, help: "remove frames that do not match `regexp` from samples", value: &s.sel.Show},
		{name: "show_from", of: ofSamples, help: "remove the callers of the first frame from the root that matches `regexp`, and samples without a match", value: &s.sel.ShowFrom},
		{name: "prune_from", of: ofSamples, help: "remove frames that match `regexp` and all their callees", value: &s.sel.PruneFrom},
		{name: "tagfocus", of: ofSamples, help: "keep only samples with a label that `matches` key=regexp, regexp, or a range such as bytes=32kb:64kb", value: &s.sel.TagFocus},
		{name: "tagignore", of: ofSamples, help: "drop samples with a label that `matches`, written as for tagfocus", value: &s.sel.TagIgnore},
		{name: "tagshow", of: ofSamples, help: "show only labels whose key matches `regexp`", value: &s.sel.TagShow},
		{name: "taghide", of: ofSamples, help: "hide labels whose key matches `regexp`", value: &s.sel.TagHide},
		{name: "tagroot", of: ofSamples, help: "put the values of these label `keys`, comma-separated, at the root of stacks", value: &s.sel.TagRoot},
		{name: "tagleaf", of: ofSamples, help: "put the values of these label `keys`, comma-separated, at the leaf of stacks", value: &s.sel.TagLeaf},
		{name: "drop_negative", of: ofSamples, help: "with a base: leave out decreases", value: &s.sel.DropNegative},
		{name: "normalize", of: ofColumn, help: "first scale the profile to the total of its base", value: &s.sel.Normalize},
		{name: "relative_percentages", of: ofSamples, help: "show percentages of the selection, not of the whole profile", value: &s.sel.RelativePercentages},
		{name: "noinlines", of: ofSamples, help: "charge inlined functions to their callers", value: &s.sel.NoInlines},
		{name: "granularity", of: ofFrames, help: "aggregate by this `granularity`: functions, filefunctions, files, lines or addresses (default: depends on the view)",
			choices: []choice{
				{"functions", "by function, regardless of its file"},
				{"filefunctions", "by function and file"},
				{"files", "by file"},
				{"lines", "by line"},
				{"addresses", "by address"},
			}, value: &s.sel.Granularity},
		{name: "showcolumns", of: ofFrames, help: "with lines: distinguish columns", value: &s.sel.ShowColumns},
		{name: "sort", of: ofOrder, help: "`order` of functions: flat or cum",
			choices: []choice{
				{sortFlat, "sort by flat"},
				{sortCum, "sort by cum"},
			}, value: &s.sort},
		{name: "nodecount", of: ofNodes, help: "show at most `n` nodes, 0 all (default: top all, 10 in the prompt; other views 80)", value: &s.nodeCount},
		{name: "nodefraction", of: ofNodes, help: "leave out nodes below this `share` of the total", value: &s.nodeFraction},
		{name: "trim", of: ofNodes, help: "-trim=false shows everything, ignoring nodecount and the fractions", value: &s.trim},
		{name: "edgefraction", of: ofEdges, help: "leave out edges below this `share` of the total", value: &s.edgeFraction},
		{name: "call_tree", of: ofEdges, help: "draw one node for each path to a function", value: &s.callTree},
		{name: "source_path", of: ofSources, help: "look for source files in these `directories` first, separated as in PATH", value: &s.sel.SourcePath},
		{name: "trim_path", of: ofSources, help: "remove these `prefixes` from the names of source files before the search", value: &s.sel.TrimPath},
		{name: "compact_labels", of: ofText, help: "do not print the filters in the header", value: &s.compact},
		{name: "format", of: ofFormat, help: "write this `kind` of file: merge pprof, folded or speedscope; graph svg, html or dot; flame html or svg", value: &s.format},
		{name: "output", of: ofOutput, help: "write to `file`; - is the standard output", value: &s.output},
		{name: "open", of: ofPicture, help: "open the page or picture in the browser", value: &s.open},
		{name: "json", of: ofOutput, help: "print one JSON document", value: &s.asJSON},
	}
}

// option finds one by its name, or by that of one of its choices.
func (s *settings) option(name string) (o option, chosen string, ok bool) {
	for _, o := range s.options() {
		if o.name == name {
			return o, "", true
		}
		for _, c := range o.choices {
			if c.name == name {
				return o, c.name, true
			}
		}
	}
	return option{}, "", false
}

// isSwitch reports whether an option is on or off.
func (o option) isSwitch() bool {
	_, ok := o.value.(*bool)
	return ok
}

// get returns an option's value as it is written.
func (o option) get() string {
	switch v := o.value.(type) {
	case *string:
		return *v
	case *[]string:
		return strings.Join(*v, ",")
	case *bool:
		return strconv.FormatBool(*v)
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	return ""
}

// set reads an option's value. As in pprof, a switch without a value is on,
// and may be written with a word.
func (o option) set(text string) error {
	switch v := o.value.(type) {
	case *[]string:
		*v = nil
		if names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' }); len(names) > 0 {
			*v = names
		}
	case *string:
		if text != "" && len(o.choices) > 0 && !slices.ContainsFunc(o.choices, func(c choice) bool { return c.name == text }) {
			return fmt.Errorf("%s is %s, not %q", o.name, o.choiceNames(" or "), text)
		}
		*v = text
		if text == "" && o.name == "sort" { // there is always an order
			*v = sortFlat
		}
	case *bool:
		on, err := cli.ParseSwitch(text)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		*v = on
	case *int:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return fmt.Errorf("%s: %q is not a whole number", o.name, text)
		}
		*v = int(n)
	case *float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%s: %q is not a number", o.name, text)
		}
		if o.name == "divide_by" && math.IsInf(1/f, 0) {
			return fmt.Errorf("%s: cannot divide by %s", o.name, text)
		}
		*v = f
	}
	return nil
}

func (o option) choiceNames(between string) string {
	names := make([]string, len(o.choices))
	for i, c := range o.choices {
		names[i] = c.name
	}
	return strings.Join(names, between)
}

// optionFlag is an option as a flag.
type optionFlag struct{ option }

func (f optionFlag) String() string {
	if v := f.get(); v != strconv.Itoa(chosenByView) {
		return v
	}
	return ""
}

func (f optionFlag) Set(text string) error { return f.set(text) }
func (f optionFlag) IsBoolFlag() bool      { return f.isSwitch() }

// shorthands choose a sample type in one word.
var shorthands = []struct {
	name, sampleType string
	mean             bool
}{
	{"inuse_space", "inuse_space", false},
	{"inuse_objects", "inuse_objects", false},
	{"alloc_space", "alloc_space", false},
	{"alloc_objects", "alloc_objects", false},
	{"total_delay", "delay", false},
	{"contentions", "contentions", false},
	{"mean_delay", "delay", true},
}

// declare makes flags of the options of some groups.
func (s *settings) declare(fs *flag.FlagSet, takes group) {
	for _, o := range s.options() {
		if o.of&takes == 0 {
			continue
		}
		fs.Var(optionFlag{o}, o.name, o.help)
		for _, c := range o.choices {
			fs.BoolFunc(c.name, "same as -"+o.name+"="+c.name+": "+c.help, func(text string) error {
				if on, err := cli.ParseSwitch(text); err != nil || !on {
					return err
				}
				return o.set(c.name)
			})
		}
		if o.name == "output" {
			fs.Var(optionFlag{o}, "o", "same as -output: write to `file`")
		}
	}
	for _, short := range shorthands {
		if takes&ofColumn == 0 || short.mean && takes&ofSamples == 0 {
			continue
		}
		help := "same as -sample_index=" + short.sampleType
		if short.mean {
			help += " -mean"
		}
		fs.BoolFunc(short.name, help, func(text string) error {
			on, err := cli.ParseSwitch(text)
			if err != nil || !on {
				return err
			}
			s.sel.SampleIndex, s.sel.Mean = short.sampleType, s.sel.Mean || short.mean
			return nil
		})
	}
}

// optionChoices are the values of options of views that are a fixed list.
var optionChoices = sync.OnceValue(func() map[string][]string {
	choices := map[string][]string{
		"symbolize": slices.DeleteFunc(profiles.SymbolizeModes(), func(mode string) bool { return mode == "" }),
		"unit":      {"auto", "minimum"},
	}
	for _, p := range flame.Palettes() {
		choices["colors"] = append(choices["colors"], string(p))
	}
	for _, o := range new(settings).options() {
		for _, c := range o.choices {
			choices[o.name] = append(choices[o.name], c.name)
		}
	}
	return choices
})
