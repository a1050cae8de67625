package trace

import (
	"io"
	"math"
	"strings"

	"whet/internal/analyze/sched"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// WriteComparison writes two traces side by side for a terminal.
func WriteComparison(w io.Writer, old, new *Page, o page.TextOptions) error {
	c := sched.Compare(old.Result, new.Result)
	t := &writer{page.NewText(o), new.Result, rows}
	if o.All {
		t.most = math.MaxInt
	}
	t.Line("before  ", t.Paint(page.Bold, printable.Line(old.Name)))
	t.Line("after   ", t.Paint(page.Bold, printable.Line(new.Name)))
	t.Warnings(comparisonWarnings(old, new))
	t.Hang(2, "", 0, "One trace of each: differences may be chance. Times are divided by the spans; whet prove compares with statistics.")
	t.Line()
	table := [][]string{{"", "before", "after", "after/before", ""}}
	for _, f := range c.Figures {
		if f.Old == 0 && f.New == 0 || math.IsNaN(f.Old) && math.IsNaN(f.New) {
			continue
		}
		table = append(table, []string{f.Name, figure(f.Old, f.Unit), figure(f.New, f.Unit), change(f.Old, f.New), ""})
	}
	t.Labelled(table)
	t.pairs("Running, by start function", "processors on average", c.Kinds, false)
	t.pairs("Waiting, by place", "goroutines on average", c.Waits, true)
	t.spanPairs("Tasks", c.Tasks)
	t.spanPairs("Regions", c.Regions)
	return t.Flush(w, "two traces compared")
}

func comparisonWarnings(old, new *Page) (out []string) {
	for _, p := range []*Page{old, new} {
		for _, w := range p.Result.Warnings {
			out = append(out, p.Name+": "+w)
		}
	}
	return out
}

// figure returns a number in its unit, "-" where there is none.
func figure(v float64, unit string) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case unit == "ns":
		return quantity.Nanoseconds(v)
	case unit == "ratio":
		return quantity.Percent(v)
	case unit == "per_second":
		return quantity.Count(v) + "/s"
	}
	return quantity.Count(v)
}

// change returns what became of a number; nothing where no ratio tells.
func change(old, new float64) string {
	switch {
	case old == new, math.IsNaN(old), math.IsNaN(new):
		return ""
	case old == 0:
		return "new"
	case new == 0:
		return "gone"
	}
	return quantity.Ratio(new / old)
}

func (t *writer) pairs(title, aside string, of []sched.Pair, waits bool) {
	shown := of[:0:0]
	for _, p := range of {
		if p.State != sched.System && p.Old != p.New {
			shown = append(shown, p)
		}
	}
	if len(shown) == 0 {
		return
	}
	n := t.head(title, len(shown), aside)
	table := [][]string{{"", "before", "after", "after/before", "times before", "after", ""}}
	for _, p := range shown[:n] {
		label := name(p.Name)
		if waits {
			label = p.State.String() + " at " + printable.Line(symbolname.Short(p.Name))
		}
		table = append(table, []string{label, quantity.Count(p.Old), quantity.Count(p.New), change(p.Old, p.New), quantity.Count(p.OldPerSecond) + "/s", quantity.Count(p.NewPerSecond) + "/s", ""})
	}
	t.Labelled(table)
}

func (t *writer) spanPairs(title string, of []sched.SpanPair) {
	if len(of) == 0 {
		return
	}
	n := t.head(title, len(of), "p50 and p99 before, then after")
	table := [][]string{{"", "count", "p50", "p99", "count", "p50", "p99", "p99 is now"}}
	for _, p := range of[:n] {
		row := []string{printable.Line(p.Type)}
		for _, s := range []*sched.Span{p.Old, p.New} {
			if s == nil || s.Count == 0 {
				row = append(row, "-", "-", "-")
				continue
			}
			row = append(row, quantity.Count(float64(s.Count)), ns(s.Times.Quantile(0.5)), ns(s.Times.Quantile(0.99)))
		}
		note := ""
		if p.Old != nil && p.New != nil && p.Old.Count > 0 && p.New.Count > 0 {
			note = change(float64(p.Old.Times.Quantile(0.99)), float64(p.New.Times.Quantile(0.99)))
		}
		table = append(table, append(row, note))
	}
	t.Labelled(table)
}

// WriteComparisonJSON writes the document whet/trace-diff/1.
func WriteComparisonJSON(w io.Writer, old, new *Page) error {
	c := sched.Compare(old.Result, new.Result)
	return document.Write(w, document.Object{document.Begin(document.TraceDiff, comparisonWarnings(old, new)),
		"before", old.Name, "after", new.Name,
		"figures", document.Each(c.Figures, func(f *sched.Figure) document.Object {
			return document.Object{"name", strings.ReplaceAll(f.Name, " ", "_"), "unit", f.Unit, "before", document.Number(f.Old), "after", document.Number(f.New)}
		}),
		"goroutines", document.Each(c.Kinds, func(p *sched.Pair) document.Object {
			return document.Object{"start", p.Name, "before_mean", p.Old, "after_mean", p.New, "before_per_second", p.OldPerSecond, "after_per_second", p.NewPerSecond}
		}),
		"blocking", document.Each(c.Waits, func(p *sched.Pair) document.Object {
			return document.Object{"state", p.State.String(), "function", p.Name, "before_mean", p.Old, "after_mean", p.New, "before_per_second", p.OldPerSecond, "after_per_second", p.NewPerSecond}
		}),
		"tasks", spanPairs(c.Tasks), "regions", spanPairs(c.Regions),
	})
}

func spanPairs(of []sched.SpanPair) []document.Object {
	return document.Each(of, func(p *sched.SpanPair) document.Object {
		return document.Object{"type", p.Type, "before", span(p.Old), "after", span(p.New)}
	})
}

// span is null where a trace has none of the type.
func span(s *sched.Span) any {
	if s == nil {
		return nil
	}
	return append(document.Object{"unfinished", s.Unfinished, "time_ns", s.Ns}, times(&s.Times)...)
}
