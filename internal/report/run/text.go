package run

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// Rows of a top table and functions whose source is listed on the terminal.
const (
	textTop      = 10
	textListings = 3
	textLines    = 40 // source lines of one listing
)

// writer adds to the kit's text what only these pages have.
type writer struct{ page.Text }

// WriteText writes the page for a terminal: the result, and with o.Tables what
// it rests on.
func WriteText(w io.Writer, p *Page, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	t.result(p, o)
	if o.Tables {
		t.tables(p, o.All)
	}
	return t.Flush(w, "report")
}

func (t *writer) tables(p *Page, all bool) {
	t.machine(p)
	t.run(p, all)
	t.benchmarks(p, all)
	t.growth(p)
	t.processors(p)
	first, others, asides := p.shown()
	if all {
		first, others, asides = slices.Concat(first, others, asides), nil, nil
	}
	t.classes(p, first, others)
	if !all {
		first, asides = p.withoutSlight(first, asides)
	}
	for _, pr := range first {
		t.top(p, pr)
	}
	t.listings(first)
	t.unprinted(others, asides)
	t.notAsked(p)
}

// notAsked says which rules had nothing to look at: that is no doubt about what
// the others say.
func (t *writer) notAsked(p *Page) {
	if len(p.NotAsked) == 0 {
		return
	}
	t.Heading("Rules without input", "")
	for _, text := range p.NotAsked {
		t.Hang(2, "", 0, printable.Line(text))
	}
}

// unprinted says which profiles were not printed.
func (t *writer) unprinted(others, asides []*Profile) {
	var parts []string
	if len(others) > 0 {
		parts = append(parts, quantity.Plural(len(others), "profile")+" of single benchmarks")
	}
	var names []string
	for _, pr := range asides {
		if pr.base() != 0 && !slices.Contains(names, pr.what()) {
			names = append(names, pr.what())
		}
	}
	if len(names) > 0 {
		parts = append(parts, "functions by "+strings.Join(names, ", "))
	}
	if len(parts) > 0 {
		t.Line()
		t.Hang(0, "", 0, "More with -all, and in the HTML report: "+strings.Join(parts, "; ")+".")
	}
}

func (t *writer) machine(p *Page) {
	if len(p.Facts) == 0 {
		return
	}
	t.Heading("Machine", "")
	n := 0
	for _, f := range p.Facts {
		n = max(n, min(page.Cells(printable.Line(f.Name)), 24))
	}
	for _, f := range p.Facts {
		t.Hang(2, printable.Line(f.Name), n+2, printable.Line(f.Value))
	}
}

// textUnprofiled is the number of benchmarks without a profile that are listed without
// being asked.
const textUnprofiled = 10

func (t *writer) benchmarks(p *Page, all bool) {
	if len(p.Benchmarks) == 0 {
		return
	}
	t.Heading("Benchmarks", "")
	rows := [][]string{{"time/op", "B/op", "allocs/op", "iterations", "", ""}}
	unprofiled := 0
	for _, b := range p.Benchmarks {
		if !b.Profiled && b.Failure == "" {
			if unprofiled++; unprofiled > textUnprofiled && !all {
				continue
			}
		}
		row := benchmarkCells(&b)
		rows = append(rows, append(row[:], benchmarkName(&b), benchmarkNote(&b)))
	}
	t.Table(rows)
	if more := unprofiled - textUnprofiled; more > 0 && !all {
		t.Line("  ", t.Paint(page.Dim, fmt.Sprintf("… %s more, not profiled: -all shows them", quantity.Count(float64(more)))))
	}
}

// benchmarkCells are time, bytes and allocations per operation, and the
// iterations they are the mean of.
func benchmarkCells(b *Benchmark) [4]string {
	unknown := func(v *float64, print func(float64) string) string {
		if v == nil || math.IsNaN(*v) {
			return "–"
		}
		return print(*v)
	}
	if b.Failure != "" {
		return [4]string{"–", "–", "–", "–"}
	}
	return [4]string{
		unknown(b.time(), quantity.Nanoseconds), unknown(b.BytesPerOp, quantity.Count), unknown(b.AllocsPerOp, quantity.Count),
		quantity.Count(float64(b.Iterations)),
	}
}

// benchmarkName returns the name as go test prints it.
func benchmarkName(b *Benchmark) string {
	if b.Procs > 1 {
		return fmt.Sprintf("%s-%d", printable.Line(b.Name), b.Procs)
	}
	return printable.Line(b.Name)
}

func benchmarkNote(b *Benchmark) string {
	var notes []string
	if b.Failure != "" {
		notes = append(notes, "failed: "+printable.Line(b.Failure))
	}
	for i, m := range b.Metrics {
		if i == shownMetrics {
			notes = append(notes, fmt.Sprintf("%d more metrics", len(b.Metrics)-i))
			break
		}
		notes = append(notes, fmt.Sprintf("%s %s", metricValue(float64(m.Value)), printable.Line(m.Unit)))
	}
	if b.Parallel {
		notes = append(notes, "parallel")
	}
	if !b.Profiled && b.Failure == "" {
		notes = append(notes, "not profiled")
	}
	return strings.Join(notes, ", ")
}

// shownMetrics is how many of a benchmark's own metrics stand in its row.
const shownMetrics = 6

