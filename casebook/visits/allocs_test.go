//go:build !race

// The race detector makes sync.Pool drop what it is given, so that counts of
// allocations mean nothing under it.

package visits_test

import (
	"testing"

	"whet/casebook/visits/visitstest"
)

func TestBestDoesNotAllocate(t *testing.T) {
	best := stages[3].make
	if n := visitstest.AllocsReused(best); n != 0 {
		t.Errorf("%v allocations per call on a reused request, want 0", n)
	}
	for _, query := range []string{
		"name=Gopher&color=teal",
		"color=%230af&name=J%C3%BCrgen+%3C%26%3E%22%0A&x=y",
		"name=Ann",
		"name=%zz&name=Ann;Bob&name=Cid",
	} {
		if n := visitstest.AllocsFresh(best, query); n != 0 {
			t.Errorf("%v allocations per call on a fresh request with %s, want 0", n, query)
		}
	}
}

// The other stages allocate: if this count could not see it, zero would mean
// nothing above.
func TestAllocationsAreSeen(t *testing.T) {
	for i, least := range []float64{15, 15, 1} {
		if n := visitstest.AllocsReused(stages[i].make); n < least {
			t.Errorf("%s: %v allocations per call on a reused request, want at least %v", stages[i].name, n, least)
		}
		if n := visitstest.AllocsFresh(stages[i].make, "name=Gopher&color=teal"); n < least+5 {
			t.Errorf("%s: %v allocations per call on a fresh request, want at least %v", stages[i].name, n, least+5)
		}
	}
}
