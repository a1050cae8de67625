package view

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteDOT writes the graph in the language of Graphviz, as pprof -dot does.
func (v *Graph) WriteDOT(w io.Writer) error {
	d := &dot{v: v}
	title := dotEscape(v.Binary)
	if title == "" {
		title = "unnamed"
	}
	d.line(`digraph "%s" {`, title)
	d.line(`node [style=filled fillcolor="#f8f8f8"]`)
	d.legend()
	tagged := make([]bool, len(v.Nodes))
	for i := range v.Nodes {
		d.node(i)
		for _, t := range v.Nodes[i].Tags {
			tagged[i] = true
			d.tag(fmt.Sprintf("N%d", i+1), t)
		}
	}
	for i := range v.Edges {
		d.edge(&v.Edges[i], tagged[v.Edges[i].From])
	}
	d.line("}")
	return page.Print(w, "graph", d.out.Bytes())
}

type dot struct {
	v   *Graph
	out bytes.Buffer
}

// text prints a value, in the profile's own unit: untrusted.
func (d *dot) text(value int64) string { return dotQuotes.Replace(d.v.value(value)) }

func (d *dot) line(format string, args ...any) {
	fmt.Fprintf(&d.out, format, args...)
	d.out.WriteByte('\n')
}

// howToRead are the last lines of pprof's legend, escaped.
const howToRead = `\lSee https://git.io/JfYMW for how to read the graph`

func (d *dot) legend() {
	lines := make([]string, 0, len(d.v.Legend)+1)
	for _, l := range d.v.Legend {
		lines = append(lines, dotEscape(l))
	}
	lines = append(lines, howToRead)
	tooltip := ""
	if d.v.Binary != "" {
		tooltip = fmt.Sprintf(` tooltip="%s"`, dotEscape(d.v.Binary))
	}
	d.line(`subgraph cluster_L { "%s" [shape=box fontsize=16 label="%s\l"%s] }`, lines[0], strings.Join(lines, `\l`), tooltip)
}

func (d *dot) node(i int) {
	v, n := d.v, &d.v.Nodes[i]
	info := n.Info
	info.Name = strings.Join(splitFunction(dotEscape(shortFunction(info.Name))), `\n`)
	if info.File != "" {
		info.File = dotEscape(filepath.Base(info.File))
	}
	info.Object = dotEscape(info.Object)
	label := strings.Join(callgraph.NameParts(&info), `\n`) + `\n`
	flat, cum := d.text(n.Flat), d.text(n.Cum)
	if n.Flat != 0 {
		label += fmt.Sprintf("%s (%s)", flat, v.short(n.Flat))
	} else {
		label += "0"
	}
	if n.Cum != n.Flat {
		if n.Flat != 0 {
			label += `\n`
		} else {
			label += " "
		}
		label += fmt.Sprintf("of %s (%s)", cum, v.short(n.Cum))
	}
	share := d.share(n.Cum)
	d.line(`N%d [label="%s" id="node%d" fontsize=%d shape=box tooltip="%s (%s)" color="%s" fillcolor="%s"]`,
		i+1, label, i+1, n.fontSize, dotEscape(n.Name), cum, dotColor(share, 1, 0.7), dotColor(share, 0.1, 0.93))
}

// tag writes a tag and the numbers below it.
func (d *dot) tag(of string, t GraphTag) {
	name := fmt.Sprintf("%s_%d", of, t.index)
	if t.Number {
		name = "N" + name
	}
	weight, style := d.text(t.Weight), ""
	if t.Passing {
		style = ` style="dotted"`
	}
	d.line(`%s [label = "%s" id="%s" fontsize=8 shape=box3d tooltip="%s"]`, name, dotTag(t.Name), name, weight)
	d.line(`%s -> %s [label=" %s" weight=100 tooltip="%s" labeltooltip="%s"%s]`, of, name, weight, weight, weight, style)
	for _, b := range t.Below {
		d.tag(name, b)
	}
}

func (d *dot) edge(e *GraphEdge, tagged bool) {
	v := d.v
	weight, inline, arrow := d.text(e.Weight), "", "->"
	if e.Inlined {
		inline = `\n (inline)`
	}
	if e.Residual {
		arrow = "..."
	}
	fmt.Fprintf(&d.out, `N%d -> N%d [label=" %s%s"`, e.From+1, e.To+1, weight, inline)
	if v.Total != 0 {
		if w := v.pull(e); w > 1 {
			fmt.Fprintf(&d.out, " weight=%d", w)
		}
		if w := v.penWidth(e); w > 1 {
			fmt.Fprintf(&d.out, " penwidth=%d", w)
		}
		fmt.Fprintf(&d.out, ` color="%s"`, dotColor(d.share(e.Weight), 1, 0.7))
	}
	tip := fmt.Sprintf("%s %s %s (%s)", dotEscape(v.Nodes[e.From].Name), arrow, dotEscape(v.Nodes[e.To].Name), weight)
	fmt.Fprintf(&d.out, ` tooltip="%s" labeltooltip="%s"`, tip, tip)
	if e.Residual {
		d.out.WriteString(` style="dotted"`)
	}
	if tagged {
		d.out.WriteString(" minlen=2") // room for the tags
	}
	d.line("]")
}

func (d *dot) share(value int64) float64 { return float64(value) / math.Abs(float64(d.v.Total)) }

// dotColor is pprof's colour of a share: green for -1, grey for 0, red for 1,
// and away from grey soon.
func dotColor(share, saturation, value float64) string {
	share = max(-1, min(1, share))
	if math.Abs(share) < 0.2 {
		saturation *= math.Abs(share) / 0.2
	}
	toward := math.Pow(math.Abs(share), 0.3)
	r, g, b := value, value, value*(1-saturation)
	if share < 0 {
		r = value * (1 - saturation*toward)
	} else {
		g = value * (1 - saturation*toward)
	}
	return fmt.Sprintf("#%02x%02x%02x", channel(r), channel(g), channel(b))
}

// channel returns a colour's part; nothing where it is a share of nothing.
func channel(v float64) uint8 {
	if math.IsNaN(v) {
		return 0
	}
	return uint8(v * 255)
}

var dotQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// dotEscape makes an untrusted string fit between quotes.
func dotEscape(s string) string { return dotQuotes.Replace(printable.Line(s)) }

// dotTag does so with labels, which stand one below the other.
func dotTag(s string) string {
	lines := strings.Split(s, `\n`)
	for i, l := range lines {
		lines[i] = dotEscape(l)
	}
	return strings.Join(lines, `\n`)
}
