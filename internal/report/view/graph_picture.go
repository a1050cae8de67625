package view

import (
	"fmt"
	"math"
	"path"
	"strings"

	"whet/internal/printable"
	"whet/internal/report/view/layered"
)

// picture is a graph with everything in its place. Texts are cleaned, but not
// escaped. Lengths are in pixels.
type picture struct {
	width, height float64
	nodes         []pictureNode
	edges         []pictureEdge
}

type pictureNode struct {
	x, y, width, height float64 // from its left upper corner
	lines               []textLine
	chips               []chip
	heat                int
	share               float64 // of the total, in [0,1]
	title               string
}

// chip is a tag beside a node.
type chip struct {
	x, y, width, height float64
	lines               []textLine
	passing             bool
	title               string
}

// textLine is a line of text: where its base line starts, or its middle.
type textLine struct {
	text, class string
	size        float64
	x, y        float64
}

type pictureEdge struct {
	route    layered.Route
	from, to int
	width    float64
	heat     int
	residual bool
	label    []textLine
	title    string
}

// Texts are set in a fixed pitch, so that boxes can be made to measure without
// the font: the fonts asked for are 0.6 em wide a cell, none wider than this.
const cellEm = 0.61

func textWidth(s string, size float64) float64 { return float64(cells(s)) * cellEm * size }

// cells returns how many columns a text takes. Everything from the scripts of East
// Asia on counts twice: some of it is that wide, and too much room does no harm.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	// What typesetters use from there below is narrow.
	return n - strings.Count(s, "…")
}

const (
	padX, padY = 9.0, 6.0
	barHeight  = 4.0
	smallest   = 10.5 // of texts
	mostLines  = 14   // of a name; the last holds the rest
	mostCells  = 44   // of a line
	headWidth  = 3.0  // half of an arrow head's, and the line's width on top
)

// draw lays the graph out.
func (v *Graph) draw() (*picture, error) {
	p := &picture{nodes: make([]pictureNode, len(v.Nodes)), edges: make([]pictureEdge, len(v.Edges))}
	boxes := make([]layered.Node, len(v.Nodes))
	for i := range v.Nodes {
		n := &p.nodes[i]
		*n = v.pictureNode(&v.Nodes[i])
		boxes[i] = layered.Node{Width: int(math.Ceil(n.width)), Height: int(math.Ceil(n.height))}
		n.width, n.height = float64(boxes[i].Width), float64(boxes[i].Height)
		for _, c := range n.chips {
			boxes[i].Beside = max(boxes[i].Beside, int(math.Ceil(c.x+c.width)))
			boxes[i].BesideHeight = max(boxes[i].BesideHeight, int(math.Ceil(c.y+c.height)))
		}
	}
	links := make([]layered.Edge, len(v.Edges))
	for i := range v.Edges {
		e := &v.Edges[i]
		p.edges[i] = v.pictureEdge(e)
		width, height := 0.0, 0.0
		for _, l := range p.edges[i].label {
			width = max(width, labelGap+textWidth(l.text, l.size)+2)
			height += l.size * 1.25
		}
		links[i] = layered.Edge{
			From: e.From, To: e.To, Weight: v.pull(e), Arrow: int(math.Ceil(arrowLength(p.edges[i].width))),
			LabelWidth: int(math.Ceil(width + p.edges[i].width/2)), LabelHeight: int(math.Ceil(height)),
		}
	}
	d, err := layered.Draw(boxes, links, layered.DefaultOptions())
	if err != nil {
		return nil, fmt.Errorf("%w; lower -nodecount, or write DOT for Graphviz with -dot", err)
	}
	p.width, p.height = d.Width, d.Height
	for i := range p.nodes {
		p.nodes[i].settle(d.Nodes[i], boxes[i])
	}
	for i := range p.edges {
		p.edges[i].settle(d.Edges[i])
	}
	return p, nil
}

const labelGap = 5.0 // between a line and its label

func arrowLength(width float64) float64 { return 7 + 1.5*width }

// pictureNode makes the box of a node, with its texts from the box's corner.
func (v *Graph) pictureNode(n *GraphNode) pictureNode {
	out := pictureNode{heat: v.heat(n.Cum), share: min(1, math.Abs(v.share(n.Cum)))}
	size := smallest + float64(n.fontSize-8)
	small := max(smallest, size*0.8)
	for _, l := range nameLines(n) {
		l.size = size
		if l.class != "fn" {
			l.size = max(smallest, size*0.9)
		}
		out.lines = append(out.lines, l)
	}
	flat, cum := v.value(n.Flat)+" ("+v.short(n.Flat)+")", "of "+v.value(n.Cum)+" ("+v.short(n.Cum)+")"
	switch {
	case n.Flat == 0:
		out.lines = append(out.lines, textLine{text: "0 " + cum, size: small, class: "cum"})
	case n.Cum == n.Flat:
		out.lines = append(out.lines, textLine{text: flat, size: small, class: "flat"})
	default:
		out.lines = append(out.lines, textLine{text: flat, size: small, class: "flat"}, textLine{text: cum, size: small, class: "cum"})
	}
	out.title = fmt.Sprintf("%s\nflat %s (%s), cum %s (%s)", shorten(printable.Line(n.Name), 2000), v.value(n.Flat), v.short(n.Flat), v.value(n.Cum), v.short(n.Cum))
	y := padY
	for i := range out.lines {
		l := &out.lines[i]
		out.width = max(out.width, textWidth(l.text, l.size)+2*padX)
		y += l.size * 1.22
		l.y = y - l.size*0.3
	}
	out.height = y + padY + barHeight
	out.chips = v.chips(n.Tags, 0, nil)
	return out
}

