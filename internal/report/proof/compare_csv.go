package proof

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"

	"whet/internal/analyze/tables"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteCompareCSV writes tables as benchstat's CSV: one table below the other,
// values unscaled. Remarks go to warnings, each after the name its cell has
// in a spreadsheet.
func WriteCompareCSV(w, warnings io.Writer, r *tables.Result) error {
	var body, remarks bytes.Buffer
	s := &sheet{out: csv.NewWriter(&body), remarks: &remarks}
	compareHeads(r, func(line string) {
		s.cell(0, line)
		s.end(1)
	}, s.table)
	s.out.Flush()
	for _, note := range CompareNotes(r) {
		fmt.Fprintln(&remarks, printable.Line(note))
	}
	if err := page.Print(w, "the comparison", body.Bytes()); err != nil {
		return err
	}
	return page.Print(warnings, "the comparison's remarks", remarks.Bytes())
}

// A sheet is CSV with the position that a spreadsheet would show.
type sheet struct {
	out     *csv.Writer
	remarks *bytes.Buffer
	line    []string
	lines   int
}

// cell sets the cell in a column, at or after the end of the line.
func (s *sheet) cell(col int, texts ...string) {
	s.fill(col)
	for _, text := range texts {
		s.line = append(s.line, printable.Line(text))
	}
}

func (s *sheet) fill(col int) {
	for len(s.line) < col {
		s.line = append(s.line, "")
	}
}

func (s *sheet) end(columns int) {
	s.fill(columns)
	s.out.Write(s.line) // into memory: an error would be there again at Flush
	s.line = s.line[:0]
	s.lines++
}

// remark notes texts for the next cell of the line.
func (s *sheet) remark(texts []string) {
	for _, text := range texts {
		fmt.Fprintf(s.remarks, "%s%d: %s\n", sheetColumn(len(s.line)), s.lines+1, printable.Line(text))
	}
}

// sheetColumn names a column as spreadsheets do: A…Z, AA, AB… There is no digit
// for zero in it.
func sheetColumn(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// sheetAt returns where a table column begins: center and interval, beside all but
// the first also delta and p.
func sheetAt(col int) int {
	if col == 0 {
		return 1
	}
	return 3 + (col-1)*4
}

func (s *sheet) table(t *tables.Table) {
	columns := sheetAt(len(t.Columns))
	for level := range t.Fields {
		for col, c := range t.Columns {
			s.cell(sheetAt(col), c.Values[level])
		}
		s.end(columns)
	}
	for col := range t.Columns {
		s.cell(sheetAt(col), t.Unit, "CI")
		if col > 0 {
			s.cell(0, "vs base", "P")
		}
	}
	s.end(0)
	for _, row := range t.Rows {
		s.cell(0, row.Name)
		for col, cell := range row.Cells {
			if cell == nil {
				continue
			}
			s.fill(sheetAt(col))
			s.remark(cell.Warnings)
			s.cell(0, fmt.Sprint(cell.Summary.Center), cell.Summary.PctRangeString())
			if c := cell.Comparison; c != nil {
				s.remark(c.Warnings)
				s.cell(0, c.Test.FormatDelta(c.Base, c.Center), c.Test.String())
			}
		}
		s.end(0)
	}
	s.cell(0, "geomean")
	for col, m := range t.Geomean {
		s.fill(sheetAt(col))
		s.remark(m.Warnings)
		if m.Known {
			s.cell(0, fmt.Sprint(m.Value))
		}
		if col > 0 {
			s.cell(sheetAt(col)+2, compareGeomean(m))
		}
	}
	s.end(columns)
}
