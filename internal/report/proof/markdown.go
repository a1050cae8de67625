package proof

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// WriteMarkdown writes the result of a proof for a pull request: the
// verdict, one table, and the rest in sections that open.
func WriteMarkdown(w io.Writer, r *compare.Result) error {
	var m markdown
	old, new := title(r)
	m.line("### ", page.CodeSpan(old), " → ", page.CodeSpan(new))
	m.line()
	m.line("**", page.Prose(r.Verdict.Kind), "**: ", page.Prose(r.Verdict.Text))
	m.proveTable(r)
	m.proveReasons(r)
	m.proveUnmatched(r)
	m.proveAnswers(r.Answers)
	if len(r.Warnings) > 0 {
		m.open(quantity.Plural(len(r.Warnings), "warning"))
		for _, text := range r.Warnings {
			m.line("- ", page.Prose(text))
		}
		m.close()
	}
	m.proveWhy(r)
	m.open("How it was measured")
	for _, f := range proveFacts(r) {
		m.line("- ", page.Prose(f.Name), ": ", page.Prose(f.Value))
	}
	m.close()
	return page.Print(w, "the result", m.buf.Bytes())
}

type markdown struct{ buf bytes.Buffer }

func (m *markdown) line(parts ...string) {
	for _, p := range parts {
		m.buf.WriteString(strings.ReplaceAll(p, "\u00a0", " "))
	}
	m.buf.WriteByte('\n')
}

// open begins a part that stays closed until the reader opens it. Markdown
// inside of it needs an empty line before and after.
func (m *markdown) open(summary string) {
	m.line()
	m.line("<details><summary>", page.Prose(summary), "</summary>")
	m.line()
}

func (m *markdown) close() {
	m.line()
	m.line("</details>")
}

// row writes one row of a table.
func (m *markdown) row(cells ...string) {
	m.line("| ", strings.Join(cells, " | "), " |")
}

// Marks in front of a verdict's words, which say the same.
var verdictMarks = map[compare.Verdict]string{
	compare.Faster: "✓ ", compare.Slower: "✗ ", compare.CannotTell: "? ",
}

func (m *markdown) proveTable(r *compare.Result) {
	metrics := proveMetrics(r)
	if len(metrics) == 0 {
		return
	}
	m.line()
	m.row(subject(r), "metric", "old", "new", "vs base", "ratio", "interval", "noise", "verdict", "p", "n")
	m.row("---", "---", "--:", "--:", "--:", "--:", "--:", "--:", "---", "--:", "--:")
	_, packages := proveRows(r, "")
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		metric := metricOf(row)
		name := printable.Line(row.Name)
		if packages > 1 {
			name = printable.Line(row.Package) + " " + name
		}
		verdict := page.Prose(verdictMarks[row.Verdict] + metric.verdict(row))
		if row.Verdict == compare.Faster || row.Verdict == compare.Slower {
			verdict = "**" + verdict + "**"
		}
		ratio, interval := proveRatio(row)
		m.row(page.CodeCell(page.CodeSpan(name)), page.CodeCell(page.CodeSpan(printable.Line(row.Metric))), page.Prose(metric.figure(row, row.Old)), page.Prose(metric.figure(row, row.New)),
			page.Prose(metric.delta(row)), page.Prose(ratio), page.Prose(interval),
			page.Prose(proveNoise(row)), verdict, page.Prose(pValue(row)), fmt.Sprint(row.Rounds))
	}
}

// proveReasons are the notes on single rows.
func (m *markdown) proveReasons(r *compare.Result) {
	first := true
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		reason := proveReason(row)
		if reason == "" {
			continue
		}
		if first {
			m.open("Notes on single rows")
			first = false
		}
		m.line("- ", page.CodeSpan(printable.Line(row.Name)), " ", page.CodeSpan(printable.Line(row.Metric)), ": ", page.Prose(reason))
	}
	if !first {
		m.close()
	}
}

func (m *markdown) proveUnmatched(r *compare.Result) {
	list := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		spans := make([]string, len(names))
		for i, n := range names {
			spans[i] = page.CodeSpan(printable.Line(n))
		}
		m.line()
		m.line(what, ": ", strings.Join(spans, ", "))
	}
	list("Only old", r.OnlyOld)
	list("Only new", r.OnlyNew)
	for _, f := range r.Failures {
		m.line()
		m.line("**failed**: ", page.CodeSpan(printable.Line(f.Name)), " (", page.Prose(f.Side), "): ", page.Prose(f.Text))
	}
}

func (m *markdown) proveAnswers(a *compare.OutputComparison) {
	if a == nil || a.Differing == 0 {
		return
	}
	m.open(fmt.Sprintf("%s of %s differ", quantity.Count(float64(a.Differing)), quantity.Plural(a.Requests, "answer")))
	m.row("request", "where", "old", "new", "")
	m.row("---", "---", "---", "---", "---")
	for _, d := range a.Differences {
		unsteady := ""
		if d.Unsteady {
			unsteady = "old differs from itself there"
		}
		m.row(page.CodeCell(page.CodeSpan(printable.Line(d.Request))), page.CodeCell(page.CodeSpan(printable.Line(d.Where))), page.CodeCell(page.CodeSpan(printable.Line(d.Old))), page.CodeCell(page.CodeSpan(printable.Line(d.New))), unsteady)
	}
	m.close()
}

func (m *markdown) proveWhy(r *compare.Result) {
	for i := range r.Why {
		c := &r.Why[i]
		m.open("Why " + c.Benchmark + " changed")
		m.line(page.Prose(changeHead(c)))
		for _, k := range changeKinds {
			m.changeTable(c, &k)
		}
		for j := range c.Functions {
			f := &c.Functions[j]
			if len(f.Decisions) == 0 {
				continue
			}
			m.line()
			m.line("The compiler on ", page.CodeSpan(printable.Line(f.Function)), ":")
			m.line()
			for _, d := range f.Decisions {
				m.line("- ", page.Prose(d.Side), ": ", page.CodeSpan(printable.Line(d.Text)), " ", page.CodeSpan(printable.Line(fmt.Sprintf("%s:%d", d.File, d.Line))))
			}
		}
		for _, text := range c.Warnings {
			m.line()
			m.line(page.Prose(text))
		}
		m.close()
	}
}

func (m *markdown) changeTable(c *compare.Change, k *changeKind) {
	lines := k.classLines(c)
	if len(lines) == 0 {
		return
	}
	m.line()
	m.line(page.Prose(k.title + ": " + strings.Join(lines, "; ")))
	header := true
	for i := range c.Functions {
		f := &c.Functions[i]
		v := k.function(f)
		if v == nil {
			continue
		}
		if header {
			m.line()
			m.row("function", "flat old", "flat new", "difference", "cum old", "cum new", "difference")
			m.row("---", "--:", "--:", "--:", "--:", "--:", "--:")
			header = false
		}
		name := page.CodeCell(page.CodeSpan(printable.Line(f.Function)))
		if f.Only != "" {
			name += " only " + page.Prose(f.Only)
		}
		m.row(name, page.Prose(k.print(v.Flat.Old)), page.Prose(k.print(v.Flat.New)), page.Prose(k.diff(v.Flat)),
			page.Prose(k.print(v.Cum.Old)), page.Prose(k.print(v.Cum.New)), page.Prose(k.diff(v.Cum)))
	}
}
