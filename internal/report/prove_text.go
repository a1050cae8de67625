package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
)

// WriteProveText writes the result of a proof for a terminal: what was
// compared and how, a table for each metric, and the verdict last.
func WriteProveText(w io.Writer, r *compare.Result, o TextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	t.line(t.paint(bold, clean(cmp.Or(r.Old.Operand, r.Old.Package))+" → "+clean(cmp.Or(r.New.Operand, r.New.Package))))
	t.line()
	for _, f := range proveFacts(r) {
		t.hang(2, f.Name, 10, f.Value)
	}
	t.warnings(r.Warnings)
	t.proveTable(r, compare.NsPerOp, "Time per operation", "", quantity.Nanoseconds)
	t.proveTable(r, compare.AllocsPerOp, "Allocations per operation", "whole allocations, as package testing counts them", quantity.Count)
	t.proveTable(r, compare.BytesPerOp, "Bytes allocated per operation", "whole bytes, as package testing counts them", quantity.Bytes)
	t.proveUnmatched(r)
	t.line()
	for i, l := range wrap(clean(r.Verdict.Text), t.width-9) {
		t.line(t.paint(strong, pad([]string{"verdict", ""}[min(i, 1)], 9)), t.paint(bold, l))
	}
	if _, err := w.Write(t.bytes()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// proveFacts are the lines of the head.
func proveFacts(r *compare.Result) []Fact {
	machine := []string{}
	if r.Host.CPU != "" {
		machine = append(machine, clean(r.Host.CPU))
	}
	machine = append(machine, quantity.Plural(r.Host.Cores, "core"))
	machine = append(machine, fmt.Sprintf("GOMAXPROCS %d", r.Host.GOMAXPROCS), clean(r.Host.OS)+"/"+clean(r.Host.Arch))
	if r.Old.GoVersion == r.New.GoVersion {
		machine = append(machine, clean(r.New.GoVersion))
	} else {
		machine = append(machine, clean(r.Old.GoVersion)+" against "+clean(r.New.GoVersion))
	}
	facts := append(proveSides(r), Fact{"machine", strings.Join(machine, ", ")})
	if r.RoundsPlanned > 0 {
		facts = append(facts,
			Fact{"plan", fmt.Sprintf("%s of old, new and old again, a process each of about %s, in an order drawn from seed %d; measured in %s",
				proveRounds(r), time.Duration(r.SliceNs), r.Seed, quantity.Nanoseconds(float64(r.ElapsedNs)))},
			Fact{"ratios", fmt.Sprintf("old/new, medians of pairs; each interval holds the true one at %s, those of all rows together at %s; margin %s; noise is old against old, the half-width at %s",
				confidence(r.ConfidenceRatio), confidence(1-r.AlphaRatio), quantity.Percent(r.MarginRatio), confidence(compare.NoiseConfidence))})
	}
	if r.Old.Tests != "" {
		tests := "old " + clean(r.Old.Tests) + ", new " + clean(r.New.Tests)
		if r.Old.Tests == r.New.Tests {
			tests = clean(r.New.Tests) + " on both sides"
		}
		facts = append(facts, Fact{"tests", tests})
	}
	return facts
}

// proveSides tells the sides apart beyond what the user typed: by package and,
// where they differ in it, by revision.
func proveSides(r *compare.Result) []Fact {
	revisions := r.Old.Revision != r.New.Revision || changed(r.Old.Dirty) != changed(r.New.Dirty)
	if r.Old.Package == r.New.Package && !revisions {
		return nil
	}
	var facts []Fact
	for _, s := range []struct {
		name string
		side *compare.Side
	}{{"old", &r.Old}, {"new", &r.New}} {
		said := []string{}
		if s.side.Package != "" {
			said = append(said, clean(s.side.Package))
		}
		if revisions {
			revision := "revision unknown"
			if s.side.Revision != "" {
				revision = "revision " + clean(s.side.Revision[:min(len(s.side.Revision), 12)])
			}
			if changed(s.side.Dirty) {
				revision += " with changes that are not committed"
			}
			said = append(said, revision)
		}
		facts = append(facts, Fact{s.name, strings.Join(said, ", ")})
	}
	return facts
}

func changed(dirty *bool) bool { return dirty != nil && *dirty }

// proveRounds is "40 rounds", or "12 of 40 rounds" where it ended early.
func proveRounds(r *compare.Result) string {
	planned := quantity.Plural(r.RoundsPlanned, "round")
	if r.RoundsMeasured < r.RoundsPlanned {
		return fmt.Sprintf("%d of %s", r.RoundsMeasured, planned)
	}
	return planned
}

// confidence prints a probability near 1 with the digits that tell.
func confidence(p float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.4f", p*100), "0")
	return strings.TrimSuffix(s, ".") + " %"
}

func (t *textWriter) warnings(ws []string) {
	if len(ws) > 0 {
		t.line()
	}
	for _, w := range ws {
		for i, l := range wrap(clean(w), min(t.width, 100)-4) {
			mark := "  ! "
			if i > 0 {
				mark = "    "
			}
			t.line(t.paint(yellow, mark), l)
		}
	}
}

// proveLine is one row of a proof's table, as text.
type proveLine struct {
	figures [5]string
	verdict string
	style   style
	name    string
	reason  string
}

func (t *textWriter) proveTable(r *compare.Result, metric, title, aside string, print func(float64) string) {
	lines := []proveLine{{
		figures: [5]string{"old", "new", "old/new", "interval", "noise at " + confidence(compare.NoiseConfidence)}, verdict: "verdict", style: dim, name: "benchmark",
	}}
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		if row.Metric != metric {
			continue
		}
		interval, noise := compare.PrintInterval(row.RatioLow, row.RatioHigh), "–"
		if row.Exact {
			noise = "constant"
		} else if row.NoiseRatio != nil {
			noise = "±" + quantity.Percent(*row.NoiseRatio)
		}
		lines = append(lines, proveLine{
			figures: [5]string{print(row.Old), print(row.New), compare.PrintRatio(row.Ratio), interval, noise},
			verdict: proveVerdict(row), style: verdictStyle(row.Verdict), name: clean(row.Name), reason: clean(row.Reason),
		})
	}
	if len(lines) > 1 {
		t.heading(title, aside)
		t.proveLines(lines)
	}
}

// proveLines aligns figures right, verdicts and names left. The name comes
// last and is shortened to what is left of the line.
func (t *textWriter) proveLines(lines []proveLine) {
	var widths [5]int
	verdict := 0
	for _, l := range lines {
		for c, s := range l.figures {
			widths[c] = max(widths[c], wide(s))
		}
		verdict = max(verdict, wide(l.verdict))
	}
	for i, l := range lines {
		var b strings.Builder
		used := verdict + 4
		for c, s := range l.figures {
			b.WriteString(strings.Repeat(" ", widths[c]-wide(s)+2))
			b.WriteString(s)
			used += widths[c] + 2
		}
		name := shorten(l.name, max(t.width-used, 20))
		if i == 0 {
			t.line(t.paint(dim, b.String()+"  "+pad(l.verdict, verdict)+"  "+name))
			continue
		}
		t.line(b.String(), "  ", t.paint(l.style, pad(l.verdict, verdict)), "  ", name)
		if l.reason != "" {
			t.hang(6, "", 0, l.reason)
		}
	}
}

func verdictStyle(v compare.Verdict) style {
	switch v {
	case compare.Faster:
		return strong
	case compare.Slower, compare.CannotTell:
		return yellow
	}
	return dim
}

// proveVerdict is a verdict in the words of its metric.
func proveVerdict(row *compare.Row) string {
	text := string(row.Verdict)
	changed := row.Verdict == compare.Faster || row.Verdict == compare.Slower
	if changed && row.Metric != compare.NsPerOp {
		text = map[compare.Verdict]string{compare.Faster: "fewer", compare.Slower: "more"}[row.Verdict]
	}
	if changed && row.WithinMargin {
		text += ", within margin"
	}
	return text
}

func (t *textWriter) proveUnmatched(r *compare.Result) {
	if len(r.OnlyOld)+len(r.OnlyNew)+len(r.Failures) == 0 {
		return
	}
	t.heading("Not compared", "")
	for _, side := range []struct {
		name  string
		names []string
	}{{"only old", r.OnlyOld}, {"only new", r.OnlyNew}} {
		if len(side.names) > 0 {
			t.hang(2, side.name, 10, cleanList(side.names))
		}
	}
	for _, f := range r.Failures {
		t.hang(2, "failed", 10, clean(f.Name)+" ("+clean(f.Side)+"): "+clean(f.Text))
	}
}
