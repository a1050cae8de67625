package flame

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"whet/internal/analyze/flamegraph"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// charWidth is the advance of a monospaced font in parts of its size.
const charWidth = 0.602

// Room around the frames, in pixels.
const (
	sideRoom = 10
	footRoom = 34
)

// WriteSVG draws a graph as one SVG file.
func WriteSVG(w io.Writer, v View, o SVGOptions) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if v.Graph == nil {
		return errors.New("write flame graph: no samples to draw")
	}
	b := bufio.NewWriter(w)
	newPicture(&v, &o).write(b)
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	return nil
}

// pictureTree is a tree of a picture: its only one, or one of a sandwich's two.
type pictureTree struct {
	g     *flamegraph.Graph
	boxes []box
	up    bool // the root below
	skip  bool // the root is drawn by the other half
	root  int  // y of the root's row
}

type picture struct {
	v       *View
	o       *SVGOptions
	halves  []pictureTree
	scale   float64 // pixels for one unit of weight
	height  int
	head    int
	total   float64
	largest float64 // change of a frame
}

func newPicture(v *View, o *SVGOptions) *picture {
	p := &picture{v: v, o: o, total: v.Graph.Weight(&v.Graph.Nodes[0])}
	inner := float64(o.Width - 2*sideRoom)
	p.scale = inner / p.total
	p.head = int(o.FontSize*2.4) + 12
	if o.Subtitle != "" {
		p.head += int(o.FontSize * 1.6)
	}
	least := o.MinWidth / inner
	lower := pictureTree{g: v.Graph, boxes: layout(v.Graph, least), up: !o.Inverted}
	if v.Callers != nil {
		lower.up = false
		p.halves = []pictureTree{{g: v.Callers, boxes: layout(v.Callers, least), up: true, skip: true}}
	}
	p.halves = append(p.halves, lower)
	p.height = p.head
	for i := range p.halves {
		h := &p.halves[i]
		rows := 1
		for _, b := range h.boxes {
			rows = max(rows, b.depth+1)
			if n := (&flamegraph.Node{Value: b.value, Base: b.base}); b.depth > 0 {
				p.largest = max(p.largest, abs(h.g.Change(n)))
			}
		}
		if h.skip {
			rows--
		}
		h.root = p.height
		if h.up {
			h.root += (rows - 1) * o.Height
		}
		if h.skip {
			h.root += o.Height
		}
		p.height += rows * o.Height
	}
	p.height += footRoom
	return p
}

func (p *picture) write(b *bufio.Writer) {
	o := p.o
	fmt.Fprintf(b, `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title">
<title id="title">%s</title>
<style>
text { font-family: %s; font-size: %gpx; fill: #191a1c; }
.paper { fill: #faf9f7; } .over { fill: #1c1d1f; } .soft { fill: #5d6066; }
.title { font-size: %gpx; font-weight: 650; text-anchor: middle; }
.subtitle { text-anchor: middle; }
.f text { pointer-events: none; white-space: pre; }
.f:hover rect { stroke: #1c1d1f; stroke-width: 1; }
.button { cursor: pointer; }
@media (prefers-color-scheme: dark) { .paper { fill: #15171a; } .over { fill: #e8e6e1; } .soft { fill: #9ea2a8; } .f:hover rect { stroke: #fff; } }
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#dedbd5"/><rect width="1.5" height="6" fill="#a9a59d"/></pattern></defs>
<rect class="paper" width="100%%" height="100%%"/>
`, o.Width, p.height, o.Width, p.height, text(o.Title), o.FontType, o.FontSize, o.FontSize+5)
	middle := o.Width / 2
	fmt.Fprintf(b, `<text class="over title" x="%d" y="%g">%s</text>`+"\n", middle, o.FontSize*2, text(p.fit(o.Title, float64(o.Width-2*sideRoom), o.FontSize+5)))
	if o.Subtitle != "" {
		fmt.Fprintf(b, `<text class="soft subtitle" x="%d" y="%g">%s</text>`+"\n", middle, o.FontSize*3.6, text(p.fit(o.Subtitle, float64(o.Width-2*sideRoom), o.FontSize)))
	}
	fmt.Fprintf(b, `<text class="soft" id="details" x="%d" y="%d">%s</text>`+"\n", sideRoom, p.height-14, text(p.summary()))
	if o.Interactive {
		fmt.Fprintf(b, `<text class="over button" id="reset" x="%d" y="%g" visibility="hidden">Reset zoom</text>
<text class="over button" id="search" x="%d" y="%g" text-anchor="end">Search</text>
<text class="over" id="matched" x="%d" y="%d" text-anchor="end"></text>
`, sideRoom, o.FontSize*2, o.Width-sideRoom, o.FontSize*2, o.Width-sideRoom, p.height-14)
	}
	attributes := ""
	if o.Interactive {
		attributes = fmt.Sprintf(` data-total="%s" data-left="%d" data-width="%d" data-char="%.3f" data-type="%s"`, number(p.total), sideRoom, o.Width-2*sideRoom, o.FontSize*charWidth, text(o.NameType))
	}
	fmt.Fprintf(b, `<g id="frames"%s>`+"\n", attributes)
	for i := range p.halves {
		for j := range p.halves[i].boxes {
			if !p.halves[i].skip || p.halves[i].boxes[j].depth > 0 {
				p.box(b, &p.halves[i], &p.halves[i].boxes[j], i)
			}
		}
	}
	b.WriteString("</g>\n")
	if o.Interactive {
		fmt.Fprintf(b, "<script><![CDATA[\n%s]]></script>\n", page.Asset(assets, "svg.js"))
	}
	b.WriteString("</svg>\n")
}

