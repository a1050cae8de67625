package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// textShort is how many findings the last block names.
const textShort = 10

// textShortEvents is how many events it names, of those that say the most: they
// explain what no profile shows.
const textShortEvents = 2

var telling = [...]string{"goroutine-leak", "heap-growth", "stall"}

// short ends the report with what stands at its head, so that a terminal shows
// the result without scrolling: the verdict, the load, what grew or stood still,
// and a line for each finding.
func (t *writer) short(p *Page) {
	t.Heading("In short", "")
	t.Wrapped(2, page.Strong, printable.Line(cmp.Or(p.Verdict.Text, "unknown")))
	if p.Service != nil {
		t.Hang(2, "", 0, p.Service.short())
	}
	told := 0
	for i := range p.Events {
		if e := &p.Events[i]; told < textShortEvents && slices.Contains(telling[:], e.Kind) {
			t.Line("  ", page.Cut(e.when()+": "+e.sentence(), t.Width-2))
			told++
		}
	}
	if len(p.Findings) == 0 {
		t.Hang(2, "", 0, unexplained(p))
	}
	rows := make([][3]string, 0, textShort)
	for i := range p.Findings[:min(len(p.Findings), textShort)] {
		f := &p.Findings[i]
		var shares []string
		for _, m := range measures(f) {
			// Delay only where it is what counts, and nothing only if nothing else is known.
			if (m.Short != "delay" || m.Ratio >= f.Weight()) && (m.Percent != quantity.Percent(0) || len(shares) == 0) {
				shares = append(shares, m.Short+" "+m.Percent)
			}
		}
		rows = append(rows, [3]string{printable.Line(cmp.Or(f.Title, f.Rule)), place(f), strings.Join(shares, ", ")})
	}
	var widths [3]int
	for _, r := range rows {
		for i := range r {
			widths[i] = max(widths[i], page.Cells(r[i]))
		}
	}
	// Where all do not fit, the place is kept before the title, and its end.
	room := max(t.Width-5-2-2-widths[2], 20)
	widths[1] = min(widths[1], room-min(widths[0], room/3))
	widths[0] = min(widths[0], room-widths[1])
	for i, r := range rows {
		t.Line(t.Paint(page.Strong, fmt.Sprintf("%3d  ", i+1)), t.Paint(page.Bold, page.Pad(page.Cut(r[0], widths[0]), widths[0])), "  ",
			t.Paint(page.Cyan, page.Pad(page.Shorten(r[1], widths[1]), widths[1])), "  ", r[2])
	}
	if more := len(p.Findings) - textShort; more > 0 {
		t.Line("     ", t.Paint(page.Dim, fmt.Sprintf("… %s more above", quantity.Count(float64(more)))))
	}
}
