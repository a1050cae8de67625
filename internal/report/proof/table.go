package proof

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// proveLine is a row of a proof's table, as text.
type proveLine struct {
	name   string
	cells  [columnCount]string
	style  page.Style // of the verdict
	rests  string     // what the verdict rests on, beside its interval; "" is not shown
	reason string
	group  bool // a package's name, over its rows
}

// proveTables writes a table for each metric, all in one layout: names first,
// new against old as benchstat shows it, then, in a verbose text, what a verdict
// rests on. Where the width does not allow it, the last of this goes onto a line
// below, and on a narrow terminal the figures too.
func (t *writer) proveTables(r *compare.Result, verbose bool) {
	metrics := proveMetrics(r)
	tables := make([][]proveLine, len(metrics))
	for i := range metrics {
		tables[i] = proveLines(r, &metrics[i], verbose)
	}
	fits := func(columns []column, least int) bool {
		return !slices.ContainsFunc(tables, func(lines []proveLine) bool {
			room, named := t.proveName(lines, columns)
			return room < min(named, least)
		})
	}
	write := t.narrow
	switch {
	case verbose && fits(wideColumns, math.MaxInt): // no name is cut to make room for what may stand below
		write = func(lines []proveLine) { t.proveWide(lines, wideColumns) }
	case fits(middleColumns, leastName):
		write = func(lines []proveLine) { t.proveWide(lines, middleColumns) }
	}
	for i, lines := range tables {
		t.Heading(metrics[i].title, metrics[i].aside)
		write(lines)
	}
}

// proveLines returns the rows of one metric.
func proveLines(r *compare.Result, m *proveMetric, verbose bool) []proveLine {
	lines := []proveLine{{
		name: subject(r), style: page.Dim,
		cells: [...]string{"old", "new", "noise", "vs base", m.ratio(), "interval", "verdict", "p", "n"},
	}}
	rests := func(row *compare.Row) string {
		if !verbose {
			return ""
		}
		return fmt.Sprintf("noise\u00a0%s; p\u00a0%s; n\u00a0%d", proveNoise(row), pValue(row), row.Rounds)
	}
	reason := func(row *compare.Row) string {
		s := proveReason(row)
		if verbose && row.WhyMeasured != "" && row.Metric == compare.NsPerOp {
			s = strings.TrimPrefix(s+"; measured because "+printable.Line(row.WhyMeasured), "; ")
		}
		return s
	}
	rows, packages := proveRows(r, m.Unit)
	last := ""
	for _, row := range rows {
		if packages > 1 && row.Package != last {
			last = row.Package
			lines = append(lines, proveLine{name: "pkg: " + printable.Line(last), group: true})
		}
		ratio, interval := proveRatio(row)
		lines = append(lines, proveLine{
			name: printable.Line(row.Name), style: verdictStyle(row.Verdict), rests: rests(row), reason: reason(row),
			cells: [...]string{m.figure(row, row.Old), m.figure(row, row.New), proveNoise(row), m.delta(row), ratio, interval, m.verdict(row), pValue(row), fmt.Sprint(row.Rounds)},
		})
	}
	if ratio, ok := geomean(rows); ok {
		lines = append(lines, proveLine{name: "geomean", cells: [columnCount]string{delta: printDelta(m.change(ratio)), ratioColumn: compare.PrintRatio(ratio)}, style: page.Dim})
	}
	return lines
}

// subject heads the column of names.
func subject(r *compare.Result) string {
	switch r.Kind {
	case compare.KindCommands:
		return "command"
	case compare.KindService:
		return "service"
	}
	return "benchmark"
}

// proveRows returns the rows of one unit, and the number of packages that the
// whole result is about.
func proveRows(r *compare.Result, unit string) (rows []*compare.Row, packages int) {
	var seen []string
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		if !slices.Contains(seen, row.Package) {
			seen = append(seen, row.Package)
		}
		if row.Metric == unit {
			rows = append(rows, row)
		}
	}
	return rows, len(seen)
}

// proveReason says what a verdict does not say itself: why there is none and
// what one would take, or that there is a difference, which hardly matters.
func proveReason(row *compare.Row) string {
	s := printable.Line(row.Reason)
	if row.WithinMargin && (row.RatioLow > 1 || row.RatioHigh < 1) {
		s = "different, but within the margin"
	}
	if row.Perhaps != "" {
		return perhaps(row)
	}
	if row.Needed == nil {
		return s
	}
	take := "it would take about " + quantity.Plural(row.Needed.Rounds, "round") + " in all"
	if row.Needed.Ns > 0 {
		take += ", " + time.Duration(row.Needed.Ns).Round(time.Second).String() + " if measured alone"
	}
	if s == "" {
		return take
	}
	return s + "; " + take
}