// nameLines returns what stands for a node, cut as pprof's pictures cut it; but
// the numbers of closures stay with their function.
func nameLines(n *GraphNode) []textLine {
	var out []textLine
	add := func(text, class string) {
		out = append(out, textLine{text: shorten(text, mostCells), class: class})
	}
	info := &n.Info
	if info.Address != 0 {
		add(fmt.Sprintf("%016x", info.Address), "place")
	}
	if info.Name != "" {
		var parts []string
		for _, p := range splitFunction(printable.Line(shortFunction(info.Name))) {
			if len(parts) > 1 && isClosure(p) || len(parts) == mostLines {
				parts[len(parts)-1] += "." + p
				continue
			}
			parts = append(parts, p)
		}
		for i, p := range parts {
			if i == len(parts)-1 {
				add(p, "fn")
			} else {
				add(p, "pkg")
			}
		}
	}
	switch {
	case info.File != "":
		place := printable.Line(path.Base(info.File))
		if info.Line != 0 {
			place += fmt.Sprintf(":%d", info.Line)
			if info.Column != 0 {
				place += fmt.Sprintf(":%d", info.Column)
			}
		}
		class := "place"
		if info.Name == "" {
			class = "fn"
		}
		add(place, class)
	case info.Name == "" || info.Line != 0:
		add(printable.Line(n.Name), "fn")
	}
	return out
}

// isClosure reports whether a part of a Go function's name is what the
// compiler calls a function without a name: func1, 2, gowrap1, deferwrap2.
func isClosure(s string) bool {
	digits := strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz")
	switch s[:len(s)-len(digits)] {
	case "func", "", "gowrap", "deferwrap", "-range":
	default:
		return false
	}
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// shorten cuts a text in the middle: names differ at their ends.
func shorten(s string, most int) string {
	if cells(s) <= most {
		return s
	}
	r := []rune(s)
	if len(r) > most/2 { // half of them may be wide
		keep := most - 1
		if cells(s) > len(r) {
			keep /= 2
		}
		if keep < len(r) {
			return string(r[:keep/2]) + "…" + string(r[len(r)-(keep-keep/2):])
		}
	}
	return s
}

// chips stacks the tags of a node, numbers indented below the labels that they
// belong to. Places are from the upper end of the stack.
func (v *Graph) chips(tags []GraphTag, indent float64, out []chip) []chip {
	for _, t := range tags {
		c := chip{x: indent, passing: t.Passing, title: shorten(printable.Line(strings.ReplaceAll(t.Name, `\n`, ", ")), 1000) + ": " + v.value(t.Weight)}
		if n := len(out); n > 0 {
			c.y = out[n-1].y + out[n-1].height + 3
		}
		y := 3.0
		for _, l := range strings.Split(t.Name, `\n`) {
			y += 12
			c.lines = append(c.lines, textLine{text: shorten(printable.Line(l), mostCells), class: "tag", size: 10, x: indent + 6, y: y - 3})
		}
		y += 12
		c.lines = append(c.lines, textLine{text: v.value(t.Weight), class: "tagged", size: 10, x: indent + 6, y: y - 3})
		for _, l := range c.lines {
			c.width = max(c.width, textWidth(l.text, l.size)+12)
		}
		c.height = y + 3
		for i := range c.lines {
			c.lines[i].y += c.y
		}
		out = append(out, c)
		out = v.chips(t.Below, indent+12, out)
	}
	return out
}

// settle moves a node to its place.
func (n *pictureNode) settle(p layered.NodePosition, box layered.Node) {
	n.x, n.y = p.X-n.width/2, p.Y-n.height/2
	for i := range n.lines {
		n.lines[i].x = p.X
		n.lines[i].y += n.y
	}
	top := p.Y - float64(box.BesideHeight)/2
	for i := range n.chips {
		c := &n.chips[i]
		c.x += p.Beside
		c.y += top
		for j := range c.lines {
			c.lines[j].x += p.Beside
			c.lines[j].y += top
		}
	}
}

func (v *Graph) pictureEdge(e *GraphEdge) pictureEdge {
	out := pictureEdge{from: e.From, to: e.To, heat: v.heat(e.Weight), residual: e.Residual, width: 1}
	out.width += 5 * min(1, math.Abs(v.share(e.Weight)))
	out.label = append(out.label, textLine{text: v.value(e.Weight), class: "weight", size: smallest})
	how := "calls"
	if e.Inlined {
		out.label = append(out.label, textLine{text: "(inline)", class: "inline", size: smallest - 1})
		how = "calls, inlined,"
	}
	if e.Residual {
		how += " over functions not shown"
	}
	out.title = fmt.Sprintf("%s\n%s\n%s\n%s (%s)", shorten(printable.Line(v.Nodes[e.From].Name), 1000), how, shorten(printable.Line(v.Nodes[e.To].Name), 1000), v.value(e.Weight), v.short(e.Weight))
	return out
}

// settle moves an edge's label to its place, right of the line.
func (e *pictureEdge) settle(r layered.Route) {
	e.route = r
	height := 0.0
	for _, l := range e.label {
		height += l.size * 1.25
	}
	y := r.Label.Y - height/2
	for i := range e.label {
		l := &e.label[i]
		y += l.size * 1.25
		l.x, l.y = r.Label.X+e.width/2+labelGap, y-l.size*0.35
	}
}

// heats is the number of colours on each side of none.
const heats = 9

// heat returns the colour of a value, from -heats to heats: it soon leaves grey, so
// that small shares can be told from none.
func (v *Graph) heat(value int64) int {
	share := max(-1, min(1, v.share(value)))
	h := int(math.Round(heats * math.Pow(math.Abs(share), 0.5)))
	if share < 0 {
		return -h
	}
	return h
}
