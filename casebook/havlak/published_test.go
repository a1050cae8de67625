//go:build !race

// Under the race detector the table of tests has graphs of 760 loops, which are
// the same rows and nests.

package havlak_test

import (
	"testing"

	"whet/casebook/havlak"
	"whet/casebook/havlak/havlaktest"
)

// TestPublishedGraph: 10 rows × 100 nests × (25 × 3 + 1) = 76,000 loops, in
// 3 + 10 × (1 + 100 × 252) blocks.
func TestPublishedGraph(t *testing.T) {
	g, err := havlak.Nested(havlak.Rows, havlak.Nests)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for range g.Edges() {
		edges++
	}
	if g.Blocks() != 252_013 || edges != 378_021 {
		t.Fatalf("%d blocks and %d edges, want 252013 and 378021", g.Blocks(), edges)
	}
	want := havlaktest.ByArithmetic(havlak.Rows, havlak.Nests)
	for _, s := range stages {
		t.Run(s.name, func(t *testing.T) {
			found := s.make(g).Find()
			if found.Len() != 76_001 {
				t.Errorf("%d loops with the root, want 76001", found.Len())
			}
			if got, err := havlaktest.See(found, g.Blocks()); err != nil || !got.Equal(want) {
				t.Errorf("loops or blocks are not where they belong, %v", err)
			}
		})
	}
}