// metricValue prints a value of a unit that nobody knows: to four digits.
func metricValue(v float64) string {
	if math.Abs(v) >= 1000 {
		return quantity.Count(v)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// textClasses is how many profiles' samples are counted without being asked.
const textClasses = 6

func (t *writer) classes(whole *Page, first, others []*Profile) {
	profiles := slices.Concat(first, others)
	if len(profiles) > textClasses {
		profiles = first
	}
	if len(profiles) == 0 {
		return
	}
	t.Heading("Samples", "shares are of the base; the rest is counted apart")
	classes := whole.classes(profiles)
	head := make([]string, 0, hot.NumClasses+2)
	for _, c := range classes {
		head = append(head, c.String())
	}
	rows := [][]string{append(head, "", "")}
	for _, p := range profiles {
		samples, values := make([]string, 0, hot.NumClasses+2), make([]string, 0, hot.NumClasses+2)
		for _, c := range classes {
			samples = append(samples, p.count(int(c)))
			values = append(values, p.value(p.Values[c]))
		}
		suffix := ""
		if p.Benchmark != "" {
			suffix = whole.of(p)
		}
		rows = append(rows, append(samples, p.samplesOf(), suffix), append(values, p.what(), ""))
	}
	t.Table(rows)
}

// top is one table of a profile's functions: those of most flat, then those that
// have most cum beside them.
func (t *writer) top(whole *Page, p *Profile) {
	top := p.topRows()
	if len(top) == 0 {
		return
	}
	aside := "of " + p.value(p.base())
	if p.Benchmark != "" {
		aside += " in " + whole.of(p)
	}
	counted := p.counted()
	if counted {
		aside += "; ± is the sampling error of cum, in points"
	}
	t.Heading("Functions · "+p.what(), aside)
	rows := make([][]string, 0, len(top)+1)
	add := func(flat, flatShare, cum, cumShare, within, name string) {
		row := []string{flat, flatShare, cum, cumShare}
		if counted {
			row = append(row, within)
		}
		rows = append(rows, append(row, name, ""))
	}
	add("flat", "", "cum", "", "±", "")
	for _, r := range top {
		add(p.value(r.Flat), quantity.Percent(page.Share(r.Flat, p.base())),
			p.value(r.Cum), quantity.Percent(page.Share(r.Cum, p.base())), p.plusMinus(r.Cum), symbolname.Elide(printable.Line(r.Function)))
	}
	t.Table(rows)
}

// topRows returns the functions of most flat, then those of most cum that are not
// among them.
func (p *Profile) topRows() []Row {
	rows := slices.Clone(p.Top[:min(len(p.Top), textTop)])
	for _, r := range p.TopCum[:min(len(p.TopCum), textTop)] {
		if !slices.ContainsFunc(rows, func(have Row) bool { return have.Function == r.Function && have.File == r.File }) {
			rows = append(rows, r)
		}
	}
	return rows
}

func (t *writer) listings(profiles []*Profile) {
	for _, p := range profiles {
		for i := range p.Listing[:min(len(p.Listing), textListings)] {
			t.listing(p, &p.Listing[i])
		}
	}
}

func (t *writer) listing(p *Profile, l *Listing) {
	t.Heading("Source · "+p.what(), page.Shorten(symbolname.Elide(printable.Line(l.Function)), t.Width-12-page.Cells(p.what())))
	costs := fmt.Sprintf("  flat %s (%s), cum %s (%s)",
		p.value(l.Flat), quantity.Percent(page.Share(l.Flat, p.base())),
		p.value(l.Cum), quantity.Percent(page.Share(l.Cum, p.base())))
	if room := t.Width - 2 - page.Cells(costs); room < page.TableName {
		t.Line("  ", t.Paint(page.Cyan, page.Shorten(printable.Line(l.File), t.Width-2)))
		t.Line(t.Paint(page.Dim, costs))
	} else {
		t.Line("  ", t.Paint(page.Cyan, page.Shorten(printable.Line(l.File), room)), t.Paint(page.Dim, costs))
	}
	if l.Differs != "" {
		for _, text := range page.Wrap(printable.Line(l.Differs), t.Width-4) {
			t.Line(t.Paint(page.Yellow, "  ! "), text)
		}
	}
	if l.Missing != "" {
		t.Hang(2, "", 0, printable.Line(l.Missing))
	}
	if len(l.Lines) == 0 {
		return
	}
	t.Line(t.Paint(page.Dim, fmt.Sprintf("%11s %10s %6s", "flat", "cum", "line")))
	for i, s := range l.Lines {
		if i == textLines {
			t.Line(t.Paint(page.Dim, fmt.Sprintf("%30s  %d more lines in the HTML report", "", len(l.Lines)-i)))
			break
		}
		if i > 0 && s.Number != l.Lines[i-1].Number+1 {
			t.Line(t.Paint(page.Dim, fmt.Sprintf("%28s", "⋮")))
		}
		number := t.Paint(page.Dim, fmt.Sprintf("%6d", s.Number))
		cost := fmt.Sprintf("%11s %10s", p.cost(s.Flat), p.cost(s.Cum))
		text := page.Cut(page.Tabs(printable.Source(s.Text)), max(t.Width-31, 20))
		if s.Cum != 0 {
			text = t.Paint(page.Bold, strings.TrimRight(text, " "))
		} else {
			cost = t.Paint(page.Dim, cost)
		}
		t.Line(cost, " ", number, "  ", text)
		for _, note := range s.Notes {
			t.Line(t.Paint(page.Dim, fmt.Sprintf("%28s  ^ %s", "", page.Cut(printable.Line(note), t.Width-32))))
		}
	}
}

// cost prints a line's value; no cost is a dot, as in pprof's listings.
func (p *Profile) cost(v int64) string {
	if v == 0 {
		return "."
	}
	return p.value(v)
}
