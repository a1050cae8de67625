package view

import (
	"io"
	"strings"

	"whet/internal/document"
)

// WriteJSON prints the graph as the document whet/graph/1.
func (v *Graph) WriteJSON(w io.Writer) error {
	nodes := make([]document.Object, len(v.Nodes))
	for i, n := range v.Nodes {
		at := n.Info
		nodes[i] = document.Object{
			"id", i, // that edges name
			"name", n.Name, "function", document.IfSet(at.Name),
			// Where nodes are told apart by them:
			"file", document.IfSet(at.File), "line", document.IfSet(at.Line), "column", document.IfSet(at.Column), "address", document.IfSet(at.Address),
			"object", document.IfSet(at.Object), v.costs(n.Flat, n.Cum), v.jsonTags("tags", n.Tags),
		}
	}
	return document.Write(w, document.Object{v.document("graph"), v.amount("shown", v.Shown), "dropped_nodes", v.Dropped, "dropped_edges", v.Calls,
		"remaining_nodes", v.Of, "nodes", nodes, "edges", document.Each(v.Edges, func(e *GraphEdge) document.Object {
			return document.Object{"from", e.From, "to", e.To, v.shared("weight", e.Weight), "residual", e.Residual, "inlined", e.Inlined}
		})})
}

// jsonTags are labels, each key:value, and numbers or ranges of them; below labels
// stand the numbers of the samples that have them.
func (v *Graph) jsonTags(key string, tags []GraphTag) document.Object {
	if len(tags) == 0 {
		return nil
	}
	return document.Object{key, document.Each(tags, func(t *GraphTag) document.Object {
		name := document.Object{"number", t.Name}
		if !t.Number {
			name = document.Object{"labels", strings.Split(t.Name, `\n`)}
		}
		return document.Object{name, v.shared("weight", t.Weight), "passing", document.IfSet(t.Passing), v.jsonTags("numbers", t.Below)}
	})}
}
