package view

import (
	"slices"
	"testing"
)

// TestHotPath: up from the node with the most flat along the heaviest calls, through
// recursion once, and no further where every node is called.
func TestHotPath(t *testing.T) {
	v := &Graph{
		Nodes: []GraphNode{{Flat: 3}, {Flat: 1}, {Flat: 70}, {Flat: 6}, {Flat: 9}},
		Edges: []GraphEdge{
			{From: 0, To: 2, Weight: 20}, {From: 1, To: 4, Weight: 90}, {From: 1, To: 2, Weight: 10}, {From: 4, To: 4, Weight: 80},
			{From: 4, To: 2, Weight: 15}, {From: 4, To: 3, Weight: 50}, {From: 3, To: 4, Weight: 95}, {From: 3, To: 2, Weight: 25}, {From: 2, To: 2, Weight: 99},
		},
	}
	nodes, edges := v.hotPath()
	if !slices.Equal(nodes, []int{1, 4, 3, 2}) || !slices.Equal(edges, []int{1, 5, 7}) {
		t.Errorf("nodes %v, edges %v", nodes, edges)
	}
	round := &Graph{Nodes: []GraphNode{{Flat: 5}, {Flat: -9}}, Edges: []GraphEdge{{From: 0, To: 1, Weight: -4}, {From: 1, To: 0, Weight: 3}}}
	if nodes, edges := round.hotPath(); !slices.Equal(nodes, []int{0, 1}) || !slices.Equal(edges, []int{0}) {
		t.Errorf("round: nodes %v, edges %v", nodes, edges)
	}
	if nodes, edges := (&Graph{}).hotPath(); nodes == nil || edges == nil || len(nodes)+len(edges) > 0 {
		t.Errorf("of nothing: %v, %v", nodes, edges)
	}
}
