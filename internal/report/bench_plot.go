package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
)

// plotRows is the height of a plot on a terminal.
const plotRows = 10

// WriteBenchHistory writes a history for a terminal, a plot for each course.
func WriteBenchHistory(w io.Writer, h *BenchHistory, o TextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	for i := range h.Courses {
		c := &h.Courses[i]
		if i == 0 || c.Host != h.Courses[i-1].Host {
			if i > 0 {
				t.line()
			}
			t.line(t.paint(bold, "host "+printable.Line(cmp.Or(c.Host, "unknown"))))
		}
		t.course(h, c)
	}
	t.warnings(h.Warnings)
	t.line()
	for _, l := range wrap(historySummary(h), t.width) {
		t.line(l)
	}
	if _, err := w.Write(t.bytes()); err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	return nil
}

// historySummary says how changes were looked for.
func historySummary(h *BenchHistory) string {
	changes := 0
	for i := range h.Courses {
		changes += len(h.Courses[i].Changes)
	}
	return fmt.Sprintf("%s in %s; ratio is old/new, of rates new/old: above 1 is better; were nothing to change anywhere, any would be found with a chance of at most %s",
		quantity.Plural(changes, "change"), quantity.Plural(len(h.Courses), "course"), quantity.Percent(h.AlphaRatio))
}

func (t *textWriter) course(h *BenchHistory, c *BenchCourse) {
	t.line()
	t.line("  ", t.paint(strong, shorten(c.full(), t.width-2)))
	t.line("  ", t.paint(dim, shorten(c.unit()+", "+h.about(c), t.width-2)))
	if len(c.Points) == 0 {
		return
	}
	y := c.window()
	labels := map[int]string{0: c.amount(y.high), plotRows / 2: c.amount(y.low/2 + y.high/2), plotRows - 1: c.amount(y.low)}
	margin := 0
	for _, l := range labels {
		margin = max(margin, wide(l))
	}
	room := t.width - margin - 5
	grid, marks := c.grid(y, room)
	for row := range plotRows {
		label := labels[row]
		line := string(grid[row])
		if t.color {
			line = strings.ReplaceAll(line, "●", t.paint(cyan, "●"))
		}
		t.line("  ", t.paint(dim, strings.Repeat(" ", margin-wide(label))+label+" │"), line)
	}
	t.line("  ", t.paint(dim, strings.Repeat(" ", margin)+" └"+strings.Repeat("─", len(marks))))
	if len(c.Changes) > 0 {
		t.line("  ", strings.Repeat(" ", margin+2), t.paint(yellow, string(marks)))
	}
	first, last := &c.Points[0], &c.Points[len(c.Points)-1]
	ends := first.short() + " " + first.date()
	if right := last.short() + " " + last.date(); len(c.Points) > 1 {
		gap := strings.Repeat(" ", max(len(marks)-wide(ends)-wide(right), 0))
		if len(gap) < 2 {
			gap = " … "
		}
		ends += gap + right
	}
	t.line("  ", strings.Repeat(" ", margin+2), t.paint(dim, shorten(ends, t.width-margin-4)))
	for i := range c.Changes {
		t.hang(2, "▲", 2, c.phrase(&c.Changes[i]))
	}
}

// grid draws a course into room columns: a dot for the median of each point, a
// bar from its least to its greatest value. Where there are more points than
// columns, those of a column are put together, and where there are fewer, each
// has several.
func (c *BenchCourse) grid(y scale, room int) (rows [plotRows][]rune, marks []rune) {
	n := len(c.Points)
	step := max(1, min(room/n, 6)) // columns a point
	width := min(n*step, room)
	column := func(i int) int { return min(i*step+step/2, i*width/n+step/2, width-1) }
	for row := range rows {
		rows[row] = []rune(strings.Repeat(" ", width))
	}
	marks = []rune(strings.Repeat(" ", width))
	height := func(v float64) int {
		return min(max(int(math.Round((1-y.at(v))*(plotRows-1))), 0), plotRows-1)
	}
	for i := range c.Points {
		least, median, most := c.Points[i].spread()
		if !isKnown(least) || !isKnown(most) {
			continue
		}
		x := column(i)
		for row := height(most); row <= height(least); row++ {
			if rows[row][x] == ' ' {
				rows[row][x] = '│'
			}
		}
		rows[height(median)][x] = '●'
	}
	for _, ch := range c.Changes {
		if ch.At < n {
			marks[column(ch.At)] = '▲'
		}
	}
	return rows, marks
}
