package run

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/flame"
	"whet/internal/report/load"
	"whet/internal/report/page"
	"whet/internal/report/trace"
	"whet/internal/symbolname"
)

// The templates hold no arithmetic: what they print is made here, by the same
// functions as the terminal's report.

type pageView struct {
	page.Shell
	Recorded    string
	Brief       []briefView // beside the verdict
	Facts       []page.Fact
	Warnings    []string
	Verdict     string
	Kind        string
	Threshold   string
	Places      []hotPlaceView
	PlacesAside string
	Apart       string // what became of the rest
	None        string // in place of findings
	Findings    []findingView
	Below       []findingView
	Benchmarks  []benchmarkView
	Growth      []growthView
	Processors  []growthView
	Columns     []string // of Classes
	Classes     []classView
	Profiles    []profileView // seen first
	Others      []profileView // of other benchmarks
	Asides      []profileView // of what other parts of the page say better
	AsideNames  string
	Run         runView
	Flame       template.HTML
}

// briefView is a line beside the verdict; At is the id of the section that says more.
type briefView struct{ Name, Value, At string }

type growthView struct{ Name, Sizes, Text string }

type findingView struct {
	Number     int
	Title      string
	Rule, Row  string
	Function   string
	Place      string
	At         string     // the id of its line in the source; "" where that is not shown
	Source     []lineView // the line and two on each side
	Ceiling    string
	Shares     []shareView
	Why        []proseView
	Remedy     []proseView
	Evidence   []finding.Evidence
	Benchmarks []string
	Largest    string // said after several benchmarks
	Confidence string
	Fixable    bool
}

type shareView struct {
	Name    string
	Percent string
	Error   string
	None    bool   // a share of nothing: measured, but not what made it a finding
	Width   string // of a bar of 100 units
	Notes   []string
}

type proseView struct {
	Code  bool
	Spans []span
}

type benchmarkView struct {
	Name  string
	Cells [4]string
	Note  string
	Bad   bool
}

type classView struct {
	Name    string // "CPU samples"
	Of      string
	Samples []string
	What    string
	Values  []string
}

type profileView struct {
	Name      string
	Of        string
	Base      string
	FlatTable topView
	CumTable  topView
	Listings  []listingView
}

// topView is a table of functions in the order of one measure (By), the share
// of the other (Then) beside it.
type topView struct {
	Caption, By, Then string
	Counted           bool // cum has a sampling error
	Rows              []rowView
}

type rowView struct {
	Package, Rest string // of the function's name
	File          string
	Value, Share  string
	Width         string
	ThenShare     string
	Error         string // of cum's share
}

type listingView struct {
	Function, File, Missing, Differs string
	Flat, Cum, FlatShare, CumShare   string
	Open                             bool
	Lines                            []lineView
}

type lineView struct {
	ID        string // what links to it lead to
	Here      bool   // the line that is spoken of
	Gap       bool   // lines were left out before it
	Number    string
	Flat, Cum string
	Text      string
	Heat      int // 0 to 4
	Notes     []string
}

func newPageView(p *Page) (*pageView, error) {
	widget, err := flame.Widget(flame.Page{Module: p.Module, Views: FlameViews(p.Profiles)})
	if err != nil {
		return nil, err
	}
	style, script := page.KitStyle()+flame.Style(), flame.Script()+"\n{\n"+page.KitScript()+"}\n"
	var part template.HTML
	if p.Service != nil && p.Service.Load != nil {
		html, css, js, err := load.Part(p.Service.Load)
		if err != nil {
			return nil, err
		}
		part, style, script = html, style+css, script+"\n{\n"+js+"}\n" // a block: its names stay its own
	}
	var drawing template.HTML
	if p.Moment != nil && p.Moment.Drawing != nil {
		html, css, js, err := trace.Part(p.Moment.Drawing)
		if err != nil {
			return nil, err
		}
		drawing, style, script = html, style+css, script+"\n{\n"+js+"}\n" // last: it waits for what is unpacked
	}
	v := &pageView{
		Shell:     page.NewShell("whet · "+title(p), style, script),
		Recorded:  recorded(p),
		Verdict:   printable.Line(cmp.Or(p.Verdict.Text, "unknown")),
		Kind:      printable.Line(p.Verdict.Kind),
		Threshold: threshold(p),
		Flame:     widget,
	}
	v.Title, v.Facts, v.Warnings = title(p), p.Facts, warnings(p)
	for _, f := range p.brief() {
		b := briefView{Name: f.Name, Value: f.Value, At: "load"}
		switch f.Name {
		case worst:
			b.At = "moment"
		case "Time":
			b.At = "wall"
		}
		v.Brief = append(v.Brief, b)
	}
	if text := p.machine(); text != "" {
		v.Brief = append(v.Brief, briefView{Name: "Machine", Value: text, At: "machine"})
	}
	index := make(lineIndex)
	for i := range p.Benchmarks {
		b := &p.Benchmarks[i]
		v.Benchmarks = append(v.Benchmarks, benchmarkView{benchmarkName(b), benchmarkCells(b), benchmarkNote(b), b.Failure != ""})
	}
	for i := range p.Growth {
		f := &p.Growth[i]
		v.Growth = append(v.Growth, growthView{printable.Line(f.Name), sizes(f), growthText(f)})
	}
	for i := range p.Processors {
		b := &p.Processors[i]
		v.Processors = append(v.Processors, growthView{printable.Line(b.Benchmark), b.pairs(), printable.Line(b.Text)})
	}
	first, others, asides := p.shown()
	classes := p.classes(slices.Concat(first, others, asides))
	for _, c := range classes {
		v.Columns = append(v.Columns, c.String())
	}
	first, asides = p.withoutSlight(first, asides)
	for _, group := range []struct {
		profiles []*Profile
		views    *[]profileView
	}{{first, &v.Profiles}, {others, &v.Others}, {asides, &v.Asides}} {
		for _, pr := range group.profiles {
			v.Classes = append(v.Classes, newClassView(p, pr, classes))
			*group.views = append(*group.views, newProfileView(p, pr, index))
		}
	}
	var names []string
	for i := range v.Asides {
		if !slices.Contains(names, v.Asides[i].Name) {
			names = append(names, v.Asides[i].Name)
		}
	}
	v.AsideNames = strings.Join(names, ", ")
	v.Places, v.PlacesAside, v.Apart = p.placeViews(len(p.HotPlaces)), p.placesAside(), p.apart()
	for i := range v.Places {
		v.Places[i].At = index.at(p.HotPlaces[i].File, p.HotPlaces[i].Line)
	}
	for i := range p.Findings {
		v.Findings = append(v.Findings, newFindingView(p, i+1, &p.Findings[i], index))
	}
	if len(p.Findings) == 0 {
		v.None = unexplained(p)
	}
	for i := range p.Below {
		v.Below = append(v.Below, newFindingView(p, len(p.Findings)+i+1, &p.Below[i], index))
	}
	v.Run = newRunView(p)
	if v.Run.Service != nil {
		v.Run.Service.Part = part
	}
	if v.Run.Moment != nil {
		v.Run.Moment.Part = drawing
	}
	for i := range p.Profiles {
		v.Warnings = append(v.Warnings, flameWarnings(&p.Profiles[i])...)
	}
	return v, nil
}

func flameWarnings(p *Profile) []string {
	if p.Flame == nil {
		return nil
	}
	var out []string
	for _, w := range p.Flame.Warnings {
		out = append(out, flameLabel(p)+": "+printable.Line(w))
	}
	return out
}

// FlameViews returns the flame graphs of profiles.
func FlameViews(profiles []Profile) []flame.View {
	var out []flame.View
	for i := range profiles {
		p := &profiles[i]
		if p.Flame != nil {
			out = append(out, flame.View{Label: flameLabel(p), Unit: p.Unit, Kind: p.Kind, Benchmark: p.Benchmark, Graph: p.Flame})
		}
	}
	return out
}

// FlamesAlone returns the flame graphs of some profiles of a page for a page of their own,
// which has to say what each is of: value, samples, target and date.
func FlamesAlone(p *Page, profiles []Profile) []flame.View {
	views := FlameViews(profiles)
	n := 0
	for i := range profiles {
		f := &profiles[i]
		if f.Flame == nil {
			continue
		}
		parts := []string{f.what() + " " + f.value(f.base())}
		if f.Samples[hot.Base] > 0 {
			parts = append(parts, f.count(int(hot.Base))+" "+f.samplesOf())
		}
		if f.Benchmark != "" {
			parts = append(parts, printable.Line(f.Benchmark))
		}
		views[n].About = []string{strings.Join(append(parts, recorded(p)), " · ")}
		n++
	}
	return views
}

// flameLabel names a flame graph in the selector.
func flameLabel(p *Profile) string {
	what := page.Capital(p.what())
	if p.Benchmark == "" {
		return what
	}
	return what + " · " + printable.Line(p.Benchmark)
}

