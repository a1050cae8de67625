package report

import (
	"math"
	"strings"
)

// tableName is the least room for a table's names beside its figures. Where
// there is less, names stand on lines of their own, above them.
const tableName = 20

// table writes right-aligned columns, then a name, which is shortened to what
// is left of the line, and a note, which goes onto a line of its own where the
// two do not fit. The first row is the header.
func (t *textWriter) table(rows [][]string) {
	last := len(rows[0]) - 2
	widths, named := make([]int, last), 0
	for _, r := range rows {
		named = max(named, wide(r[last]))
		for c := range widths {
			widths[c] = max(widths[c], wide(r[c]))
		}
	}
	for i, r := range rows {
		var b strings.Builder
		used := 2
		for c, w := range widths {
			b.WriteString(strings.Repeat(" ", w-wide(r[c])+2))
			b.WriteString(r[c])
			used += w + 2
		}
		if i == 0 {
			t.line(t.paint(dim, b.String()))
			continue
		}
		room := t.width - used
		if room < min(tableName, named) {
			t.line("  ", shorten(r[last], t.width-2))
			t.line(b.String())
			for _, l := range wrap(r[last+1], t.width-4) {
				t.line("    ", t.paint(dim, l))
			}
			continue
		}
		name, note := shorten(r[last], room), r[last+1]
		if wide(name)+2+wide(note) <= room {
			t.line(b.String(), "  ", strings.TrimRight(name+"  "+t.paint(dim, note), " "))
			continue
		}
		t.line(b.String(), "  ", name)
		indent := used + 2
		for _, l := range wrap(note, t.width-indent) {
			if wide(l) > t.width-indent { // a word alone
				indent = max(t.width-wide(l), 4)
			}
			t.line(strings.Repeat(" ", indent), t.paint(dim, l))
		}
	}
}

// bar draws a share in eighths of a cell.
func bar(ratio float64, cells int) string {
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
	return pad(s, cells)
}

// cut ends a line of source that is wider than the terminal.
func cut(s string, width int) string {
	if wide(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += wide(string(r)); n >= width {
			return s[:i] + "…"
		}
	}
	return s
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-wide(s), 0))
}

func tabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }
