package view

import (
	"io"
	"strings"

	"whet/internal/document"
)

// WriteJSON prints the graph as the document whet/graph/1.
func (v *Graph) WriteJSON(w io.Writer) error {
	nodes := make([]jsonObject, len(v.Nodes))
	for i, n := range v.Nodes {
		at := n.Info
		nodes[i] = append(jsonObject{
			{"id", i}, // that edges name
			{"name", n.Name}, {"function", known(at.Name)},
			// Where nodes are told apart by them:
			{"file", known(at.File)}, {"line", known(at.Line)}, {"column", known(at.Column)}, {"address", known(at.Address)}, {"object", known(at.Object)},
		}, v.costs(n.Flat, n.Cum)...)
		if len(n.Tags) > 0 {
			nodes[i] = append(nodes[i], member{"tags", each(n.Tags, v.tag)})
		}
	}
	return document.Write(w, append(v.document("graph"), v.amount("shown", v.Shown), member{"dropped_nodes", v.Dropped}, member{"dropped_edges", v.Calls},
		member{"remaining_nodes", v.Of}, member{"nodes", nodes}, member{"edges", each(v.Edges, func(e *GraphEdge) jsonObject {
			o := append(jsonObject{{"from", e.From}, {"to", e.To}}, v.shared("weight", e.Weight)...)
			return append(o, member{"residual", e.Residual}, member{"inlined", e.Inlined})
		})}))
}

// tag is labels, each key:value, or a number or a range of them, with the numbers of
// the samples that have the labels.
func (v *Graph) tag(t *GraphTag) jsonObject {
	o := jsonObject{{"number", t.Name}}
	if !t.Number {
		o = jsonObject{{"labels", strings.Split(t.Name, `\n`)}}
	}
	o = append(append(o, v.shared("weight", t.Weight)...), member{"passing", known(t.Passing)})
	if len(t.Below) > 0 {
		o = append(o, member{"numbers", each(t.Below, v.tag)})
	}
	return o
}