// box draws one rectangle with its name and what it says when pointed at.
func (p *picture) box(b *bufio.Writer, h *pictureTree, x *box, pane int) {
	o := p.o
	y := h.root + x.depth*o.Height
	if h.up {
		y = h.root - x.depth*o.Height
	}
	left, width := sideRoom+x.x0*p.scale, (x.x1-x.x0)*p.scale
	drawn := width
	if width > 3 {
		drawn -= 0.6
	}
	frame := &h.g.Frames[h.g.Nodes[x.node].Frame]
	label, name, fill, ink := "", visible(frame.Name), "url(#hatch)", ""
	link := ""
	if x.frames > 0 {
		name = "(" + blockLabel(x.frames, h.g.Estimated) + ", " + quantity.Percent((x.x1-x.x0)/p.total) + ")"
		label = name
	} else {
		label = name
		fill = p.fill(h, x, frame.Name)
		ink = inkOn(fill)
		link = o.Link.to(frame.File, frame.Line, frame.Name)
	}
	change := ""
	if p.v.Graph.Differential {
		change = p.change(h.g, x)
	}
	data := ""
	if o.Interactive {
		data = fmt.Sprintf(` data-x="%s" data-w="%s" data-d="%d" data-p="%d"`, number(x.x0), number(x.x1-x.x0), x.depth, pane)
		if x.frames > 0 {
			data += ` data-b="1"`
		}
		if change != "" && x.frames == 0 {
			data += ` data-c="` + text(change) + `"`
		}
	}
	fmt.Fprintf(b, `<g class="f"%s>`, data)
	if link != "" {
		fmt.Fprintf(b, `<a href="%s" target="_top">`, text(link))
	}
	fmt.Fprintf(b, `<title>%s</title><rect x="%s" y="%d" width="%s" height="%d" rx="1.5" fill="%s"/>`,
		text(name+p.says(h.g, x, change)), pixel(left), y, pixel(max(drawn, 0.1)), o.Height-1, fill)
	if fitted := p.fitChange(change, label, width-6); fitted != "" || o.Interactive {
		fmt.Fprintf(b, `<text x="%s" y="%s"%s>%s</text>`, pixel(left+3), pixel(float64(y)+float64(o.Height)/2+o.FontSize*0.34), ink, text(fitted))
	}
	if link != "" {
		b.WriteString("</a>")
	}
	b.WriteString("</g>\n")
}

// fill returns the colour of a frame.
func (p *picture) fill(h *pictureTree, x *box, name string) string {
	if p.v.Graph.Differential {
		change := h.g.Change(&flamegraph.Node{Value: x.value, Base: x.base})
		if p.o.Negate {
			change = -change
		}
		return changeColor(change, p.largest).String()
	}
	return p.o.Colors.of(name, func() rgb { return p.o.Palette.color(name, p.o.Module) })
}

