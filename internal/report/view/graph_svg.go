package view

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/view/layered"
)

// WriteSVG draws the graph.
func (v *Graph) WriteSVG(w io.Writer) error {
	p, err := v.draw()
	if err != nil {
		return err
	}
	const margin = 16.0
	d := &svg{}
	legend := v.svgLegend()
	wide, high := 0.0, margin
	for i := range legend {
		l := &legend[i]
		high += l.size * 1.4
		l.x, l.y = margin, high
		wide = max(wide, textWidth(l.text, l.size))
	}
	keyTop := high + 14
	high = keyTop + 58
	width := math.Ceil(max(p.width, wide, keyWidth) + 2*margin)
	height := math.Ceil(high + p.height + margin)
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" class="graph" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n",
		number1(width), number1(height), number1(width), number1(height), escape(v.heading()))
	d.put("<title>%s</title>\n<style>\n%s</style>\n", escape(v.heading()), svgStyle())
	d.put(`<rect class="paper" width="100%%" height="100%%"/>` + "\n")
	d.texts(legend, "")
	d.put(`<g transform="translate(%s %s)">`+"\n", number1(margin), number1(keyTop))
	d.key(v)
	d.put("</g>\n")
	d.put(`<g transform="translate(%s %s)">`+"\n", number1((width-p.width)/2), number1(high))
	d.picture(p)
	d.put("</g>\n</svg>\n")
	return page.Print(w, "graph", d.out.Bytes())
}

// heading names the picture.
func (v *Graph) heading() string {
	if v.Binary == "" {
		return printable.Line(v.SampleType) + " call graph"
	}
	return printable.Line(v.Binary) + ": " + printable.Line(v.SampleType) + " call graph"
}

func (v *Graph) svgLegend() []textLine {
	out := []textLine{{text: v.heading(), class: "heading", size: 18}}
	for _, l := range v.Legend {
		out = append(out, textLine{text: shorten(printable.Line(l), 160), class: "legend", size: 12})
	}
	for _, l := range v.Warnings {
		out = append(out, textLine{text: "⚠ " + shorten(printable.Line(l), 160), class: "legend", size: 12})
	}
	return out
}

// svg writes a drawing.
type svg struct{ out bytes.Buffer }

func (d *svg) put(format string, args ...any) { fmt.Fprintf(&d.out, format, args...) }

// picture draws the edges, the heaviest on top, and the nodes.
func (d *svg) picture(p *picture) {
	d.put(`<g class="edges">` + "\n")
	for i := len(p.edges) - 1; i >= 0; i-- {
		d.edge(i, &p.edges[i])
	}
	d.put("</g>\n" + `<g class="nodes">` + "\n")
	for i := range p.nodes {
		d.node(i, &p.nodes[i])
	}
	d.put("</g>\n")
}

func (d *svg) edge(i int, e *pictureEdge) {
	class := "edge " + heatClass(e.heat)
	if e.residual {
		class += " residual"
	}
	d.put(`<g class="%s" data-edge="%d"><title>%s</title>`, class, i, escape(e.title))
	d.put(`<path class="line" d="%s" stroke-width="%s"/>`, svgPath(e.route.Curve), number1(e.width))
	d.put(`<path class="head" d="%s"/>`, arrow(e.route.Curve, e.route.Tip, e.width))
	d.texts(e.label, "")
	d.put("</g>\n")
}

func (d *svg) node(i int, n *pictureNode) {
	d.put(`<g class="node %s" data-node="%d"><title>%s</title>`, heatClass(n.heat), i, escape(n.title))
	d.put(`<rect class="box" x="%s" y="%s" width="%s" height="%s" rx="4"/>`, number1(n.x), number1(n.y), number1(n.width), number1(n.height))
	d.put(`<rect class="rail" x="%s" y="%s" width="%s" height="%s"/>`, number1(n.x+padX), number1(n.y+n.height-barHeight-3), number1(n.width-2*padX), number1(barHeight))
	if bar := (n.width - 2*padX) * n.share; bar > 0 {
		d.put(`<rect class="bar" x="%s" y="%s" width="%s" height="%s"/>`, number1(n.x+padX), number1(n.y+n.height-barHeight-3), number1(max(0.5, bar)), number1(barHeight))
	}
	d.texts(n.lines, middle)
	if len(n.chips) > 0 {
		d.put(`<path class="tie" d="%s"/>`, n.ties())
	}
	for _, c := range n.chips {
		class := "chip"
		if c.passing {
			class += " passing"
		}
		d.put(`<g class="%s"><title>%s</title>`, class, escape(c.title))
		d.put(`<rect x="%s" y="%s" width="%s" height="%s" rx="3"/>`, number1(c.x), number1(c.y), number1(c.width), number1(c.height))
		d.texts(c.lines, "")
		d.put("</g>")
	}
	d.put("</g>\n")
}

// ties returns the lines to the chips: one from the box to a spine, from there one
// to each, and from a chip to those below it that are indented.
func (n *pictureNode) ties() string {
	var b strings.Builder
	first := n.chips[0]
	spine := first.x - 6
	fmt.Fprintf(&b, "M%s %sH%s", number1(n.x+n.width), number1(n.y+n.height/2), number1(spine))
	top, bottom := n.y+n.height/2, n.y+n.height/2
	parent := first
	for _, c := range n.chips {
		at := c.y + c.height/2
		if c.x > first.x {
			fmt.Fprintf(&b, "M%s %sV%sH%s", number1(parent.x+5), number1(parent.y+parent.height), number1(at), number1(c.x))
			continue
		}
		parent = c
		top, bottom = min(top, at), max(bottom, at)
		fmt.Fprintf(&b, "M%s %sH%s", number1(spine), number1(at), number1(c.x))
	}
	if top < bottom {
		fmt.Fprintf(&b, "M%s %sV%s", number1(spine), number1(top), number1(bottom))
	}
	return b.String()
}

