package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// What a terminal shows without being asked for more. The result is read at a
// glance or not at all: where nothing was found, or a whole module was measured,
// it has a bound in lines, and places and cards give way to it.
const (
	textCards = 3  // findings in full
	textBrief = 10 // further ones, on two lines each
	// Lines of the report; the verb adds three for its files.
	linesNothing = 25 - 3
	linesModule  = 60 - 3
	// textTelling is how many events are named, of those that explain what no
	// profile shows.
	textTelling = 2
	resultLabel = 9
)

var telling = [...]string{"goroutine-leak", "heap-growth", "stall"}

// result writes what one wants to know first: verdict, doubts, findings, hot
// places, and how to see the rest.
func (t *writer) result(p *Page, o page.TextOptions) {
	cards, brief, places, doubts := textCards, textBrief, shownPlaces, textDoubts
	if o.All {
		cards, places = len(p.Findings)+len(p.Below), len(p.HotPlaces)
	}
	limit := 0
	switch {
	case o.All || o.Verbose:
	case len(p.Findings) == 0:
		limit = linesNothing
	case strings.HasSuffix(p.Target, "..."):
		limit, brief = linesModule, textBrief/2
	}
	for {
		r := writer{page.NewText(o)}
		r.head(p)
		r.verdict(p)
		r.doubts(p, doubts, o.Verbose)
		r.findings(p, cards, brief, o.All)
		r.places(p, places)
		if !o.Tables {
			r.more(p, o)
		}
		if limit > 0 && strings.Count(r.Buffer.String(), "\n") > limit {
			switch cards = min(cards, len(p.Findings)); {
			case places > 3:
				places--
				continue
			case cards > 1:
				cards--
				continue
			case doubts > 2:
				doubts--
				continue
			case cards > 0:
				cards--
				continue
			case places > 1:
				places--
				continue
			}
		}
		t.Buffer.Write(r.Bytes())
		return
	}
}

func (t *writer) head(p *Page) {
	t.Line(t.Paint(page.Bold, page.Cut(title(p), t.Width)))
	if text := recorded(p); text != "" {
		t.Line(t.Paint(page.Dim, page.Cut(text, t.Width)))
	}
	t.Line()
}

func (t *writer) verdict(p *Page) {
	for i, l := range page.Wrap(printable.Line(cmp.Or(p.Verdict.Text, "unknown")), t.Width-resultLabel) {
		label := "Verdict"
		if i > 0 {
			label = ""
		}
		t.Line(t.Paint(page.Bold, page.Pad(label, resultLabel)), t.Paint(page.Strong, l))
	}
	for _, f := range p.brief() {
		t.Hang(0, f.Name, resultLabel, f.Value)
	}
	told := 0
	for i := range p.Events {
		if e := &p.Events[i]; told < textTelling && slices.Contains(telling[:], e.Kind) {
			t.Line(t.Paint(page.Dim, page.Pad("Event", resultLabel)), page.Cut(e.when()+": "+e.sentence(), t.Width-resultLabel))
			told++
		}
	}
}

// findings writes the first of them as cards, and the others on two lines each.
func (t *writer) findings(p *Page, cards, brief int, all bool) {
	if len(p.Findings) == 0 {
		t.Line()
		t.Hang(0, "Findings", len("Findings")+2, unexplained(p))
	} else {
		t.Heading("Findings", fmt.Sprintf("%d with %s", len(p.Findings), threshold(p)))
	}
	for i := range p.Findings {
		switch f := &p.Findings[i]; {
		case i < cards:
			t.finding(p, i+1, f)
		case all || i < cards+brief:
			if i == cards {
				t.Line()
			}
			t.brief(p, i+1, f)
		}
	}
	if more := len(p.Findings) - cards - brief; more > 0 && !all {
		t.Line("     ", t.Paint(page.Dim, fmt.Sprintf("… %s more with -all", quantity.Count(float64(more)))))
	}
	if all && len(p.Below) > 0 {
		t.Heading("Below the threshold", "less than "+strings.TrimPrefix(threshold(p), "at least "))
		for i := range p.Below {
			t.finding(p, len(p.Findings)+i+1, &p.Below[i])
		}
	}
}

