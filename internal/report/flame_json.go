package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// The document whet/flame/1: a call tree for each profile, nodes in columns, a
// parent before its children. A node's value is its cum.
type jsonFlameDocument struct {
	Schema   string          `json:"schema"`
	Warnings []string        `json:"warnings"`
	Flames   []jsonFlameTree `json:"flames"`
}

type jsonFlameTree struct {
	Kind      string          `json:"kind"`
	Benchmark string          `json:"benchmark"`
	Column    string          `json:"sample_type"`
	Unit      string          `json:"unit"`
	Nodes     []jsonFlameNode `json:"nodes"`
}

type jsonFlameNode struct {
	Function  string `json:"function"`
	File      string `json:"file"`
	Parent    int    `json:"parent"` // index into nodes, -1 for the root
	Value     int64  `json:"value"`  // in the tree's unit
	Collapsed int    `json:"collapsed,omitempty"`
}

// WriteFlameJSON writes the call trees of the profiles as one JSON document.
// Profiles without samples are left out.
func WriteFlameJSON(w io.Writer, profiles []Profile, warnings []string) error {
	d := jsonFlameDocument{Schema: "whet/flame/1", Warnings: append([]string{}, warnings...), Flames: []jsonFlameTree{}}
	for _, p := range profiles {
		if p.Flame == nil {
			continue
		}
		t := jsonFlameTree{Kind: p.Kind, Benchmark: p.Benchmark, Column: p.Column, Unit: p.Unit, Nodes: make([]jsonFlameNode, len(p.Flame.Nodes))}
		for i, n := range p.Flame.Nodes {
			t.Nodes[i] = jsonFlameNode{Function: p.Flame.Names[n.Name], File: p.Flame.Files[n.Name], Parent: n.Parent, Value: n.Value, Collapsed: n.Collapsed}
		}
		d.Flames = append(d.Flames, t)
	}
	data, err := json.Marshal(&d)
	if err != nil {
		return fmt.Errorf("write flame graph as JSON: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