// inkOn returns the colour of text on a fill, where black cannot be read: the
// contrast of WCAG 2.2 against white is the better one below this luminance.
func inkOn(fill string) string {
	var c rgb
	if _, err := fmt.Sscanf(fill, "rgb(%d,%d,%d)", &c.r, &c.g, &c.b); err != nil {
		return ""
	}
	if 0.2126*float64(c.r)+0.7152*float64(c.g)+0.0722*float64(c.b) < 75 {
		return ` style="fill:#fff"`
	}
	return ""
}

// change is by how much a frame is more than it was, readable without colour.
func (p *picture) change(g *flamegraph.Graph, x *box) string {
	n := &flamegraph.Node{Value: x.value, Base: x.base}
	switch change := g.Change(n); {
	case x.base == 0 && x.value == 0:
		return "="
	case x.base == 0:
		return "new"
	case x.value == 0:
		return "gone"
	case change == 0:
		return "="
	default:
		ratio := change / (float64(x.base) * g.Scale)
		if ratio > 0 {
			return "+" + quantity.Percent(ratio)
		}
		return "−" + quantity.Percent(-ratio)
	}
}

// says returns what stands after the name of a frame that is pointed at.
func (p *picture) says(g *flamegraph.Graph, x *box, change string) string {
	if !p.v.Graph.Differential {
		return fmt.Sprintf(" (%s, %s)", p.value(float64(x.value)), quantity.Percent((x.x1-x.x0)/p.total))
	}
	n := &flamegraph.Node{Value: x.value, Base: x.base}
	return fmt.Sprintf(" (%s, before %s: %s, %s)", p.value(float64(x.value)), p.value(float64(x.base)*g.Scale), change, p.signed(g.Change(n)))
}

func (p *picture) value(v float64) string {
	v *= p.v.Graph.Ratio
	if p.o.CountName != "" {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + visible(p.o.CountName)
	}
	return visible(quantity.Value(v, p.v.unit()))
}

func (p *picture) signed(v float64) string {
	if v < 0 {
		return "−" + p.value(-v)
	}
	return "+" + p.value(v)
}

// summary stands below the frames until one is pointed at.
func (p *picture) summary() string {
	root := p.v.Graph.Nodes[0]
	out := p.v.label() + ": " + p.value(float64(root.Value))
	if p.v.Graph.Differential {
		out += ", before " + p.value(float64(root.Base)*p.v.Graph.Scale)
	}
	return out
}

// fitChange puts the change before a label: it is never cut.
func (p *picture) fitChange(change, label string, room float64) string {
	if change == "" {
		return p.fit(label, room, p.o.FontSize)
	}
	need := float64(utf8.RuneCountInString(change)) * p.o.FontSize * charWidth
	if need > room {
		return ""
	}
	return strings.TrimSpace(change + " " + p.fit(label, room-need-p.o.FontSize*charWidth, p.o.FontSize))
}

// fit returns as much of a label as there is room for, "" for less than three
// characters. A name loses its package's path first, then its package, then
// the receiver: methods of one type differ in what comes after it.
func (p *picture) fit(label string, room, size float64) string {
	label = visible(label)
	chars := int(max(room, 0) / (size * charWidth))
	if utf8.RuneCountInString(label) <= chars {
		return label
	}
	bracket := strings.IndexAny(label, "[(")
	if bracket < 0 {
		bracket = len(label)
	}
	if slash := strings.LastIndexByte(label[:bracket], '/'); slash >= 0 {
		label = label[slash+1:]
		bracket -= slash + 1
	}
	if utf8.RuneCountInString(label) <= chars {
		return label
	}
	if dot := strings.IndexByte(label[:bracket], '.'); dot > 0 {
		label = label[dot+1:]
	}
	if utf8.RuneCountInString(label) <= chars {
		return label
	}
	if strings.HasPrefix(label, "(*") {
		if _, method, ok := strings.Cut(label, ")."); ok {
			label = method
		}
	}
	if utf8.RuneCountInString(label) <= chars {
		return label
	}
	if chars < 3 {
		return ""
	}
	return string([]rune(label)[:chars-1]) + "…"
}

// number prints a position or a width without loss.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func pixel(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
}

// text escapes for content and attributes.
func text(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(visible(s))) // a Builder does not fail
	return b.String()
}
