package gc

import (
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// Sizes of the picture, in its own units.
const (
	svgWidth, svgLeft, svgRight = 960, 90, 20
	svgPlot                     = svgWidth - svgLeft - svgRight
	svgHead, svgFoot, svgLine   = 34, 30, 17
	svgText                     = 120 // columns of a line of text
)

// svgStyle dresses lines as the pages do, dark or light as the reader's system is.
const svgStyle = `text{font:12px system-ui,sans-serif;fill:#222}.t{font-weight:600;font-size:14px}.s{fill:#666}.g{stroke:#ddd;fill:none}` +
	`.line,.line-p99,.line-max,.line-bad,.line-third{fill:none;stroke:#0b6a94;stroke-width:1.6;vector-effect:non-scaling-stroke;stroke-linecap:round;stroke-linejoin:round}` +
	`.line-p99{stroke:#b3470a;stroke-dasharray:7 4}.line-max{stroke:#6d6a75;stroke-dasharray:1 4}.line-bad{stroke:#c0392b;stroke-dasharray:6 3}.line-third{stroke:#6d6a75;stroke-width:1.2}` +
	`@media(prefers-color-scheme:dark){svg{background:#16181c}text{fill:#e6e6e6}.s{fill:#9a9a9a}.g{stroke:#333}.line{stroke:#6fc0e6}.line-p99{stroke:#f0a35e}.line-bad{stroke:#ff8a7a}.line-max,.line-third{stroke:#a5a1b0}}`

// WriteSVG writes the charts as one picture that needs nothing else.
func WriteSVG(w io.Writer, p *Page) error {
	var b strings.Builder
	top := 10
	text := func(x int, class, anchor, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" class="%s" text-anchor="%s">%s</text>`+"\n", x, top, class, anchor, template.HTMLEscapeString(strings.ReplaceAll(s, "\u00a0", " ")))
	}
	lines := func(class, s string) {
		for _, l := range page.Wrap(printable.Line(s), svgText) {
			top += svgLine
			text(10, class, "start", l)
		}
	}
	lines("t", p.Name+"  "+p.about())
	for _, c := range p.conclusions() {
		lines("", c.Text)
	}
	top += 8
	if v := p.timeline(); v != nil {
		for i := range v.Charts {
			top = chart(&b, &v.Charts[i], top)
		}
	}
	for _, f := range p.figures() {
		lines("s", f.name+": "+f.text)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n<style>%s</style>\n%s</svg>\n",
		svgWidth, top+14, template.HTMLEscapeString(printable.Line(p.Name+": "+p.conclusions()[0].Text)), svgStyle, b.String())
	if err != nil {
		return fmt.Errorf("write SVG: %w", err)
	}
	return nil
}

// chart draws one below top and returns where the next begins.
func chart(b *strings.Builder, c *page.Chart, top int) int {
	height := 80
	if c.Class == "high" {
		height = 150
	}
	name := c.Name
	for _, part := range []string{c.Range, c.Note} {
		if part != "" {
			name += "  " + part
		}
	}
	fmt.Fprintf(b, `<text x="10" y="%d" class="t">%s</text>`+"\n", top+18, template.HTMLEscapeString(name))
	x := svgWidth - svgRight
	if c.Legend {
		for i := len(c.Lines) - 1; i >= 0; i-- {
			l := &c.Lines[i]
			x -= 7*len([]rune(l.Name)) + 6
			fmt.Fprintf(b, `<text x="%d" y="%d" class="s">%s</text>`, x, top+18, template.HTMLEscapeString(l.Name))
			fmt.Fprintf(b, `<path class="%s" d="M%d %dh24"/>`+"\n", l.Class, x-30, top+14)
			x -= 44
		}
	}
	top += svgHead
	at := func(percent string, of int) string {
		v, _ := strconv.ParseFloat(percent, 64) // the kit printed it
		return strconv.FormatFloat(v/100*float64(of), 'f', 1, 64)
	}
	for _, g := range c.Grid {
		y := at(g.At, height)
		fmt.Fprintf(b, `<g transform="translate(0 %d)"><path class="g" d="M%d %sH%d"/><text class="s" x="%d" y="%s" text-anchor="end" dominant-baseline="middle">%s</text></g>`+"\n",
			top, svgLeft, y, svgWidth-svgRight, svgLeft-6, y, template.HTMLEscapeString(g.Label))
	}
	for _, g := range c.Ticks {
		x := at(g.At, svgPlot)
		fmt.Fprintf(b, `<g transform="translate(%d %d)"><path class="g" d="M%s 0V%d"/><text class="s" x="%s" y="%d" text-anchor="%s">%s</text></g>`+"\n",
			svgLeft, top, x, height, x, height+16, g.Anchor, template.HTMLEscapeString(g.Label))
	}
	fmt.Fprintf(b, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none" overflow="visible">`, svgLeft, top, svgPlot, height, page.ChartX, page.ChartY)
	for _, l := range c.Lines {
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`, l.Class, l.Path)
	}
	b.WriteString("</svg>\n")
	return top + height + svgFoot
}
