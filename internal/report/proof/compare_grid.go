package proof

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"whet/internal/report/page"
)

// A grid lays out cells in columns of their own widths, with cells that span
// several: the head of a comparison's table.
//
// Widths come from the cells, those of one column first. A cell that spans
// columns and needs more than they have widens those that are not tight, the
// widest first, each to at least its share of what is missing. The margin
// before a cell belongs to its column: all cells of a column begin where the
// widest margin ends. A cell whose columns are all tight may be wider than they
// are: the next one then follows after as many blanks as it begins too early,
// as in benchstat.
type grid struct {
	cells []gridCell
	tight map[int]bool // columns that a spanning cell does not widen
}

type gridCell struct {
	row, col, span int
	text, margin   string
	align          alignment
	style          page.Style // on a terminal
}

type alignment int

const (
	alignLeft alignment = iota
	alignCenter
	alignRight
)

func (g *grid) add(c gridCell) {
	c.span = max(c.span, 1)
	g.cells = append(g.cells, c)
}

// widths returns each column's width with its margin, and the margins.
func (g *grid) widths() (widths, margins []int) {
	columns := 0
	for _, c := range g.cells {
		columns = max(columns, c.col+c.span)
	}
	widths, margins = make([]int, columns), make([]int, columns)
	for _, c := range g.cells {
		margins[c.col] = max(margins[c.col], page.Cells(c.margin))
	}
	bySpan := slices.Clone(g.cells)
	slices.SortStableFunc(bySpan, func(a, b gridCell) int { return cmp.Compare(a.span, b.span) })
	for _, c := range bySpan {
		need := page.Cells(c.text) + margins[c.col]
		if c.span == 1 {
			widths[c.col] = max(widths[c.col], need)
			continue
		}
		g.widen(widths, c, need)
	}
	return widths, margins
}

// widen gives a spanning cell the room it needs.
func (g *grid) widen(widths []int, c gridCell, need int) {
	have := 0
	var loose []int
	for col := c.col; col < c.col+c.span; col++ {
		have += widths[col]
		if !g.tight[col] {
			loose = append(loose, col)
		}
	}
	if have >= need {
		return
	}
	for col := c.col; col < c.col+c.span; col++ {
		if g.tight[col] {
			need -= widths[col]
		}
	}
	slices.SortStableFunc(loose, func(a, b int) int { return cmp.Compare(widths[b], widths[a]) })
	for i, col := range loose {
		rest := len(loose) - i
		widths[col] = max(widths[col], (need+rest-1)/rest)
		need -= widths[col]
	}
}

// write appends the grid's lines; paint colours a cell's text.
func (g *grid) write(b *bytes.Buffer, paint func(page.Style, string) string) {
	widths, margins := g.widths()
	begins := make([]int, len(widths)+1)
	for i, w := range widths {
		begins[i+1] = begins[i] + w
	}
	cells := slices.Clone(g.cells)
	slices.SortStableFunc(cells, func(a, b gridCell) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) })
	row, at := 0, 0
	for _, c := range cells {
		if strings.TrimSpace(c.text) == "" && strings.TrimSpace(c.margin) == "" {
			continue // no blanks at the end of a line
		}
		for ; row < c.row; row++ {
			b.WriteByte('\n')
			at = 0
		}
		gap := begins[c.col] - at
		b.WriteString(strings.Repeat(" ", max(gap, -gap)+margins[c.col]-page.Cells(c.margin)))
		b.WriteString(c.margin)
		indent := 0
		switch room := begins[c.col+c.span] - begins[c.col] - margins[c.col] - page.Cells(c.text); c.align {
		case alignCenter:
			indent = max(room/2, 0)
		case alignRight:
			indent = max(room, 0)
		}
		b.WriteString(strings.Repeat(" ", indent))
		if c.style != "" {
			b.WriteString(paint(c.style, c.text))
		} else {
			b.WriteString(c.text)
		}
		at = begins[c.col] + margins[c.col] + indent + page.Cells(c.text)
	}
	if len(cells) > 0 {
		b.WriteByte('\n')
	}
}
