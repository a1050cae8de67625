package load

import (
	"slices"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// loadColumn is a column of figures about a load.
type loadColumn struct {
	name string
	of   func(*Run) string
}

// besideColumns returns those of the table of several loads.
func besideColumns() []loadColumn {
	columns := []loadColumn{
		{"a second", func(run *Run) string { return quantity.Count(run.Result.Throughput()) }},
		{"errors", func(run *Run) string { return failedShare(run.Result) }},
	}
	for i, name := range append(append([]string{"mean"}, quantileNames()...), "max") {
		columns = append(columns, loadColumn{name, func(run *Run) string {
			h, _ := times(run.Result)
			return timeCells(h)[i]
		}})
	}
	return columns
}

func quantileNames() (names []string) {
	for _, q := range loadQuantiles {
		names = append(names, q.name)
	}
	return names
}

// besideSpare are the columns that go first where a line has no room for all, the
// most dispensable first.
var besideSpare = []string{"p99.99", "p90", "mean", "p99.9", "max"}

// The room that a name has where columns can make it, the least that it keeps, and
// the least for what kind of loop it was.
const (
	besideRoom = 20
	besideName = 12
	besideNote = 12
)

// briefly says which loop a run was, in a few words.
func (run *Run) briefly() string {
	text := "closed, " + quantity.Plural(run.Plan.Connections, "connection")
	if run.Result.Open {
		text = "open, " + printable.Line(run.Plan.Rate)
	}
	if run.Result.Invalid != "" {
		text = "not valid, " + text
	}
	return text
}

// compareLoads is the table of several runs, a line each. Where the terminal is
// narrow, columns go; names that are still too long are shortened in their middle,
// for runs of one series differ at either end.
func (t *writer) compareLoads(runs []Run) {
	t.Heading("Loads beside each other", "times are response times of an open loop, and service times of a closed one")
	columns := besideColumns()
	widths := besideWidths(columns, runs)
	left := func() int { // for names and notes
		n := t.Width - 4
		for _, w := range widths {
			n -= w + 2
		}
		return n
	}
	named, noted := make([]string, len(runs)), make([]string, len(runs))
	for i := range runs {
		named[i], noted[i] = printable.Line(runs[i].Name), runs[i].briefly()
	}
	names, notes := widest(named), widest(noted)
	for _, spare := range besideSpare {
		if left() >= min(names, besideRoom)+notes {
			break
		}
		i := slices.IndexFunc(columns, func(c loadColumn) bool { return c.name == spare })
		columns, widths = slices.Delete(columns, i, i+1), slices.Delete(widths, i, i+1)
	}
	if room := left(); names+notes > room {
		notes = max(min(notes, room-min(names, besideName)), min(notes, besideNote))
		names = max(min(names, room-notes), 0)
	}
	var head strings.Builder
	head.WriteString("  " + strings.Repeat(" ", names))
	for i, c := range columns {
		head.WriteString("  " + strings.Repeat(" ", widths[i]-page.Cells(c.name)) + c.name)
	}
	t.Line(t.Paint(page.Dim, head.String()))
	for i := range runs {
		var line strings.Builder
		line.WriteString("  " + page.Pad(inMiddle(named[i], names), names))
		for k, c := range columns {
			cell := c.of(&runs[i])
			line.WriteString("  " + strings.Repeat(" ", widths[k]-page.Cells(cell)) + cell)
		}
		t.Line(line.String(), "  ", t.Paint(page.Dim, inMiddle(noted[i], notes)))
	}
}

// besideWidths returns how wide the columns have to be.
func besideWidths(columns []loadColumn, runs []Run) []int {
	widths := make([]int, len(columns))
	for k, c := range columns {
		widths[k] = page.Cells(c.name)
		for i := range runs {
			widths[k] = max(widths[k], page.Cells(c.of(&runs[i])))
		}
	}
	return widths
}

func widest(texts []string) int {
	n := 0
	for _, s := range texts {
		n = max(n, page.Cells(s))
	}
	return n
}

// inMiddle cuts a text in its middle to at most width cells.
func inMiddle(s string, width int) string {
	if page.Cells(s) <= width {
		return s
	}
	if width <= 1 {
		return strings.Repeat("…", max(width, 0))
	}
	tail := page.Shorten(s, width/2+1)              // with the mark before it
	head, room := []rune(s), width-page.Cells(tail) // room > 0
	n := 0
	for n < len(head) && page.Cells(string(head[:n+1])) <= room {
		n++
	}
	return string(head[:n]) + tail
}
