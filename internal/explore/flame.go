package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/selection"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/profiles"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report/flame"
	"whet/internal/report/run"
)

func flameView() *profileVerb {
	return &profileVerb{
		name:  "flame",
		reads: profile.Stacks,
		fits: func(q *viewRequest, w *profile.Want) {
			switch {
			case q.menu() && q.s.flame.allTypes:
				w.Only = profile.Everything
			case q.menu():
				w.Above = menuSamples
			}
		},
		takes: ofSamples | ofFrames | ofFlame | ofFormat | ofPicture,
		short: "draw a flame graph as one HTML file, or as SVG",
		long: `
Flame writes an interactive flame graph: zoom, search, every sample type. The file loads
nothing from elsewhere. With -base or -diff_base it shows both profiles: as wide as both together,
red for more and blue for less, including vanished frames. -svg writes the picture of the classic
scripts, with their options. Frames too narrow to draw are merged and counted.` + profileLong,
		examples: []string{
			"whet flame -o out.html cpu.pb.gz",
			"whet flame -svg -colors aqua -title 'service, Tuesday' cpu.pb.gz",
			"whet flame -sandwich 'mallocgc$' cpu.pb.gz",
			"whet flame -diff_base before.pb.gz after.pb.gz",
			"whet flame -tagroot endpoint cpu.pb.gz",
			"whet flame encode.whet",
		},
		words: []promptWord{
			{name: "flame", help: "a flame graph as an HTML file; format=svg makes a picture", suffix: "html"},
		},
		flags: []promptWord{
			{name: "svg", help: "same as -format=svg", set: setFormat(formatSVG)},
			{name: "html", help: "same as -format=html", set: setFormat(formatHTML)},
		},
		whole:     makeFlame,
		recording: flameOfRecording,
	}
}

func makeFlame(ctx context.Context, q *viewRequest) (product, error) {
	views, err := q.flames()
	if err != nil {
		return product{}, err
	}
	warnings := slices.Clone(q.Warnings)
	for _, source := range q.Sources {
		warnings = append(warnings, source.Profile.Warnings...)
	}
	if n := len(q.SampleTypes()); n > menuTypes && q.menu() && !q.isLarge() && !q.s.flame.allTypes {
		warnings = append(warnings, fmt.Sprintf("the page draws %[2]d of the profile's %[1]d sample types: -sample_index selects another, -all_types draws all", n, menuTypes))
	}
	if len(views) == 1 && q.isLarge() && !q.s.flame.allTypes && q.s.picture(formatHTML) != formatSVG && len(q.SampleTypes()) > 1 {
		warnings = append(warnings, "the page draws one sample type of a profile this large: -sample_index selects another, -all_types draws all")
	}
	return q.flameProduct(ctx, views, warnings)
}

// menuSamples is how many samples a profile may have for all of its values to be
// drawn unasked: each takes as long as the first.
const menuSamples = 500_000

// menuTypes is the number of values that are drawn unasked: more than Go's profiles have.
const menuTypes = 16

// menu reports whether what is written can show more than one value.
func (q *viewRequest) menu() bool { return q.s.picture(formatHTML) != formatSVG && !q.s.sel.Mean }

func (q *viewRequest) isLarge() bool {
	samples := 0
	for _, source := range q.Sources {
		samples += source.Profile.Listed()
	}
	return samples > menuSamples
}

// flames returns the graphs of the profile: of each of its values, the chosen or
// default one first, but of one alone where more would be the same or too much.
func (q *viewRequest) flames() ([]flame.View, error) {
	first, err := q.SampleType(q.s.sel.SampleIndex)
	if err != nil {
		return nil, err
	}
	types := []string{first}
	if q.menu() && (q.s.flame.allTypes || !q.isLarge()) {
		for _, t := range q.SampleTypes() {
			if t != first && (len(types) < menuTypes || q.s.flame.allTypes) {
				types = append(types, t)
			}
		}
	}
	return q.graphs(types)
}

// graphs returns the graphs of the values that hold anything, made side by side: each
// reads the whole profile twice.
func (q *viewRequest) graphs(types []string) ([]flame.View, error) {
	views, errs := make([]flame.View, len(types)), make([]error, len(types))
	var wg sync.WaitGroup
	free := make(chan struct{}, min(runtime.GOMAXPROCS(0), maxGraphs))
	for i, t := range types {
		o := q.s.sel
		o.SampleIndex, o.Normalize = t, false // flamegraph scales the sides itself
		free <- struct{}{}
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					errs[i] = cli.NewDefect(r)
				}
				<-free
			}()
			views[i], errs[i] = q.flame(o)
		})
	}
	wg.Wait()
	for _, err := range errs { // the first type's first
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(views, func(v flame.View) bool { return v.Graph == nil }), nil
}

// Each graph in the making takes 10 MB or so: so many are made at once.
const maxGraphs = 4

