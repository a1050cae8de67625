package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// plotRows is the height of a plot on a terminal.
const plotRows = 10

// WriteHistory writes a history for a terminal, a plot for each course.
func WriteHistory(w io.Writer, h *History, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	for i := range h.Courses {
		c := &h.Courses[i]
		if i == 0 || c.Host != h.Courses[i-1].Host {
			if i > 0 {
				t.Line()
			}
			t.Line(t.Paint(page.Bold, "host "+printable.Line(cmp.Or(c.Host, "unknown"))))
		}
		t.course(h, c)
	}
	t.Warnings(h.Warnings)
	t.Line()
	for _, l := range page.Wrap(historySummary(h), t.Width) {
		t.Line(l)
	}
	return t.Flush(w, "the history")
}

// historySummary says how changes were looked for.
func historySummary(h *History) string {
	changes := 0
	for i := range h.Courses {
		changes += len(h.Courses[i].Changes)
	}
	return fmt.Sprintf("%s in %s; ratio is old/new, of rates new/old: above 1 is better; the chance of any false change in the whole history is at most %s",
		quantity.Plural(changes, "change"), quantity.Plural(len(h.Courses), "course"), quantity.Percent(h.AlphaRatio))
}

func (t *writer) course(h *History, c *Course) {
	t.Line()
	t.Line("  ", t.Paint(page.Strong, page.Shorten(c.full(), t.Width-2)))
	t.Line("  ", t.Paint(page.Dim, page.Shorten(c.unit()+", "+h.about(c), t.Width-2)))
	if len(c.Points) == 0 {
		return
	}
	y := c.window()
	labels := map[int]string{0: c.amount(y.High), plotRows / 2: c.amount(y.Low/2 + y.High/2), plotRows - 1: c.amount(y.Low)}
	margin := 0
	for _, l := range labels {
		margin = max(margin, page.Cells(l))
	}
	room := t.Width - margin - 5
	grid, marks := c.grid(y, room)
	for row := range plotRows {
		label := labels[row]
		line := string(grid[row])
		if t.Color {
			line = strings.ReplaceAll(line, "●", t.Paint(page.Cyan, "●"))
		}
		t.Line("  ", t.Paint(page.Dim, strings.Repeat(" ", margin-page.Cells(label))+label+" │"), line)
	}
	t.Line("  ", t.Paint(page.Dim, strings.Repeat(" ", margin)+" └"+strings.Repeat("─", len(marks))))
	if len(c.Changes) > 0 {
		t.Line("  ", strings.Repeat(" ", margin+2), t.Paint(page.Yellow, string(marks)))
	}
	first, last := &c.Points[0], &c.Points[len(c.Points)-1]
	ends := first.short() + " " + first.date()
	if right := last.short() + " " + last.date(); len(c.Points) > 1 {
		gap := strings.Repeat(" ", max(len(marks)-page.Cells(ends)-page.Cells(right), 0))
		if len(gap) < 2 {
			gap = " … "
		}
		ends += gap + right
	}
	t.Line("  ", strings.Repeat(" ", margin+2), t.Paint(page.Dim, page.Shorten(ends, t.Width-margin-4)))
	for i := range c.Changes {
		t.Hang(2, "▲", 2, c.phrase(&c.Changes[i]))
	}
}

// grid draws a course into room columns: a dot for the median of each point, a
// bar from its least to its greatest value. Where there are more points than
// columns, those of a column are put together, and where there are fewer, each
// has several.
func (c *Course) grid(y page.Scale, room int) (rows [plotRows][]rune, marks []rune) {
	n := len(c.Points)
	step := max(1, min(room/n, 6)) // columns a point
	width := min(n*step, room)
	column := func(i int) int { return min(i*step+step/2, i*width/n+step/2, width-1) }
	for row := range rows {
		rows[row] = []rune(strings.Repeat(" ", width))
	}
	marks = []rune(strings.Repeat(" ", width))
	height := func(v float64) int {
		return min(max(int(math.Round((1-y.At(v))*(plotRows-1))), 0), plotRows-1)
	}
	for i := range c.Points {
		least, median, most := c.Points[i].spread()
		if !page.Known(least) || !page.Known(most) {
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
