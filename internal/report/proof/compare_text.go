package proof

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"whet/internal/analyze/tables"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// WriteCompareText writes tables as benchstat does, and below them what
// benchstat does not say: how many comparisons were read together, and what
// of the files was passed over.
func WriteCompareText(w io.Writer, r *tables.Result, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	compareHeads(r, func(line string) { t.Buffer.WriteString(printable.Line(line) + "\n") }, func(table *tables.Table) {
		t.compareTable(table)
	})
	for i, note := range CompareNotes(r) {
		if i == 0 {
			t.Buffer.WriteByte('\n')
		}
		t.Buffer.WriteString(printable.Line(note) + "\n")
	}
	return t.Flush(w, "the comparison")
}

// compareHeads goes through the tables with the lines before each: what of its
// configuration differs from that of the table before.
func compareHeads(r *tables.Result, head func(string), body func(*tables.Table)) {
	for i := range r.Tables {
		t := &r.Tables[i]
		if i > 0 {
			head("")
		}
		for k, s := range t.Config {
			if i == 0 || r.Tables[i-1].Config[k].Value != s.Value {
				head(s.Key + ": " + s.Value)
			}
		}
		body(t)
	}
}

// CompareNotes returns the lines below the tables.
func CompareNotes(r *tables.Result) []string {
	var notes []string
	n := quantity.Plural(r.Comparisons, "comparison")
	constant := ""
	if r.Constant > 0 {
		constant = fmt.Sprintf("; %d more cannot differ (all values equal, or one on each side)", r.Constant)
	}
	switch {
	case r.Comparisons == 0 && r.Constant > 0:
		notes = append(notes, fmt.Sprintf("no comparison can show a difference: each of %d has equal values only, or one on each side", r.Constant))
	case r.Comparisons == 1 && constant != "":
		notes = append(notes, n+constant)
	case r.Comparisons > 1 && r.Options.Adjust == tables.Holm:
		notes = append(notes, fmt.Sprintf("%s: p is adjusted by Holm's method over all of them%s", n, constant))
	case r.Comparisons > 1:
		notes = append(notes, fmt.Sprintf("%s without adjustment: if nothing differs, expect about %.3g false differences at alpha %v%s",
			n, float64(r.Comparisons)*r.Options.Alpha, r.Options.Alpha, constant))
	}
	for _, f := range r.Files {
		if f.Other > 0 {
			notes = append(notes, fmt.Sprintf("%s: skipped %s of other output", f.Name, quantity.Plural(f.Other, "line")))
		}
	}
	return append(notes, r.Warnings...)
}

// Columns of a cell in the grid: center, interval, footnotes; beside all but
// the first table column also delta, p, footnotes.
const (
	centerColumns = 3
	deltaColumns  = 3
)

// gridColumn returns where a table column begins.
func gridColumn(col int) int {
	if col == 0 {
		return 1
	}
	return 1 + centerColumns + (col-1)*(centerColumns+deltaColumns)
}

// footnotes numbers the remarks of a table by their first appearance.
type footnotes struct{ texts []string }

func (f *footnotes) marks(texts ...[]string) string {
	var marks []string
	for _, text := range slices.Concat(texts...) {
		i := slices.Index(f.texts, text)
		if i < 0 {
			i = len(f.texts)
			f.texts = append(f.texts, text)
		}
		marks = append(marks, superscript(i+1))
	}
	return strings.Join(marks, " ")
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, d := range fmt.Sprint(n) {
		b.WriteRune(digits[d-'0'])
	}
	return b.String()
}

