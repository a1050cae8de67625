package bench

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// Sizes of the SVG, in its own units.
const (
	svgWidth, svgPlot = 960, 160 // of the whole; the height of one plot
	svgLeft, svgRight = 90, 20
	svgHead, svgFoot  = 44, 24 // above and below a plot
	svgChange         = 16     // a line of text below it
	svgText           = 120    // columns of a line
)

// WriteSVG writes a history as one picture that needs nothing else: dark
// or light as its reader's system is.
func WriteSVG(w io.Writer, h *History) error {
	var body strings.Builder
	top := 10
	for i := range h.Courses {
		top = h.svgCourse(&body, &h.Courses[i], top)
	}
	summary := historySummary(h)
	top = svgLines(&body, 10, top+12, "s", summary)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">
<style>text{font:12px system-ui,sans-serif;fill:#222}.t{font-weight:600;font-size:14px}.s{fill:#666}.a{stroke:#ccc;fill:none}.b{stroke:#7aa6d8;stroke-width:2}.l{stroke:#2563a8;fill:none}.p{fill:#2563a8}.c{stroke:#c0392b;stroke-dasharray:4 3}.m{fill:#c0392b}@media(prefers-color-scheme:dark){svg{background:#16181c}text{fill:#e6e6e6}.s{fill:#9a9a9a}.a{stroke:#444}.l{stroke:#7ab8ff}.p{fill:#7ab8ff}.m{fill:#ff8a7a}}</style>
%s</svg>
`, svgWidth, top+12, template.HTMLEscapeString(summary), body.String())
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	return nil
}

// svgLines writes text from y on, as many lines as it takes, and returns where
// the last one is.
func svgLines(b *strings.Builder, x, y int, class, text string) int {
	for i, l := range page.Wrap(text, svgText) {
		if i > 0 {
			y += svgChange
		}
		l = strings.ReplaceAll(l, "\u00a0", " ")
		fmt.Fprintf(b, `<text x="%d" y="%d" class="%s">%s</text>`+"\n", x, y, class, template.HTMLEscapeString(l))
	}
	return y
}

// svgCourse draws one course below top and returns where the next begins.
func (h *History) svgCourse(b *strings.Builder, c *Course, top int) int {
	svgLines(b, 10, top+14, "t", page.Shorten(c.full(), svgText))
	svgLines(b, 10, top+32, "s", page.Shorten(c.unit()+", "+h.about(c)+", host "+printable.Line(cmp.Or(c.Host, "unknown")), svgText))
	top += svgHead
	if len(c.Points) == 0 {
		return top + svgFoot
	}
	y := c.window()
	x := func(i int) string {
		room := float64(svgWidth - svgLeft - svgRight)
		return fixed(svgLeft + (float64(i)+0.5)/float64(len(c.Points))*room)
	}
	height := func(v float64) string { return fixed(float64(top) + (1-y.At(v))*svgPlot) }
	for _, v := range []float64{y.High, y.Low/2 + y.High/2, y.Low} {
		fmt.Fprintf(b, `<path class="a" d="M%d %sH%d"/><text class="s" x="%d" y="%s" text-anchor="end" dominant-baseline="middle">%s</text>`+"\n",
			svgLeft, height(v), svgWidth-svgRight, svgLeft-6, height(v), template.HTMLEscapeString(c.amount(v)))
	}
	for _, ch := range c.Changes {
		if ch.At < len(c.Points) {
			room := float64(svgWidth-svgLeft-svgRight) / float64(len(c.Points))
			at := fixed(svgLeft + float64(ch.At)*room)
			fmt.Fprintf(b, `<path class="c" d="M%s %dV%d"/>`+"\n", at, top, top+svgPlot)
		}
	}
	line := ""
	for i := range c.Points {
		p := &c.Points[i]
		least, median, most := p.spread()
		if !page.Known(least) || !page.Known(most) {
			continue
		}
		command := "L"
		if line == "" {
			command = "M"
		}
		line += command + x(i) + " " + height(median)
		fmt.Fprintf(b, `<path class="b" d="M%s %sV%s"/><circle class="p" cx="%s" cy="%s" r="3"><title>%s</title></circle>`+"\n",
			x(i), height(least), height(most), x(i), height(median),
			template.HTMLEscapeString(fmt.Sprintf("%s %s: %s (%s to %s)", p.short(), p.date(), c.amount(median), c.amount(least), c.amount(most))))
	}
	fmt.Fprintf(b, `<path class="l" d="%s"/>`+"\n", line)
	first, last := &c.Points[0], &c.Points[len(c.Points)-1]
	bottom := top + svgPlot + 16
	svgLines(b, svgLeft, bottom, "s", first.short()+" "+first.date())
	fmt.Fprintf(b, `<text x="%d" y="%d" class="s" text-anchor="end">%s</text>`+"\n", svgWidth-svgRight, bottom, template.HTMLEscapeString(last.short()+" "+last.date()))
	for i := range c.Changes {
		bottom = svgLines(b, svgLeft, bottom+svgChange, "m", "▲ "+c.phrase(&c.Changes[i]))
	}
	return bottom + svgFoot
}

// fixed prints a coordinate.
func fixed(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
