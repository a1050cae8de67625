package flame

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strings"

	"whet/internal/analyze/flamegraph"
	"whet/internal/symbolname"
)

// The contract with the page's script. Frames are shared by all graphs of a
// page; those that occur most have the smallest numbers.
type jsonFlames struct {
	Names    []string   `json:"names"`
	Files    []string   `json:"files"`    // distinct; 0 is ""
	Packages []string   `json:"packages"` // distinct
	Groups   []int      `json:"groups"`   // of packages: 0 own module, 1 standard library, 2 other modules, 3 runtime, 4 no package
	File     []int      `json:"file"`     // of names: index into files
	Line     []int      `json:"line"`     // of names
	Package  []int      `json:"package"`  // of names: index into packages
	Flames   []jsonView `json:"flames"`
	Link     string     `json:"link,omitempty"`
	Palette  Palette    `json:"palette"`
	Bottom   bool       `json:"root_bottom,omitempty"`
	Negate   bool       `json:"negate,omitempty"`
}

type jsonView struct {
	Label string   `json:"label"`
	About []string `json:"about,omitempty"`
	// Grain is what one sample stands for, of the value and of its base: 0 where
	// that is not known.
	Grain     float64 `json:"grain,omitempty"`
	BaseGrain float64 `json:"base_grain,omitempty"`
	Unit      string  `json:"unit"`
	// Nodes is base64 of varints. For each node in preorder: 4·up + 2·block +
	// same, where up is by how many levels it stands nearer to the root than a
	// child of the node before it; its frame, or for a block how many frames
	// it holds; its value unless it is the parent's (same); and where graphs
	// are compared, its base.
	Nodes        string  `json:"nodes"`
	Count        int     `json:"count"`
	Differential bool    `json:"differential,omitempty"`
	Scale        float64 `json:"scale,omitempty"` // of the base
	Ratio        float64 `json:"ratio,omitempty"` // values are multiplied with it when they are printed
	Estimated    bool    `json:"estimated,omitempty"`
	Callers      string  `json:"callers,omitempty"` // nodes of the callers of a sandwich
	CallersCount int     `json:"callers_count,omitempty"`
}

// frameKey is what a page's frames are told apart by.
type frameKey struct {
	name, file string
	line       int
}

func keyOf(f *flamegraph.Frame) frameKey { return frameKey{f.Name, f.File, f.Line} }

// flameData collects the graphs of a page.
func flameData(p *Page) *jsonFlames {
	d := &jsonFlames{Names: []string{}, Files: []string{""}, Packages: []string{}, Groups: []int{}, File: []int{}, Line: []int{}, Package: []int{}, Flames: []jsonView{},
		Link: string(p.Link), Palette: p.Palette, Bottom: p.RootBottom, Negate: p.Negate}
	views := p.Views
	index := d.rank(p.Module, views)
	for i := range views {
		v := &views[i]
		if v.Graph == nil {
			continue
		}
		j := jsonView{Label: v.label(), Unit: v.unit(), Count: len(v.Graph.Nodes), Nodes: encode(v.Graph, index),
			Differential: v.Graph.Differential, Estimated: v.Graph.Estimated}
		j.Grain, j.BaseGrain = v.Grain, v.BaseGrain
		for _, line := range v.About {
			j.About = append(j.About, visible(line))
		}
		if v.Graph.Scale != 1 {
			j.Scale = v.Graph.Scale
		}
		if v.Graph.Ratio != 1 {
			j.Ratio = v.Graph.Ratio
		}
		if v.Callers != nil {
			j.Callers, j.CallersCount = encode(v.Callers, index), len(v.Callers.Nodes)
		}
		d.Flames = append(d.Flames, j)
	}
	return d
}

// rank numbers the frames of all views and fills the tables.
func (d *jsonFlames) rank(module string, views []View) map[frameKey]int {
	uses := make(map[frameKey]int)
	for i := range views {
		for _, g := range []*flamegraph.Graph{views[i].Graph, views[i].Callers} {
			if g == nil {
				continue
			}
			for j := range g.Nodes {
				if g.Nodes[j].Collapsed == 0 {
					uses[keyOf(&g.Frames[g.Nodes[j].Frame])]++
				}
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(uses), func(a, b frameKey) int {
		return cmp.Or(cmp.Compare(uses[b], uses[a]), cmp.Compare(a.name, b.name), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	index := make(map[frameKey]int, len(keys))
	files, packages := map[string]int{"": 0}, make(map[string]int)
	for i, k := range keys {
		index[k] = i
		file, ok := files[k.file]
		if !ok {
			file = len(d.Files)
			files[k.file] = file
			d.Files = append(d.Files, visible(k.file))
		}
		pkg := symbolname.Package(k.name)
		at, ok := packages[pkg]
		if !ok {
			at = len(d.Packages)
			packages[pkg] = at
			d.Packages = append(d.Packages, visible(pkg))
			d.Groups = append(d.Groups, packageGroup(pkg, module))
		}
		d.Names, d.File, d.Line, d.Package = append(d.Names, visible(k.name)), append(d.File, file), append(d.Line, k.line), append(d.Package, at)
	}
	return index
}

// encode packs the nodes of a graph.
func encode(g *flamegraph.Graph, index map[frameKey]int) string {
	frames := make([]int, len(g.Frames))
	for i := range g.Frames {
		frames[i] = index[keyOf(&g.Frames[i])]
	}
	depth := make([]int32, len(g.Nodes))
	var out []byte
	before := int32(-1) // depth of the node before
	for i := range g.Nodes {
		n := &g.Nodes[i]
		same := uint64(0)
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
			if n.Value == g.Nodes[n.Parent].Value {
				same = 1
			}
		}
		head := uint64(before+1-depth[i])<<2 | same
		before = depth[i]
		if n.Collapsed > 0 {
			out = binary.AppendUvarint(out, head|2)
			out = binary.AppendUvarint(out, uint64(n.Collapsed))
		} else {
			out = binary.AppendUvarint(out, head)
			out = binary.AppendUvarint(out, uint64(frames[n.Frame]))
		}
		if same == 0 {
			out = binary.AppendUvarint(out, uint64(n.Value))
		}
		if g.Differential {
			out = binary.AppendUvarint(out, uint64(n.Base))
		}
	}
	return base64.StdEncoding.EncodeToString(out)
}

// script returns the data as a JSON script block: <, >, & and the line separators
// are escaped, so that no name can end the block.
func (d *jsonFlames) script() (template.JS, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(true)
	if err := e.Encode(d); err != nil {
		return "", err
	}
	return template.JS(strings.TrimSpace(buf.String())), nil
}