func newFindingView(p *Page, n int, f *finding.Finding, index lineIndex) findingView {
	v := findingView{
		Number: n, Title: printable.Line(cmp.Or(f.Title, f.Rule)), Rule: printable.Line(f.Rule), Row: printable.Line(f.Row),
		Function: printable.Line(f.Function), Place: place(f), Ceiling: ceiling(f),
		Why: prose(f.Why), Remedy: prose(f.Remedy),
		Confidence: printable.Line(cmp.Or(string(f.Confidence), "unknown")), Fixable: f.Fixable, Evidence: f.Evidence,
	}
	v.At, v.Source = index.at(f.File, f.Line), index.cite(p, f.File, f.Line)
	for _, m := range measures(f) {
		if m.Percent == "unknown" {
			continue
		}
		v.Shares = append(v.Shares, shareView{m.Name, m.Percent, m.Error, m.Ratio <= 0, page.BarWidth(m.Ratio), m.Notes})
	}
	if p.single() { // there is nothing else that it could be in
		return v
	}
	v.Benchmarks = f.Benchmarks
	if len(f.Benchmarks) > 1 {
		v.Largest = largest
	}
	return v
}

// span is a piece of prose; what stands between backquotes is code.
type span struct {
	Code bool
	Text string
}

func prose(s string) []proseView {
	var out []proseView
	for _, p := range page.Paragraphs(s) {
		if p.Code {
			out = append(out, proseView{true, []span{{true, p.Text}}})
		} else {
			out = append(out, proseView{false, spans(p.Text)})
		}
	}
	return out
}

func spans(s string) []span {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 { // a backquote without its partner is a character
		return []span{{Text: s}}
	}
	var out []span
	for i, part := range parts {
		if part != "" {
			out = append(out, span{i%2 == 1, part})
		}
	}
	return out
}

func newClassView(whole *Page, p *Profile, classes []hot.Class) classView {
	v := classView{Name: p.samplesOf(), What: p.what()}
	if p.Benchmark != "" {
		v.Of = whole.of(p)
	}
	for _, c := range classes {
		v.Samples = append(v.Samples, p.count(int(c)))
		v.Values = append(v.Values, p.value(p.Values[c]))
	}
	return v
}

// htmlListings is how many functions' source stands open; the rest is one
// click away.
const htmlListings = 3

func newProfileView(whole *Page, p *Profile, index lineIndex) profileView {
	v := profileView{Name: page.Capital(p.what()), Of: whole.of(p), Base: p.value(p.base())}
	v.FlatTable = topView{Caption: v.Name + " by flat", By: "flat", Then: "cum", Counted: p.counted()}
	v.CumTable = topView{Caption: v.Name + " by cum", By: "cum", Then: "flat", Counted: p.counted()}
	for _, r := range p.Top {
		v.FlatTable.Rows = append(v.FlatTable.Rows, newRowView(p, &r, r.Flat, r.Cum))
	}
	for _, r := range p.TopCum {
		v.CumTable.Rows = append(v.CumTable.Rows, newRowView(p, &r, r.Cum, r.Flat))
	}
	for i := range p.Listing {
		l := newListingView(p, &p.Listing[i], index)
		l.Open = i < htmlListings
		v.Listings = append(v.Listings, l)
	}
	return v
}

func newRowView(p *Profile, r *Row, by, then int64) rowView {
	name := printable.Line(r.Function)
	pkg, rest := symbolname.Split(name)
	return rowView{
		Package: pkg, Rest: rest, File: printable.Line(r.File),
		Value: p.value(by), Share: quantity.Percent(page.Share(by, p.base())), Width: page.BarWidth(page.Share(by, p.base())),
		ThenShare: quantity.Percent(page.Share(then, p.base())), Error: p.plusMinus(r.Cum),
	}
}

func newListingView(p *Profile, l *Listing, index lineIndex) listingView {
	v := listingView{
		Function: printable.Line(l.Function), File: printable.Line(l.File), Missing: printable.Line(l.Missing), Differs: printable.Line(l.Differs),
		Flat: p.value(l.Flat), FlatShare: quantity.Percent(page.Share(l.Flat, p.base())),
		Cum: p.value(l.Cum), CumShare: quantity.Percent(page.Share(l.Cum, p.base())),
	}
	for i, s := range l.Lines {
		line := lineView{
			Gap:    i > 0 && s.Number != l.Lines[i-1].Number+1,
			Number: strconv.Itoa(s.Number), Flat: p.cost(s.Flat), Cum: p.cost(s.Cum),
			Text: printable.Source(s.Text), Heat: heat(page.Share(s.Cum, p.base())),
		}
		if s.Cum != 0 {
			line.Notes = s.Notes
		}
		v.Lines = append(v.Lines, line)
	}
	index.add(l, v.Lines)
	return v
}

// heat returns the strength of a line's background; the figures stand beside it.
func heat(share float64) int {
	switch {
	case share >= 0.30:
		return 4
	case share >= 0.10:
		return 3
	case share >= 0.03:
		return 2
	case share > 0:
		return 1
	}
	return 0
}
