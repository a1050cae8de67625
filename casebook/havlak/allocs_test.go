//go:build !race

package havlak_test

import (
	"testing"

	"whet/casebook/havlak/havlaktest"
)

// A call of best allocates what it returns, the forest and its two slices, and
// nothing else once the finder has been used.
func TestBestAllocates(t *testing.T) {
	if n := havlaktest.Allocs(stages[len(stages)-1].make); n != 3 {
		t.Errorf("%v allocations per call, want 3", n)
	}
}

// The other stages allocate more, each less than the one before. 2,524 blocks,
// 760 loops: original and dense make a map and a node a block and two maps a
// loop, slices has no map, cached only makes loops.
func TestStepsAllocateLess(t *testing.T) {
	least := map[string]float64{"original": 2*2524 + 3*760, "dense": 2*2524 + 3*760, "slices": 2524 + 760, "cached": 2 * 760}
	before := havlaktest.Allocs(stages[0].make)
	for i, s := range stages[:len(stages)-1] {
		n := havlaktest.Allocs(s.make)
		if n < least[s.name] || i > 0 && n >= before {
			t.Errorf("%s: %v allocations per call, want at least %v and fewer than the %v of the stage before", s.name, n, least[s.name], before)
		}
		before = n
	}
}