// perhaps says what the figures hint at, and what a verdict would take beyond what
// was measured.
func perhaps(row *compare.Row) string {
	s := printable.Line(string(row.Verdict)) + ", perhaps " + printable.Line(string(row.Perhaps))
	n := row.Needed
	if n == nil || n.Rounds <= row.Rounds {
		return s + ": the number of further rounds is unknown"
	}
	more := n.Rounds - row.Rounds
	s += fmt.Sprintf(": %s more", quantity.Plural(more, "round"))
	if n.Ns > 0 {
		took := time.Duration(float64(n.Ns) * float64(more) / float64(n.Rounds))
		s += fmt.Sprintf(", %s s", quantity.Count(math.Ceil(took.Seconds())))
	}
	return s
}

// column is one of a table. The verdict's stands at the left, all others at the
// right.
type column int

const (
	oldColumn column = iota
	newColumn
	noise
	delta
	ratioColumn
	interval
	verdict
	pColumn
	rounds
	columnCount
)

// The columns of a table with names at the left, with all that a verdict rests
// on and without.
var (
	wideColumns   = []column{oldColumn, newColumn, noise, delta, ratioColumn, interval, verdict, pColumn, rounds}
	middleColumns = []column{oldColumn, newColumn, delta, ratioColumn, interval, verdict}
	narrowColumns = []column{oldColumn, newColumn, delta, verdict}
)

// leastName is the room for names with which a table is made.
const leastName = 16

// proveName returns the room for names beside the columns, and what the longest
// needs.
func (t *writer) proveName(lines []proveLine, columns []column) (room, named int) {
	used := 2
	for _, w := range proveWidths(lines, columns) {
		used += w + 2
	}
	for i := range lines {
		if !lines[i].group {
			named = max(named, page.Cells(lines[i].name))
		}
	}
	return min(t.Width-used, named), named
}

// proveWide writes a line for each row, and what has no column below it.
func (t *writer) proveWide(lines []proveLine, columns []column) {
	widths := proveWidths(lines, columns)
	room, _ := t.proveName(lines, columns)
	for i := range lines {
		l := &lines[i]
		if l.group {
			t.Line("  ", t.Paint(page.Dim, page.Shorten(l.name, t.Width-2)))
			continue
		}
		t.proveCells(l, i == 0, "  "+page.Pad(page.Shorten(l.name, room), room)+"  ", columns, widths)
		if l.rests != "" && len(columns) < len(wideColumns) {
			t.Line("      ", t.Paint(page.Dim, l.rests))
		}
		if l.reason != "" {
			t.Hang(6, "", 0, l.reason)
		}
	}
}

// narrow writes a name, the figures under it, and what the verdict rests
// on under these.
func (t *writer) narrow(lines []proveLine) {
	widths := proveWidths(lines, narrowColumns)
	for i := range lines {
		l := &lines[i]
		if l.group {
			t.Line("  ", t.Paint(page.Dim, page.Shorten(l.name, t.Width-2)))
			continue
		}
		if i > 0 {
			t.Line("  ", page.Shorten(l.name, t.Width-2))
		}
		if i == 0 || l.cells[oldColumn] != "" {
			t.proveCells(l, i == 0, "    ", narrowColumns, widths)
		}
		if i == 0 {
			continue
		}
		detail := lines[0].cells[ratioColumn] + " " + l.cells[ratioColumn]
		if l.cells[oldColumn] == "" {
			detail = l.cells[delta] + ", " + detail // the mean of all
		}
		if l.cells[interval] != "" {
			detail += ", " + l.cells[interval]
		}
		if l.rests != "" {
			detail += "; " + l.rests
		}
		t.Wrapped(4, page.Dim, detail)
		if l.reason != "" {
			t.Hang(6, "", 0, l.reason)
		}
	}
}

func proveWidths(lines []proveLine, columns []column) []int {
	widths := make([]int, len(columns))
	for i := range lines {
		for c, column := range columns {
			widths[c] = max(widths[c], page.Cells(lines[i].cells[column]))
		}
	}
	return widths
}

// proveCells writes one line of aligned cells after a lead.
func (t *writer) proveCells(l *proveLine, header bool, lead string, columns []column, widths []int) {
	out := []string{lead}
	for c, column := range columns {
		s := l.cells[column]
		if column == verdict {
			s = page.Pad(s, widths[c])
			if !header {
				s = t.Paint(l.style, s)
			}
		} else {
			s = strings.Repeat(" ", widths[c]-page.Cells(s)) + s
		}
		out = append(out, s, "  ")
	}
	if header {
		t.Line(t.Paint(page.Dim, strings.TrimRight(strings.Join(out, ""), " ")))
		return
	}
	t.Line(out...)
}

func verdictStyle(v compare.Verdict) page.Style {
	switch v {
	case compare.Faster:
		return page.Strong
	case compare.Slower, compare.CannotTell:
		return page.Yellow
	}
	return page.Dim
}