// finding is a card: what it is, where, the line of source, its shares, its
// ceiling, and what stands after it.
func (t *writer) finding(p *Page, n int, f *finding.Finding) {
	const indent = 5
	in := strings.Repeat(" ", indent)
	t.Line()
	for i, l := range page.Wrap(printable.Line(cmp.Or(f.Title, f.Rule)), t.Width-indent) {
		mark := fmt.Sprintf("%3d  ", n)
		if i > 0 {
			mark = in
		}
		t.Line(t.Paint(page.Strong, mark), t.Paint(page.Bold, l))
	}
	where := page.Shorten(place(f), t.Width-indent)
	name := shortName(printable.Line(f.Function))
	if room := t.Width - indent - page.Cells(where) - 2; room >= page.Cells(name) || room >= 12 {
		t.Line(in, t.Paint(page.Cyan, where), "  ", page.Shorten(name, room))
	} else {
		t.Line(in, t.Paint(page.Cyan, where))
		t.Line(in, page.Shorten(name, t.Width-indent))
	}
	t.source(p, f, indent+4)
	shares, errors, cells := measures(f), 0, 16
	if t.Width < 80 {
		cells = 8
	}
	for _, m := range shares {
		errors = max(errors, page.Cells(m.Error))
	}
	for _, m := range shares {
		name := strings.Join(append([]string{m.Name}, m.Notes...), ", ")
		t.Line(in, fmt.Sprintf("%7s", m.Percent), " ", t.Paint(page.Dim, page.Pad(m.Error, errors)), " ", t.Paint(page.Cyan, page.Bar(m.Ratio, cells)), " ", t.Paint(page.Dim, name))
	}
	t.Wrapped(indent, page.Bold, ceiling(f))
	const label = 10
	t.Prose(indent, "why", label, f.Why)
	t.Prose(indent, "change", label, f.Remedy)
	for i, e := range f.Evidence {
		name := ""
		if i == 0 {
			name = "evidence"
		}
		text := printable.Line(e.Text)
		if e.Kind != "" {
			text = printable.Line(e.Kind) + ": " + text
		}
		t.Hang(indent, name, label, text)
	}
	if len(f.Benchmarks) > 0 && !p.single() {
		t.Hang(indent, "in", label, inBenchmarks(f))
	}
	rule := "rule " + printable.Line(f.Rule)
	if f.Row != "" {
		rule += ", row " + printable.Line(f.Row)
	}
	rule += ", confidence " + printable.Line(cmp.Or(string(f.Confidence), "unknown"))
	if f.Fixable {
		rule += ", whet fix can try it"
	}
	t.Hang(indent, "by", label, rule)
}

// source writes the source line of a finding, if it is known.
func (t *writer) source(p *Page, f *finding.Finding, indent int) {
	if text := p.sourceOf(f.File, f.Line); text != "" {
		t.Line(strings.Repeat(" ", indent), t.Paint(page.Bold, page.Cut(text, t.Width-indent)))
	}
}

// sourceOf is one line of source without its indentation.
func (p *Page) sourceOf(file string, line int) string {
	for _, l := range p.Excerpts[Spot{file, line}] {
		if l.Number == line {
			return strings.TrimSpace(page.Tabs(printable.Source(l.Text)))
		}
	}
	return ""
}

// brief is a finding on two lines: what, where and how much, and its source.
func (t *writer) brief(p *Page, n int, f *finding.Finding) {
	var shares []string
	for _, m := range measures(f) {
		// Delay only where it is what counts, and nothing only if nothing else is known.
		if (m.Short != "delay" || m.Ratio >= f.Weight()) && (m.Percent != quantity.Percent(0) || len(shares) == 0) {
			shares = append(shares, m.Short+" "+m.Percent)
		}
	}
	what, where, share := printable.Line(cmp.Or(f.Title, f.Rule)), place(f), strings.Join(shares, ", ")
	// Where all do not fit, the place is kept before the title, and its end.
	room := max(t.Width-5-2-2-page.Cells(share), 20)
	width := min(page.Cells(where), room-min(page.Cells(what), room/3))
	t.Line(t.Paint(page.Strong, fmt.Sprintf("%3d  ", n)), t.Paint(page.Bold, page.Cut(what, room-width)), "  ", t.Paint(page.Cyan, page.Shorten(where, width)), "  ", share)
	t.source(p, f, 9)
}

// more says what is not shown, and how to see it.
func (t *writer) more(p *Page, o page.TextOptions) {
	var has []string
	add := func(name string, n int) {
		if n > 0 {
			has = append(has, name)
		}
	}
	add("machine", len(p.Facts))
	if p.Program != nil {
		add("runs", len(p.Program.Runs))
	}
	if p.Service != nil {
		has = append(has, "load")
	}
	if p.Wall != nil {
		add("where the time goes", len(p.Wall.Groups))
	}
	add("waiting", len(p.Contention))
	add("events", len(p.Events))
	add("unknown", len(p.Unknown))
	add("benchmarks", len(p.Benchmarks))
	add("growth", len(p.Growth)+len(p.Processors))
	add("functions and source", len(p.Profiles))
	parts := make([]string, 0, 3)
	if len(has) > 0 {
		parts = append(parts, "-tables\u00a0("+strings.Join(has, ", ")+")")
	}
	if n := len(p.doubtful()); n > 0 && !o.Verbose {
		parts = append(parts, "-v\u00a0("+quantity.Plural(n, "warning")+" in full)")
	}
	if n := len(p.Below); n > 0 && !o.All {
		parts = append(parts, "-all\u00a0("+quantity.Plural(n, "finding")+" below the threshold)")
	}
	if len(parts) > 0 {
		t.Line()
		t.Hang(0, "more:", len("more: "), strings.Join(parts, ", "))
	}
}

// shortName returns a function's name with the last element of its package's path,
// and its type arguments as pprof writes them.
func shortName(symbol string) string {
	pkg, rest := symbolname.Split(symbol)
	return pkg[strings.LastIndexByte(pkg, '/')+1:] + symbolname.Elide(rest)
}