func (t *writer) compareTable(table *tables.Table) {
	g := &grid{tight: make(map[int]bool)}
	var notes footnotes
	row := compareColumnHeads(g, table)
	class := benchunit.ClassOf(table.Unit)
	for i := range table.Rows {
		r := &table.Rows[i]
		row++
		g.add(gridCell{row: row, text: printable.Line(r.Name)})
		scale := rowScale(r, class)
		for col, cell := range r.Cells {
			if cell != nil {
				compareCell(g, row, gridColumn(col), cell, scale, &notes)
			}
		}
	}
	if len(table.Rows) > 1 {
		row++
		g.add(gridCell{row: row, text: "geomean"})
		for col, m := range table.Geomean {
			at := gridColumn(col)
			if m.Known {
				g.add(gridCell{row: row, col: at, text: benchunit.Scale(m.Value, class), margin: " ", align: alignRight})
			}
			if col > 0 {
				c := gridCell{row: row, col: at + centerColumns, text: compareGeomean(m), margin: " "}
				if m.RatioKnown {
					c.align = alignRight
				}
				g.add(c)
			}
			g.add(marksCell(row, gridColumn(col+1)-1, notes.marks(m.Warnings)))
		}
	}
	g.write(&t.Buffer, t.Paint)
	for i, text := range notes.texts {
		fmt.Fprintf(&t.Buffer, "%s %s\n", superscript(i+1), printable.Line(text))
	}
}

// compareColumnHeads writes a line for each key of the columns, columns with
// the same value together, and the line of the units; it returns its row.
func compareColumnHeads(g *grid, table *tables.Table) int {
	edge := gridColumn(len(table.Columns))
	for level := range table.Fields {
		for from := 0; from < len(table.Columns); {
			to := from + 1
			for to < len(table.Columns) && slices.Equal(table.Columns[from].Values[:level+1], table.Columns[to].Values[:level+1]) {
				to++
			}
			g.add(gridCell{row: level, col: gridColumn(from), span: gridColumn(to) - gridColumn(from),
				text: printable.Line(table.Columns[from].Values[level]), margin: " │ ", align: alignCenter})
			from = to
		}
		g.add(gridCell{row: level, col: edge, margin: " │"})
	}
	row := len(table.Fields)
	for col := range table.Columns {
		at := gridColumn(col)
		g.add(gridCell{row: row, col: at, span: centerColumns, text: printable.Line(table.Unit), margin: " │ ", align: alignCenter})
		if col > 0 {
			g.add(gridCell{row: row, col: at + centerColumns, span: deltaColumns, text: "vs base", margin: "  "})
		}
		for c := at + 1; c < gridColumn(col+1); c++ {
			g.tight[c] = true
		}
	}
	g.add(gridCell{row: row, col: edge, margin: " │"})
	return row
}

func compareCell(g *grid, row, at int, cell *tables.Cell, scale benchunit.Scaler, notes *footnotes) {
	g.add(gridCell{row: row, col: at, text: scale.Format(cell.Summary.Center), margin: " ", align: alignRight})
	g.add(gridCell{row: row, col: at + 1, text: cell.Summary.PctRangeString(), margin: " ± ", align: alignRight})
	g.add(marksCell(row, at+2, notes.marks(cell.Warnings)))
	if c := cell.Comparison; c != nil {
		g.add(gridCell{row: row, col: at + centerColumns, text: c.Test.FormatDelta(c.Base, c.Center), margin: " ", align: alignRight, style: compareStyle(c)})
		g.add(gridCell{row: row, col: at + centerColumns + 1, text: "(" + c.Test.String() + ")", margin: " "})
		g.add(marksCell(row, at+centerColumns+2, notes.marks(c.Warnings)))
	}
}

// marksCell holds footnotes; without any it takes no room.
func marksCell(row, col int, marks string) gridCell {
	c := gridCell{row: row, col: col, text: marks}
	if marks != "" {
		c.margin = " "
	}
	return c
}

func compareStyle(c *tables.Comparison) page.Style {
	switch {
	case c.Within || c.Verdict == tables.Undecided || c.Verdict == tables.Equal:
		return page.Dim
	case c.Verdict == tables.Better:
		return page.Strong
	}
	return page.Yellow
}

func compareGeomean(m tables.Geomean) string {
	if !m.RatioKnown {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", (m.Ratio-1)*100)
}

// rowScale returns the scale that shows the smallest value of a row well.
func rowScale(r *tables.Row, class benchunit.Class) benchunit.Scaler {
	var centers []float64
	for _, cell := range r.Cells {
		if cell != nil {
			centers = append(centers, cell.Summary.Center)
		}
	}
	return benchunit.CommonScale(centers, class)
}
