//go:build !race

package avatar_test

import (
	"testing"

	"whet/casebook/avatar/avatartest"
)

// What best answers from its cache allocates nothing; a count that could not
// see allocations would see none in the other stages either.
func TestBestDoesNotAllocate(t *testing.T) {
	for _, query := range []string{"", "size=64", "size=064"} {
		for i, least := range []float64{20, 8, 8, 3, 0} {
			n := avatartest.AllocsHit(t, stages[i].make, query)
			if n < least || stages[i].name == "best" && n != 0 {
				t.Errorf("%s with %q: %v allocations for an answer at hand, want %v", stages[i].name, query, n, least)
			}
		}
	}
}
