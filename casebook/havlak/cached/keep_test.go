package cached

import (
	"testing"

	"whet/casebook/havlak/havlaktest"
)

// The memory that is kept does not hold the loops that were found.
func TestKeepsNothingFound(t *testing.T) {
	g := havlaktest.Small()
	f := New(g)
	f.Find()
	if f.spare == nil || cap(f.spare.nodes) != g.Blocks() {
		t.Fatal("nothing was kept")
	}
	for i, n := range f.spare.nodes[:g.Blocks()] {
		if n.loop != nil {
			t.Fatalf("node %d holds the loop of block %d", i, n.loop.header.id)
		}
	}
}
