package view

import (
	"io"
	"strings"

	"whet/internal/document"
)

type jsonGraph struct {
	jsonHead
	jsonShown
	DroppedNodes int             `json:"dropped_nodes"`
	DroppedEdges int             `json:"dropped_edges"`
	Of           int             `json:"remaining_nodes"`
	Nodes        []jsonGraphNode `json:"nodes"`
	Edges        []jsonGraphEdge `json:"edges"`
}

type jsonGraphNode struct {
	ID       int    `json:"id"` // that edges name; the node's place in nodes, from 0
	Name     string `json:"name"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"` // with line, column and address: where nodes are told apart by them
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Address  uint64 `json:"address,omitempty"`
	Object   string `json:"object,omitempty"`
	jsonCosts
	Tags []jsonGraphTag `json:"tags,omitempty"`
}

type jsonGraphTag struct {
	Labels []string `json:"labels,omitempty"` // key:value
	Number string   `json:"number,omitempty"` // or a range of numbers
	jsonWeight
	Passing bool           `json:"passing,omitempty"` // samples of callees not shown are among them
	Numbers []jsonGraphTag `json:"numbers,omitempty"` // of the samples with these labels
}

type jsonGraphEdge struct {
	From int `json:"from"`
	To   int `json:"to"`
	jsonWeight
	Residual bool `json:"residual"` // over functions that are not shown
	Inlined  bool `json:"inlined"`
}

type jsonWeight struct {
	WeightNs    *int64  `json:"weight_ns,omitempty"`
	WeightBytes *int64  `json:"weight_bytes,omitempty"`
	WeightCount *int64  `json:"weight_count,omitempty"`
	Weight      *int64  `json:"weight,omitempty"`
	WeightRatio float64 `json:"weight_ratio"`
}

// WriteJSON prints the graph as the document whet/graph/1.
func (v *Graph) WriteJSON(w io.Writer) error {
	j := jsonGraph{jsonHead: v.json("graph"), jsonShown: v.shown(v.Shown), DroppedNodes: v.Dropped, DroppedEdges: v.Calls, Of: v.Of, Nodes: []jsonGraphNode{}, Edges: []jsonGraphEdge{}}
	for i, n := range v.Nodes {
		j.Nodes = append(j.Nodes, jsonGraphNode{
			ID: i, Name: n.Name, Function: n.Info.Name, File: n.Info.File, Line: n.Info.Line, Column: n.Info.Column, Address: n.Info.Address,
			Object: n.Info.Object, jsonCosts: v.costs(n.Flat, n.Cum), Tags: v.jsonTags(n.Tags),
		})
	}
	for _, e := range v.Edges {
		j.Edges = append(j.Edges, jsonGraphEdge{From: e.From, To: e.To, jsonWeight: v.weight(e.Weight), Residual: e.Residual, Inlined: e.Inlined})
	}
	return document.Write(w, &j)
}

func (h *Head) weight(weight int64) jsonWeight {
	j := jsonWeight{WeightRatio: h.share(weight)}
	j.WeightNs, j.WeightBytes, j.WeightCount, j.Weight = h.byUnit(weight)
	return j
}

func (v *Graph) jsonTags(tags []GraphTag) []jsonGraphTag {
	var out []jsonGraphTag
	for _, t := range tags {
		j := jsonGraphTag{jsonWeight: v.weight(t.Weight), Passing: t.Passing, Numbers: v.jsonTags(t.Below)}
		if t.Number {
			j.Number = t.Name
		} else {
			j.Labels = strings.Split(t.Name, `\n`)
		}
		out = append(out, j)
	}
	return out
}
