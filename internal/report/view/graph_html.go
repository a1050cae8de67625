package view

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"

	"whet/internal/printable"
	"whet/internal/report/page"
)

//go:embed assets
var assets embed.FS

// graphDocument is what the page is made of.
type graphDocument struct {
	page.Shell
	Binary  string
	Type    string
	Legend  []string
	Notes   []string // warnings
	Picture template.HTML
	Data    template.JS
}

// pageData is what the page's script knows of the graph, as text: it computes
// nothing but how many nodes match and what they hold together.
type pageData struct {
	Nodes []pageNode `json:"nodes"`
	Edges []pageEdge `json:"edges"`
	// The hot path, from its caller down.
	Hot      []int `json:"hot"`
	HotEdges []int `json:"hotEdges"`
}

type pageNode struct {
	Name  string     `json:"name"`
	Flat  string     `json:"flat"`
	Cum   string     `json:"cum"`
	Ratio float64    `json:"ratio"` // flat's share of the total
	At    [4]float64 `json:"at"`    // x, y, width, height
}

type pageEdge struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Weight string `json:"weight"`
	How    string `json:"how"`
}

// WriteHTML writes the graph as a page in one file that can be moved, zoomed
// and searched, and shows the callers and callees of what is clicked. It loads
// nothing from elsewhere; without scripts the picture is still there.
func (v *Graph) WriteHTML(w io.Writer) error {
	p, err := v.draw()
	if err != nil {
		return err
	}
	const margin = 20.0
	d := &svg{}
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" class="graph" id="graph" width="%s" height="%s" tabindex="0" role="application" aria-label="%s" aria-describedby="help">`+"\n",
		number1(p.width+2*margin), number1(p.height+2*margin), escape(v.heading()))
	d.put(`<g id="move" transform="translate(%s %s)">`+"\n", number1(margin), number1(margin))
	d.picture(p)
	d.put("</g>\n</svg>\n")
	key := &svg{}
	key.put(`<svg class="graph" width="%d" height="40" viewBox="-1 -1 %d 40" role="img" aria-label="key to the picture">`, keyWidth, keyWidth)
	key.key(v)
	key.put("</svg>\n")

	data := pageData{Nodes: []pageNode{}, Edges: []pageEdge{}}
	for i, n := range v.Nodes {
		at := p.nodes[i]
		data.Nodes = append(data.Nodes, pageNode{
			Name: shorten(printable.Line(n.Name), 2000), Flat: v.value(n.Flat) + " (" + v.short(n.Flat) + ")", Cum: v.value(n.Cum) + " (" + v.short(n.Cum) + ")",
			Ratio: v.share(n.Flat), At: [4]float64{at.x, at.y, at.width, at.height},
		})
	}
	for _, e := range v.Edges {
		how := ""
		if e.Inlined {
			how = "inline"
		}
		if e.Residual {
			how = join(how, "over functions not shown")
		}
		data.Edges = append(data.Edges, pageEdge{From: e.From, To: e.To, Weight: v.value(e.Weight) + " (" + v.short(e.Weight) + ")", How: how})
	}
	data.Hot, data.HotEdges = v.hotPath()
	known, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	doc := graphDocument{
		Shell:  page.NewShell(v.heading(), page.Asset(assets, "graph_page.css")+svgStyle(), page.Asset(assets, "graph.js")),
		Binary: printable.Line(v.Binary), Type: printable.Line(v.SampleType), Legend: v.Legend, Data: template.JS(known),
		Picture: template.HTML(key.out.String() + d.out.String()), Notes: v.Warnings,
	}
	return page.Write(w, assets, "graph.html", doc)
}

// hotPath returns how the node with the most flat is reached: from a node that no other of
// the graph calls, or that the path has been at, down the calls that weigh most.
func (v *Graph) hotPath() (nodes, edges []int) {
	nodes, edges = []int{}, []int{}
	at := -1
	for i := range v.Nodes {
		if at < 0 || magnitude(v.Nodes[i].Flat) > magnitude(v.Nodes[at].Flat) {
			at = i
		}
	}
	for at >= 0 {
		nodes = append(nodes, at)
		call := -1
		for i, e := range v.Edges {
			if e.To == at && !slices.Contains(nodes, e.From) && (call < 0 || magnitude(e.Weight) > magnitude(v.Edges[call].Weight)) {
				call = i
			}
		}
		if call < 0 {
			break
		}
		edges, at = append(edges, call), v.Edges[call].From
	}
	slices.Reverse(nodes)
	slices.Reverse(edges)
	return nodes, edges
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}