// flame returns the graph of one value.
func (q *viewRequest) flame(o selection.Options) (flame.View, error) {
	g := flamegraph.DefaultOptions()
	g.Reversed, g.Normalize = q.s.flame.reverse, q.s.sel.Normalize
	var sides [2][]selection.Source // after, before
	for _, source := range q.Sources {
		side := 0
		if source.Role != selection.Measured {
			side = 1
		}
		sides[side] = append(sides[side], selection.Source{Profile: source.Profile})
	}
	after := *q
	subject := *q.Set
	subject.Sources = sides[0]
	after.Set = &subject
	sel, err := after.selected("flame", o)
	if err != nil {
		return flame.View{}, err
	}
	var v flame.View
	switch {
	case len(sides[1]) > 0 && q.s.flame.sandwich != "":
		return v, cli.UsageError("flame: -sandwich takes one profile: leave the base out")
	case len(sides[1]) > 0:
		base := *q.Set
		base.Sources = sides[1]
		before, err := (&viewRequest{Set: &base, s: q.s}).selected("flame", o)
		if err != nil {
			return v, err
		}
		return q.compared(before, sel, g)
	case q.s.sel.Normalize:
		return v, cli.UsageError("flame: -normalize scales to a base: name one with -base or -diff_base")
	case q.s.flame.sandwich != "":
		re, err := regexp.Compile(q.s.flame.sandwich)
		if err != nil {
			return v, cli.UsageError("flame: %v", err)
		}
		p, err := flamegraph.Sandwich(sel, matched(sel, re), re.MatchString, g)
		if err == nil && p.Callees == nil {
			err = fmt.Errorf("flame: no function with a sample matches \"%s\"", re)
		}
		v.Graph, v.Callers = p.Callees, p.Callers
		v.About = []string{about(sel)}
		return v, err
	}
	v.About = []string{about(sel)}
	v.Graph, err = flamegraph.Build(sel, g)
	return v, err
}

// matched returns the name of what an expression matches: the function's where it is
// one, else the expression.
func matched(sel *selection.Selection, re *regexp.Regexp) string {
	name := ""
	for i := range sel.Nodes {
		switch n := sel.Nodes[i].Name; {
		case n == name || !re.MatchString(n):
		case name != "":
			return re.String()
		default:
			name = n
		}
	}
	return cmp.Or(name, re.String())
}

// flameOfRecording shows what the recording's report shows, the measured code
// alone. A profile that was asked for by kind, type or any option is shown
// whole, as a file of its own would be.
func flameOfRecording(ctx context.Context, q *viewRequest, f *profiles.Options, operands []string) (product, bool, error) {
	plain := defaultSettings()
	if len(operands) != 1 || !recording.Is(operands[0]) || f.Kind != "" || len(f.Base)+len(f.DiffBase) > 0 ||
		q.s.flame.sandwich != "" || q.s.flame.reverse || !reflect.DeepEqual(q.s.sel, plain.sel) {
		return product{}, false, nil
	}
	rec, err := read.Open(operands[0])
	if err != nil {
		return product{}, true, err
	}
	defer rec.Close()
	page, err := read.Page(rec, nil)
	if err != nil {
		return product{}, true, err
	}
	var shown []run.Profile
	for _, have := range page.Profiles {
		if f.Benchmark == "" || recording.Chooses(f.Benchmark, have.Benchmark) {
			shown = append(shown, have)
		}
	}
	q.Set = &profiles.Set{Name: operands[0]}
	p, err := q.flameProduct(ctx, run.FlamesAlone(page, shown), page.Warnings)
	return p, true, err
}

// flameProduct writes graphs in the form asked for.
func (q *viewRequest) flameProduct(ctx context.Context, views []flame.View, warnings []string) (product, error) {
	look := &q.s.flame
	title := cmp.Or(look.Title, q.title())
	o := look.SVGOptions
	o.Title, o.Module, o.Interactive = title, q.module(), !look.still
	// Whatever is written: an option that cannot be is no less wrong where it
	// would change nothing.
	if err := o.Validate(); err != nil {
		return product{}, &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	if look.root != rootTop && look.root != rootBottom {
		return product{}, cli.UsageError("flame: -root is top or bottom, not %q", look.root)
	}
	if q.s.asJSON {
		return product{write: func(w io.Writer) error { return flame.WriteJSON(w, views, warnings) }}, nil
	}
	switch format := q.s.picture(formatHTML); format {
	case formatHTML:
		page := flame.Page{Title: title, Subtitle: look.Subtitle, Module: o.Module, Views: views, Warnings: warnings, Link: o.Link, RootBottom: look.root == rootBottom}
		return product{suffix: formatHTML, write: func(w io.Writer) error { return flame.WriteHTML(w, page) }}, nil
	case formatSVG:
		if len(views) == 0 {
			return product{}, fmt.Errorf("flame of %s: it has no samples to draw", q.Name)
		}
		warnings = append(warnings, views[0].Graph.Warnings...)
		return product{suffix: formatSVG, warnings: warnings, write: func(w io.Writer) error { return writeFlameSVG(ctx, w, views[0], o, look.colorFile) }}, nil
	default:
		return product{}, cli.UsageError("flame: -format is html or svg, not %q", format)
	}
}

// maxColorFile bounds a palette file: one line a function.
const maxColorFile = 64 << 20

// writeFlameSVG draws with the colours of a file, which learns those that are
// new.
func writeFlameSVG(ctx context.Context, w io.Writer, v flame.View, o flame.SVGOptions, colorFile string) error {
	if colorFile == "" {
		return flame.WriteSVG(w, v, o)
	}
	o.Colors = flame.Colors{}
	file, err := os.Open(colorFile)
	if err == nil {
		o.Colors, err = flame.ReadColors(io.LimitReader(file, maxColorFile))
		file.Close()
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("read palette: %w", err)
	}
	if err := flame.WriteSVG(w, v, o); err != nil {
		return err
	}
	return cli.WriteFile(ctx, colorFile, o.Colors.Write)
}

// module returns the program's own, "" when that is not known.
func (q *viewRequest) module() string {
	if info := q.BuildInfo(); info != nil {
		return info.Main.Path
	}
	return ""
}
