package page

import (
	"math"
	"strings"
)

// TableName is the least room for a table's names beside its figures. Where
// there is less, names stand on lines of their own, above them.
const TableName = 20

// Table writes right-aligned columns, then a name, which is shortened to what
// is left of the line, and a note, which goes onto a line of its own where the
// two do not fit. The first row is the header.
func (t *Text) Table(rows [][]string) {
	last := len(rows[0]) - 2
	widths, named := make([]int, last), 0
	for _, r := range rows {
		named = max(named, Cells(r[last]))
		for c := range widths {
			widths[c] = max(widths[c], Cells(r[c]))
		}
	}
	for i, r := range rows {
		var b strings.Builder
		used := 2
		for c, w := range widths {
			b.WriteString(strings.Repeat(" ", w-Cells(r[c])+2))
			b.WriteString(r[c])
			used += w + 2
		}
		if i == 0 {
			t.Line(t.Paint(Dim, b.String()))
			continue
		}
		room := t.Width - used
		if room < min(TableName, named) {
			t.Line("  ", Shorten(r[last], t.Width-2))
			t.Line(b.String())
			for _, l := range Wrap(r[last+1], t.Width-4) {
				t.Line("    ", t.Paint(Dim, l))
			}
			continue
		}
		name, note := Shorten(r[last], room), r[last+1]
		if Cells(name)+2+Cells(note) <= room {
			t.Line(b.String(), "  ", strings.TrimRight(name+"  "+t.Paint(Dim, note), " "))
			continue
		}
		t.Line(b.String(), "  ", name)
		indent := used + 2
		for _, l := range Wrap(note, t.Width-indent) {
			if Cells(l) > t.Width-indent { // a word alone
				indent = max(t.Width-Cells(l), 4)
			}
			t.Line(strings.Repeat(" ", indent), t.Paint(Dim, l))
		}
	}
}

// Labelled writes a table whose rows begin with a label, left-aligned, which is
// shortened to the room that the figures leave it, or stands above them where that
// is little; columns are right-aligned, and a note ends the row, or goes onto a line
// of its own where it does not fit. The first row is the header.
func (t *Text) Labelled(rows [][]string) {
	last := len(rows[0]) - 1
	widths := make([]int, last)
	for _, r := range rows {
		for c := range widths {
			widths[c] = max(widths[c], Cells(r[c]))
		}
	}
	figures := 2 * last
	for _, w := range widths[1:] {
		figures += w
	}
	label := min(widths[0], t.Width-figures)
	above := label < min(TableName, widths[0])
	for i, r := range rows {
		line := "  " + Pad(Shorten(r[0], max(label, 1)), label)
		if above {
			line = ""
			if i > 0 {
				t.Line("  ", Shorten(r[0], t.Width-2))
			}
		}
		for c := 1; c < last; c++ {
			line += strings.Repeat(" ", widths[c]-Cells(r[c])+2) + r[c]
		}
		switch note := r[last]; {
		case i == 0:
			t.Line(t.Paint(Dim, line))
		case note == "":
			t.Line(line)
		case Cells(line)+2+Cells(note) <= t.Width:
			t.Line(line, "  ", t.Paint(Dim, note))
		default:
			t.Line(line)
			for _, l := range Wrap(note, t.Width-4) {
				t.Line("    ", t.Paint(Dim, l))
			}
		}
	}
}

// Bar draws a share in eighths of a cell.
func Bar(ratio float64, cells int) string {
	if math.IsNaN(ratio) {
		ratio = 0
	}
	eighths := int(math.Round(min(max(ratio, 0), 1) * float64(cells*8)))
	if eighths == 0 && ratio > 0 {
		eighths = 1
	}
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[r-1])
	}
	return Pad(s, cells)
}

// Spark draws shares in eighths of a line, a nought as a blank.
func Spark(ratios []float64) string {
	var b strings.Builder
	for _, v := range ratios {
		switch n := int(min(max(v, 0), 1)*8 + 0.5); {
		case n > 0:
			b.WriteRune([]rune("▁▂▃▄▅▆▇█")[n-1])
		case v > 0:
			b.WriteRune('▁')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// Cut ends a line of source that is wider than the terminal.
func Cut(s string, width int) string {
	if Cells(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += Cells(string(r)); n >= width {
			return s[:i] + "…"
		}
	}
	return s
}

func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-Cells(s), 0))
}

func Tabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }
