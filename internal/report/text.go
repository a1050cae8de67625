package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// TextOptions says how the terminal report is laid out.
type TextOptions struct {
	Width int  // columns; 0 means 100, and fewer than 60 count as 60
	Color bool // escape sequences for colours
	All   bool // findings below the threshold, each benchmark and its profiles too
}

// Rows of a top table and functions whose source is listed on the terminal.
const (
	textTop      = 10
	textListings = 3
	textLines    = 40 // source lines of one listing
)

// WriteText writes the page for a terminal.
func WriteText(w io.Writer, p *Page, o TextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	t.head(p)
	t.verdict(p)
	t.places(p, o.All)
	t.findings(p, o.All)
	t.run(p, o.All)
	t.benchmarks(p, o.All)
	first, others, asides := p.shown()
	if o.All {
		first, others, asides = slices.Concat(first, others, asides), nil, nil
	}
	t.classes(p, first, others)
	if !o.All {
		first, asides = p.withoutSlight(first, asides)
	}
	for _, pr := range first {
		t.tops(p, pr)
	}
	t.listings(first)
	t.more(others, asides)
	t.short(p)
	if _, err := w.Write(t.bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

type textWriter struct {
	buf   bytes.Buffer
	width int
	color bool
}

// A style is the parameter of the terminal's SGR sequence.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	yellow style = "33"
	cyan   style = "36"
	strong style = "1;36"
)

func (t *textWriter) paint(s style, text string) string {
	if !t.color || text == "" {
		return text
	}
	body := strings.TrimRight(text, " ") // line trims only what is outside
	if body == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + body + "\x1b[0m" + text[len(body):]
}

// more says which profiles were not printed.
func (t *textWriter) more(others, asides []*Profile) {
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
		t.line()
		t.hang(0, "", 0, "More with -all, and in the HTML report: "+strings.Join(parts, "; ")+".")
	}
}

// line writes one line without trailing spaces. The no-break spaces that held
// figures and units together are plain ones here, which scripts look for.
func (t *textWriter) line(parts ...string) {
	t.buf.WriteString(strings.TrimRight(strings.ReplaceAll(strings.Join(parts, ""), "\u00a0", " "), " "))
	t.buf.WriteByte('\n')
}

// heading begins a part. What is said beside it goes below where the line is
// too short.
func (t *textWriter) heading(s, aside string) {
	t.line()
	if aside == "" || wide(s)+2+wide(aside) <= t.width {
		t.line(t.paint(bold, s), "  ", t.paint(dim, aside))
		return
	}
	t.line(t.paint(bold, s))
	for _, l := range wrap(aside, t.width-2) {
		t.line("  ", t.paint(dim, l))
	}
}

// bytes returns what was written.
func (t *textWriter) bytes() []byte { return t.buf.Bytes() }

// hang writes text behind a label of the given width, wrapped.
func (t *textWriter) hang(indent int, label string, labelWidth int, text string) {
	room := max(min(t.width, 100)-indent-labelWidth, 20)
	for i, l := range wrap(text, room) {
		if i > 0 {
			label = ""
		}
		t.line(strings.Repeat(" ", indent), t.paint(dim, pad(label, labelWidth)), l)
	}
}

// prose is hang for text that may hold several paragraphs and code.
func (t *textWriter) prose(indent int, label string, labelWidth int, text string) {
	for _, para := range paragraphs(text) {
		if !para.Code {
			t.hang(indent, label, labelWidth, para.Text)
			label = ""
			continue
		}
		for l := range strings.SplitSeq(para.Text, "\n") {
			t.line(strings.Repeat(" ", indent), t.paint(dim, pad(label, labelWidth)), "    ", tabs(l))
			label = ""
		}
	}
}

func (t *textWriter) head(p *Page) {
	t.line(t.paint(bold, title(p)))
	for _, l := range wrap(recorded(p), t.width) {
		t.line(t.paint(dim, l))
	}
	if len(p.Facts) > 0 {
		t.line()
		n := 0
		for _, f := range p.Facts {
			n = max(n, min(wide(printable.Line(f.Name)), 24))
		}
		for _, f := range p.Facts {
			t.hang(2, printable.Line(f.Name), n+2, printable.Line(f.Value))
		}
	}
	t.warnings(warnings(p))
}

