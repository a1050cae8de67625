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
// verdict, one table, and the rest behind summaries that open.
func WriteMarkdown(w io.Writer, r *compare.Result) error {
	var m markdown
	old, new := title(r)
	m.line("### ", codeSpan(old), " → ", codeSpan(new))
	m.line()
	m.line("**", prose(r.Verdict.Kind), "**: ", prose(r.Verdict.Text))
	m.proveTable(r)
	m.proveReasons(r)
	m.proveUnmatched(r)
	m.proveAnswers(r.Answers)
	if len(r.Warnings) > 0 {
		m.open(quantity.Plural(len(r.Warnings), "warning"))
		for _, text := range r.Warnings {
			m.line("- ", prose(text))
		}
		m.close()
	}
	m.proveWhy(r)
	m.open("How it was measured")
	for _, f := range proveFacts(r) {
		m.line("- ", prose(f.Name), ": ", prose(f.Value))
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
	m.line("<details><summary>", prose(summary), "</summary>")
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
		verdict := prose(verdictMarks[row.Verdict] + metric.verdict(row))
		if row.Verdict == compare.Faster || row.Verdict == compare.Slower {
			verdict = "**" + verdict + "**"
		}
		ratio, interval := proveRatio(row)
		m.row(cell(codeSpan(name)), cell(codeSpan(printable.Line(row.Metric))), prose(metric.figure(row, row.Old)), prose(metric.figure(row, row.New)),
			prose(metric.delta(row)), prose(ratio), prose(interval),
			prose(proveNoise(row)), verdict, prose(pValue(row)), fmt.Sprint(row.Rounds))
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
		m.line("- ", codeSpan(printable.Line(row.Name)), " ", codeSpan(printable.Line(row.Metric)), ": ", prose(reason))
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
			spans[i] = codeSpan(printable.Line(n))
		}
		m.line()
		m.line(what, ": ", strings.Join(spans, ", "))
	}
	list("Only old", r.OnlyOld)
	list("Only new", r.OnlyNew)
	for _, f := range r.Failures {
		m.line()
		m.line("**failed**: ", codeSpan(printable.Line(f.Name)), " (", prose(f.Side), "): ", prose(f.Text))
	}
}

func (m *markdown) proveAnswers(a *compare.Answers) {
	if a == nil || a.Differing == 0 {
		return
	}
	m.open(fmt.Sprintf("%d of %s differ", a.Differing, quantity.Plural(a.Requests, "answer")))
	m.row("request", "where", "old", "new", "")
	m.row("---", "---", "---", "---", "---")
	for _, d := range a.Differences {
		unsteady := ""
		if d.Unsteady {
			unsteady = "old differs there from itself"
		}
		m.row(cell(codeSpan(printable.Line(d.Request))), cell(codeSpan(printable.Line(d.Where))), cell(codeSpan(printable.Line(d.Old))), cell(codeSpan(printable.Line(d.New))), unsteady)
	}
	m.close()
}

func (m *markdown) proveWhy(r *compare.Result) {
	for i := range r.Why {
		c := &r.Why[i]
		m.open("Why " + c.Benchmark + " changed")
		m.line(prose(changeHead(c)))
		for _, k := range changeKinds {
			m.changeTable(c, &k)
		}
		for j := range c.Functions {
			f := &c.Functions[j]
			if len(f.Decisions) == 0 {
				continue
			}
			m.line()
			m.line("The compiler on ", codeSpan(printable.Line(f.Function)), ":")
			m.line()
			for _, d := range f.Decisions {
				m.line("- ", prose(d.Side), ": ", codeSpan(printable.Line(d.Text)), " ", codeSpan(printable.Line(fmt.Sprintf("%s:%d", d.File, d.Line))))
			}
		}
		for _, text := range c.Warnings {
			m.line()
			m.line(prose(text))
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
	m.line(prose(k.title + ": " + strings.Join(lines, "; ")))
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
		name := cell(codeSpan(printable.Line(f.Function)))
		if f.Only != "" {
			name += " only " + prose(f.Only)
		}
		m.row(name, prose(k.print(v.Flat.Old)), prose(k.print(v.Flat.New)), prose(k.diff(v.Flat)),
			prose(k.print(v.Cum.Old)), prose(k.print(v.Cum.New)), prose(k.diff(v.Cum)))
	}
}

// codeSpan sets text as code, where nothing in it means anything: neither
// markup nor a link nor somebody's name. The fence is longer than any run of
// backticks within.
func codeSpan(s string) string {
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// cell keeps a bar in a code span from ending the table's cell.
func cell(span string) string { return strings.ReplaceAll(span, "|", `\|`) }

// inert parts, by a space without width, what a page would make a link or
// somebody's name of although it is no markup.
var inert = strings.NewReplacer("&#64;", "&#64;&#8203;", "&#35;", "&#35;&#8203;", "://", ":&#8203;//", "www.", "www&#8203;.", "WWW.", "WWW&#8203;.")

// prose escapes text that may hold what measured programs chose: no
// markup, no link, no mention of anybody, on one line.
func prose(s string) string {
	return inert.Replace(markdownText(strings.ReplaceAll(s, "\u00a0", " ")))
}
