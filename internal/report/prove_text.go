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
// compared and how, a table for each metric, and the verdict as the last line.
func WriteProveText(w io.Writer, r *compare.Result, o TextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	t.line(t.paint(bold, clean(cmp.Or(r.Old.Package, r.Old.Operand))+" → "+clean(cmp.Or(r.New.Package, r.New.Operand))))
	t.line()
	for _, f := range proveFacts(r) {
		t.hang(2, f.Name, 10, f.Value)
	}
	t.warnings(r.Warnings)
	t.proveTable(r, compare.Time, "Time per operation", quantity.Nanoseconds)
	t.proveTable(r, compare.Allocs, "Allocations per operation", quantity.Count)
	t.proveTable(r, compare.Bytes, "Bytes allocated per operation", quantity.Bytes)
	t.proveUnmatched(r)
	t.line()
	t.line(t.paint(strong, "verdict"), "  ", t.paint(bold, clean(r.Verdict.Text)))
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
	machine = append(machine, plural(r.Host.Cores, "core"))
	machine = append(machine, fmt.Sprintf("GOMAXPROCS %d", r.Host.GOMAXPROCS), clean(r.Host.OS)+"/"+clean(r.Host.Arch))
	if r.Old.GoVersion == r.New.GoVersion {
		machine = append(machine, clean(r.New.GoVersion))
	} else {
		machine = append(machine, clean(r.Old.GoVersion)+" against "+clean(r.New.GoVersion))
	}
	facts := []Fact{{"machine", strings.Join(machine, ", ")}}
	if r.RoundsPlanned > 0 {
		facts = append(facts,
			Fact{"plan", fmt.Sprintf("%s of old, new and old again, a process each of about %s, in an order drawn from seed %d; measured in %s",
				plural(r.RoundsPlanned, "round"), time.Duration(r.SliceNs), r.Seed, quantity.Nanoseconds(float64(r.ElapsedNs)))},
			Fact{"ratios", fmt.Sprintf("old/new, medians of pairs; each interval holds the true one at %s, all together at %s; margin %s",
				confidence(r.ConfidenceRatio), confidence(1-r.AlphaRatio), quantity.Percent(r.MarginRatio))})
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

func (t *textWriter) proveTable(r *compare.Result, metric, title string, print func(float64) string) {
	verdicts := len("verdict")
	for i := range r.Benchmarks {
		if row := &r.Benchmarks[i]; row.Metric == metric {
			verdicts = max(verdicts, wide(proveVerdict(row)))
		}
	}
	rows := [][]string{{"old", "new", "old/new", "interval", "noise", pad("verdict", verdicts) + "  benchmark"}}
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		if row.Metric != metric {
			continue
		}
		interval, noise := compare.PrintRatio(row.RatioLow)+" to "+compare.PrintRatio(row.RatioHigh), "–"
		if row.Exact {
			interval, noise = "exact", ""
		} else if row.NoiseRatio != nil {
			noise = "±" + quantity.Percent(*row.NoiseRatio)
		}
		rows = append(rows, []string{print(row.Old), print(row.New), compare.PrintRatio(row.Ratio), interval, noise,
			t.paint(verdictStyle(row.Verdict), pad(proveVerdict(row), verdicts)) + "  " + shorten(clean(row.Name), max(t.width-proveColumns-verdicts, 20))})
	}
	if len(rows) == 1 {
		return
	}
	t.heading(title, "")
	t.table(rows)
	for i := range r.Benchmarks {
		if row := &r.Benchmarks[i]; row.Metric == metric && row.Reason != "" {
			t.hang(4, "", 0, clean(row.Name)+": cannot tell: "+clean(row.Reason))
		}
	}
}

// proveColumns is the usual width of a proof's columns up to the verdict.
const proveColumns = 62

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
	if changed && row.Metric != compare.Time {
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