func (t *textWriter) verdict(p *Page) {
	t.heading("Verdict", "")
	for _, l := range wrap(printable.Line(cmp.Or(p.Verdict.Text, "unknown")), t.width-2) {
		t.line("  ", t.paint(strong, l))
	}
}

func (t *textWriter) findings(p *Page, all bool) {
	if len(p.Findings) == 0 {
		t.heading("Findings", "")
		t.hang(2, "", 0, unexplained(p))
		if n := len(p.Below); n > 0 && !all {
			for _, l := range wrap(fmt.Sprintf("%s below the threshold: %s.", quantity.Plural(n, "finding"), threshold(p)), t.width-2) {
				t.line("  ", t.paint(dim, l))
			}
		}
	} else {
		t.heading("Findings", fmt.Sprintf("%d with %s", len(p.Findings), threshold(p)))
		for i := range p.Findings {
			t.finding(p, i+1, &p.Findings[i])
		}
	}
	if all && len(p.Below) > 0 {
		t.heading("Below the threshold", "less than "+strings.TrimPrefix(threshold(p), "at least "))
		for i := range p.Below {
			t.finding(p, len(p.Findings)+i+1, &p.Below[i])
		}
	}
}

func (t *textWriter) finding(p *Page, n int, f *finding.Finding) {
	const indent = 5
	in := strings.Repeat(" ", indent)
	t.line()
	for i, l := range wrap(printable.Line(cmp.Or(f.Title, f.Rule)), t.width-indent) {
		mark := fmt.Sprintf("%3d  ", n)
		if i > 0 {
			mark = in
		}
		t.line(t.paint(strong, mark), t.paint(bold, l))
	}
	t.line(in, printable.Line(f.Function))
	t.line(in, t.paint(cyan, place(f)))
	t.line()
	shares, errors, cells := measures(f), 0, 16
	if t.width < 80 {
		cells = 8
	}
	for _, m := range shares {
		errors = max(errors, wide(m.Error))
	}
	for _, m := range shares {
		name := strings.Join(append([]string{m.Name}, m.Notes...), ", ")
		t.line(in, fmt.Sprintf("%7s", m.Percent), " ", t.paint(dim, pad(m.Error, errors)), " ", t.paint(cyan, bar(m.Ratio, cells)), " ", t.paint(dim, name))
	}
	for _, l := range wrap(ceiling(f), t.width-indent) {
		t.line(in, t.paint(bold, l))
	}
	t.line()
	const label = 10
	t.prose(indent, "why", label, f.Why)
	t.prose(indent, "change", label, f.Remedy)
	for i, e := range f.Evidence {
		name := ""
		if i == 0 {
			name = "evidence"
		}
		text := printable.Line(e.Text)
		if e.Kind != "" {
			text = printable.Line(e.Kind) + ": " + text
		}
		t.hang(indent, name, label, text)
	}
	if len(f.Benchmarks) > 0 && !p.single() {
		t.hang(indent, "in", label, inBenchmarks(f))
	}
	rule := "rule " + printable.Line(f.Rule) + ", confidence " + printable.Line(cmp.Or(string(f.Confidence), "unknown"))
	if f.Fixable {
		rule += ", whet fix can try it"
	}
	t.hang(indent, "by", label, rule)
}

// textUnprofiled is how many benchmarks without a profile are listed without
// being asked.
const textUnprofiled = 10

func (t *textWriter) benchmarks(p *Page, all bool) {
	if len(p.Benchmarks) == 0 {
		return
	}
	t.heading("Benchmarks", "")
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
	t.table(rows)
	if more := unprofiled - textUnprofiled; more > 0 && !all {
		t.line("  ", t.paint(dim, fmt.Sprintf("… %s more, not profiled: -all shows them", quantity.Count(float64(more)))))
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

// benchmarkName is the name as go test prints it.
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
		notes = append(notes, fmt.Sprintf("%s %s", metricValue(m.Value), printable.Line(m.Unit)))
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

func (t *textWriter) classes(page *Page, first, others []*Profile) {
	profiles := slices.Concat(first, others)
	if len(profiles) > textClasses {
		profiles = first
	}
	if len(profiles) == 0 {
		return
	}
	t.heading("Samples", "the base is what shares are of; the rest is counted apart")
	classes := page.classes(profiles)
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
			suffix = page.of(p)
		}
		rows = append(rows, append(samples, p.samplesOf(), suffix), append(values, p.what(), ""))
	}
	t.table(rows)
}