// middle centres texts.
const middle = ` text-anchor="middle"`

func (d *svg) texts(lines []textLine, anchor string) {
	for _, l := range lines {
		d.put(`<text class="%s" x="%s" y="%s" font-size="%s"%s>%s</text>`, l.class, number1(l.x), number1(l.y), number1(l.size), anchor, escape(l.text))
	}
}

// heatClass names a colour: h0 to h9 for shares, c1 to c9 for those below zero.
func heatClass(h int) string {
	if h < 0 {
		return "c" + strconv.Itoa(-h)
	}
	return "h" + strconv.Itoa(h)
}

func svgPath(curve []layered.Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", number1(curve[0].X), number1(curve[0].Y))
	for i := 1; i+2 < len(curve); i += 3 {
		from, p, q, to := curve[i-1], curve[i], curve[i+1], curve[i+2]
		if p == from && q == to {
			fmt.Fprintf(&b, "L%s %s", number1(to.X), number1(to.Y))
			continue
		}
		fmt.Fprintf(&b, "C%s %s %s %s %s %s", number1(p.X), number1(p.Y), number1(q.X), number1(q.Y), number1(to.X), number1(to.Y))
	}
	return b.String()
}

// arrow returns the head of a line that ends short of its tip.
func arrow(curve []layered.Point, tip layered.Point, width float64) string {
	end := curve[len(curve)-1]
	dx, dy := tip.X-end.X, tip.Y-end.Y
	length := math.Hypot(dx, dy)
	if length == 0 {
		return ""
	}
	half := (headWidth + width/2) / length
	return fmt.Sprintf("M%s %sL%s %sL%s %sZ", number1(tip.X), number1(tip.Y),
		number1(end.X-dy*half), number1(end.Y+dx*half), number1(end.X+dy*half), number1(end.Y-dx*half))
}

// number1 prints a length to a tenth of a pixel.
func number1(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// escape makes a text fit into XML and its attributes.
func escape(s string) string { return html.EscapeString(s) }

const keyWidth = 700

// key explains the picture with samples of what is in it. Differences have
// values below zero, too.
func (d *svg) key(v *Graph) {
	d.put(`<g class="keys">`)
	for i := range heats + 1 {
		d.put(`<g class="node %s"><rect class="box" x="%d" y="0" width="14" height="14"/></g>`, heatClass(i), i*14)
	}
	x, what := (heats+1)*14+10, "colour and bar: cum (after “of”), from 0 to 100 % of the total"
	if slices.ContainsFunc(v.Nodes, func(n GraphNode) bool { return v.heat(n.Cum) < 0 }) {
		d.put(`<g class="node %s"><rect class="box" x="%d" y="0" width="14" height="14"/></g>`, heatClass(-heats), x-4)
		x, what = x+16, "colour and bar: cum as a share of the total; blue: below zero"
	}
	d.put(`<text class="legend" x="%d" y="11" font-size="11">%s</text>`, x, what)
	d.put(`<text class="fn" x="0" y="32" font-size="15">Aa</text><text class="fn" x="24" y="32" font-size="10.5">Aa</text>` +
		`<text class="legend" x="50" y="31" font-size="11">size of the text: flat</text>`)
	d.put(`<g class="edge h5"><path class="line" d="M230 28H262" stroke-width="3"/><path class="head" d="M272 28L262 23.5L262 32.5Z"/></g>` +
		`<text class="legend" x="280" y="31" font-size="11">a call; width: its value</text>`)
	d.put(`<g class="edge h5 residual"><path class="line" d="M460 28H492" stroke-width="1.5"/><path class="head" d="M500 28L492 24.5L492 31.5Z"/></g>` +
		`<text class="legend" x="508" y="31" font-size="11">over functions not shown</text></g>` + "\n")
}

// svgStyle returns the style sheet with a rule for each colour. Both themes go
// from a neutral to a warm and to a cold end that no kind of colour blindness
// takes for each other.
func svgStyle() string {
	var b strings.Builder
	b.WriteString(page.Asset(assets, "graph.css"))
	rules := func(indent string, t theme) {
		for h := -heats; h <= heats; h++ {
			end, ink := t.warm, t.warmInk
			if h < 0 {
				end, ink = t.cold, t.coldInk
			}
			at := math.Abs(float64(h)) / heats
			fmt.Fprintf(&b, "%s.%s { --fill: %s; --ink: %s; fill: %s; stroke: %s; }\n", indent, heatClass(h), mix(t.box, end, at), mix(t.line, ink, at), mix(t.box, end, at), mix(t.line, ink, at))
		}
	}
	rules("", lightTheme)
	b.WriteString("@media (prefers-color-scheme: dark) {\n")
	rules("  ", darkTheme)
	b.WriteString("}\n")
	return b.String()
}

type color [3]float64

type theme struct {
	box, line     color // of what has no share
	warm, warmInk color // of what is all
	cold, coldInk color // of what is minus all
}

var (
	lightTheme = theme{
		box: color{246, 244, 240}, line: color{150, 146, 138},
		warm: color{255, 170, 92}, warmInk: color{179, 71, 10},
		cold: color{130, 192, 235}, coldInk: color{11, 84, 122},
	}
	darkTheme = theme{
		box: color{36, 40, 45}, line: color{112, 118, 126},
		warm: color{146, 66, 12}, warmInk: color{246, 158, 74},
		cold: color{14, 82, 120}, coldInk: color{111, 192, 230},
	}
)

func mix(a, b color, at float64) string {
	var c [3]uint8
	for i := range c {
		c[i] = uint8(math.Round(a[i] + (b[i]-a[i])*at))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}
