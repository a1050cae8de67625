package flame

import (
	"cmp"
	"io"

	"whet/internal/analyze/flamegraph"
	"whet/internal/document"
)

// The document whet/flame/1: a call tree for each view, a parent before its
// children. A node's value is its cum.
type jsonDocument struct {
	document.Head
	Flames []jsonTree `json:"flames"`
}

type jsonTree struct {
	Kind       string     `json:"kind"`
	Benchmark  string     `json:"benchmark"`
	Column     string     `json:"sample_type"`
	Unit       string     `json:"unit"`
	ScaleRatio float64    `json:"base_scale_ratio,omitempty"` // what base is multiplied with to compare it
	Estimated  bool       `json:"collapsed_estimated,omitempty"`
	Nodes      []jsonNode `json:"nodes"`
	Callers    []jsonNode `json:"callers,omitempty"` // of a sandwich, whose callees are the nodes
}

type jsonNode struct {
	Function  string `json:"function"`
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	Parent    int32  `json:"parent"` // index into nodes, -1 for the root
	Value     int64  `json:"value"`  // in the tree's unit
	Base      int64  `json:"base,omitempty"`
	Collapsed int64  `json:"collapsed,omitempty"`
}

// WriteJSON writes the call trees as one JSON document. Views without a graph
// are left out.
func WriteJSON(w io.Writer, views []View, warnings []string) error {
	d := jsonDocument{Head: document.New(document.Flame, warnings), Flames: []jsonTree{}}
	for i := range views {
		v := &views[i]
		if v.Graph == nil {
			continue
		}
		t := jsonTree{Kind: cmp.Or(v.Kind, v.Graph.Type.Type), Benchmark: v.Benchmark, Column: v.Graph.Type.Type, Unit: cmp.Or(v.Unit, v.Graph.Type.Unit), Estimated: v.Graph.Estimated, Nodes: jsonNodes(v.Graph), Callers: jsonNodes(v.Callers)}
		if v.Graph.Differential {
			t.ScaleRatio = v.Graph.Scale
		}
		d.Flames = append(d.Flames, t)
	}
	return document.WriteLine(w, d)
}

func jsonNodes(g *flamegraph.Graph) []jsonNode {
	if g == nil {
		return nil
	}
	out := make([]jsonNode, len(g.Nodes))
	for i, n := range g.Nodes {
		f := &g.Frames[n.Frame]
		out[i] = jsonNode{Function: f.Name, File: f.File, Line: f.Line, Parent: n.Parent, Value: n.Value, Base: n.Base, Collapsed: n.Collapsed}
	}
	return out
}