func (t *textWriter) tops(page *Page, p *Profile) {
	t.top(page, p, "by flat", p.Top)
	t.top(page, p, "by cum", p.TopCum)
}

func (t *textWriter) top(page *Page, p *Profile, order string, top []Row) {
	if len(top) == 0 {
		return
	}
	aside := order + ", of " + p.value(p.base())
	if p.Benchmark != "" {
		aside += " in " + page.of(p)
	}
	counted := p.counted()
	if counted {
		aside += "; ± is the sampling error of cum, in points"
	}
	t.heading("Top functions · "+p.what(), aside)
	rows := make([][]string, 0, textTop+1)
	add := func(flat, flatShare, cum, cumShare, within, name string) {
		row := []string{flat, flatShare, cum, cumShare}
		if counted {
			row = append(row, within)
		}
		rows = append(rows, append(row, name, ""))
	}
	add("flat", "", "cum", "", "±", "")
	for _, r := range top[:min(len(top), textTop)] {
		add(p.value(r.Flat), quantity.Percent(share(r.Flat, p.base())),
			p.value(r.Cum), quantity.Percent(share(r.Cum, p.base())), p.plusMinus(r.Cum), printable.Line(r.Function))
	}
	t.table(rows)
}

func (t *textWriter) listings(profiles []*Profile) {
	for _, p := range profiles {
		for i := range p.Listing[:min(len(p.Listing), textListings)] {
			t.listing(p, &p.Listing[i])
		}
	}
}

func (t *textWriter) listing(p *Profile, l *Listing) {
	t.heading("Source · "+p.what(), shorten(printable.Line(l.Function), t.width-12-wide(p.what())))
	costs := fmt.Sprintf("  flat %s (%s), cum %s (%s)",
		p.value(l.Flat), quantity.Percent(share(l.Flat, p.base())),
		p.value(l.Cum), quantity.Percent(share(l.Cum, p.base())))
	if room := t.width - 2 - wide(costs); room < tableName {
		t.line("  ", t.paint(cyan, shorten(printable.Line(l.File), t.width-2)))
		t.line(t.paint(dim, costs))
	} else {
		t.line("  ", t.paint(cyan, shorten(printable.Line(l.File), room)), t.paint(dim, costs))
	}
	if l.Differs != "" {
		for _, text := range wrap(printable.Line(l.Differs), t.width-4) {
			t.line(t.paint(yellow, "  ! "), text)
		}
	}
	if l.Missing != "" {
		t.hang(2, "", 0, printable.Line(l.Missing))
	}
	if len(l.Lines) == 0 {
		return
	}
	t.line(t.paint(dim, fmt.Sprintf("%11s %10s %6s", "flat", "cum", "line")))
	for i, s := range l.Lines {
		if i == textLines {
			t.line(t.paint(dim, fmt.Sprintf("%30s  %d more lines in the HTML report", "", len(l.Lines)-i)))
			break
		}
		if i > 0 && s.Number != l.Lines[i-1].Number+1 {
			t.line(t.paint(dim, fmt.Sprintf("%28s", "⋮")))
		}
		number := t.paint(dim, fmt.Sprintf("%6d", s.Number))
		cost := fmt.Sprintf("%11s %10s", p.cost(s.Flat), p.cost(s.Cum))
		text := cut(tabs(printable.Source(s.Text)), max(t.width-31, 20))
		if s.Cum != 0 {
			text = t.paint(bold, strings.TrimRight(text, " "))
		} else {
			cost = t.paint(dim, cost)
		}
		t.line(cost, " ", number, "  ", text)
		for _, note := range s.Notes {
			t.line(t.paint(dim, fmt.Sprintf("%28s  ^ %s", "", cut(printable.Line(note), t.width-32))))
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

func cleanList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = printable.Line(n)
	}
	return strings.Join(out, ", ")
}
