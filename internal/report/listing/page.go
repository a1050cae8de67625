package listing

import (
	"fmt"
	"regexp"
	"slices"

	"whet/internal/analyze/lines"
	"whet/internal/quantity"
	"whet/internal/source"
)

// Hot is the share of a kind from which on a function is shown that nobody asked for.
const Hot = 0.02

// Options say what is shown, and where the source is.
type Options struct {
	Name  string         // of the recording
	Match *regexp.Regexp // functions by name; nil: the hot ones of the user's own code
	All   bool           // without Match: every function of the user's own code that has samples
	// Measured returns the source as it was measured, and Now as it is here: an error
	// says why there is none. Now may be nil.
	Measured, Now func(frameFile string) (*source.Text, error)
	// Display names a file for people, and says which module it is of.
	Display func(frameFile string) (path, module string)
	// Own says whether a function is of the user's code. The module is that of its file,
	// "" where that is of none that is known, as one of a line directive.
	Own      func(module string, f *lines.Function) bool
	Warnings []string
}

// Page is the data about the lines of functions.
type Page struct {
	Name      string
	Warnings  []string
	Model     *lines.Model
	Functions []*Function
	More      int         // functions of the user's own code with samples that are not shown
	Shown     lines.Costs // the sums of what is shown; of each kind Flat alone
}

// Function is a function with its source.
type Function struct {
	*lines.Function
	Path      string // of the file, for people
	Here      string // where the file lies now; "" where it is not here
	Missing   string // why there is no source; "" when there is
	Doubts    []string
	Generated bool     // a program wrote the source
	Undecided bool     // the compiler was not asked about this file, or its answer is not in the recording
	Changed   bool     // the file here is not what was measured
	Source    []string // the lines of the file as it was measured; none where it is missing
	Rows      []Row
}

// Row is a line that has costs or decisions.
type Row struct {
	lines.Line
	Text   string
	Column int  // where the text begins, from 1
	Beyond bool // the file has no such line
	// Now is the line in the file here, 0 where that is not known; Gone says that it
	// changed since.
	Now  int
	Gone bool
}

// New lays a page out.
func New(m *lines.Model, o Options) *Page {
	p := &Page{Name: o.Name, Model: m, Warnings: slices.Clone(o.Warnings)}
	files, bare := make(map[string]*file), mostBare
	for _, f := range m.Functions {
		at := files[f.File]
		if at == nil {
			at = newFile(f.File, &o)
			files[f.File] = at
		}
		own := o.Own(at.module, f)
		at.own = at.own || own
		switch {
		case o.Match != nil && !o.Match.MatchString(f.Name):
			continue
		case o.Match == nil && !own:
			continue
		case o.Match == nil && !o.All && m.Most(&f.Costs) < Hot:
			p.More++
			continue
		}
		for _, l := range f.Lines {
			for k := range l.Costs {
				p.Shown[k].Flat += l.Costs[k].Flat
			}
		}
		at.open(&o)
		p.Functions = append(p.Functions, at.function(m, f, &bare))
	}
	if bare < 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("lines without cost but with decisions of the compiler: the first %d are shown; name functions to see all of theirs", mostBare))
	}
	if o.Match == nil && len(p.Functions) == 0 {
		why := "no function of your own code has a sample: name functions with a regular expression"
		if p.More > 0 {
			why = "no function of your own code has " + quantity.Percent(Hot) + " of a kind: -all shows every one"
		}
		p.Warnings = append(p.Warnings, why)
	}
	for _, f := range p.Functions {
		for _, d := range f.Doubts {
			if !slices.Contains(p.Warnings, d) {
				p.Warnings = append(p.Warnings, d)
			}
		}
	}
	return p
}

// Elsewhere returns the cost of the functions that are not shown.
func (p *Page) Elsewhere(k lines.Kind) int64 {
	a := &p.Model.Accounts[k]
	return a.Total - a.Unplaced - p.Shown[k].Flat
}

// file is what is known of a frame's file.
type file struct {
	name     string // of frames
	read     bool
	path     string
	module   string
	own      bool // of some function
	measured *source.Text
	missing  string
	here     string
	mapping  *lines.Mapping // nil: there is no file here
	changed  bool
}

func newFile(name string, o *Options) *file {
	f := &file{name: name}
	f.path, f.module = o.Display(name)
	return f
}

// open reads the source, once.
func (f *file) open(o *Options) {
	if f.read {
		return
	}
	f.read = true
	var err error
	if f.measured, err = o.Measured(f.name); err != nil {
		f.measured, f.missing = nil, err.Error()
	}
	if o.Now == nil || !f.own || f.measured == nil {
		return
	}
	now, err := o.Now(f.name)
	if err != nil {
		return
	}
	f.here = now.Path
	f.changed = !slices.Equal(f.measured.Lines, now.Lines)
	mapping := lines.Map(f.measured.Lines, now.Lines)
	f.mapping = &mapping
}

func (at *file) function(m *lines.Model, f *lines.Function, bare *int) *Function {
	out := &Function{Function: f, Path: at.path, Here: at.here, Missing: at.missing, Changed: at.changed, Undecided: !m.Decided.Knows(f.File)}
	if at.measured != nil {
		out.Generated, out.Source = at.measured.Generated, at.measured.Lines
		out.Doubts = slices.Clone(at.measured.Doubts)
	}
	deepest, gone := 0, 0
	for _, l := range at.withDecisions(m, f, bare) {
		r := Row{Line: *l, Column: 1}
		text, ok := at.measured.Line(l.Number)
		r.Text, r.Beyond = text, at.measured != nil && !ok
		r.Column += indent(text)
		if at.mapping != nil && !r.Beyond {
			r.Now, ok = at.mapping.To(l.Number)
			if r.Gone = !ok; r.Gone {
				gone++
			}
		}
		deepest = max(deepest, l.Number)
		out.Rows = append(out.Rows, r)
	}
	if at.measured != nil {
		if short := at.measured.Short(deepest); short != "" {
			out.Doubts = append(out.Doubts, short)
		}
	}
	if gone > 0 {
		out.Doubts = append(out.Doubts, fmt.Sprintf("%s changed since the measurement: %d of the %d lines of %s are gone; the figures are those of the measured source", at.path, gone, len(out.Rows), f.Name))
	}
	return out
}

func indent(text string) int {
	for i, r := range text {
		if r != ' ' && r != '\t' {
			return i
		}
	}
	return 0
}

// withDecisions returns a function's lines, with those among them that cost nothing but
// that the compiler decided something about. bare is how many of these are still shown;
// below zero: some were not.
func (at *file) withDecisions(m *lines.Model, f *lines.Function, bare *int) []*lines.Line {
	all := slices.Clone(f.Lines)
	if f.Start == 0 || len(f.Lines) == 0 {
		return all
	}
	have := make(map[int]bool, len(all))
	for _, l := range all {
		have[l.Number] = true
	}
	for _, n := range m.Decided.Lines(f.File, f.Start, f.Lines[len(f.Lines)-1].Number) {
		if have[n] {
			continue
		}
		if *bare--; *bare < 0 {
			break
		}
		all = append(all, &lines.Line{Number: n, Decisions: m.Decided.At(f.File, n)})
	}
	slices.SortFunc(all, func(x, y *lines.Line) int { return x.Number - y.Number })
	return all
}

// mostBare bounds the lines of a page that cost nothing: where functions begin and end is
// a profile's word, and many may claim the same lines.
const mostBare = 1 << 17
