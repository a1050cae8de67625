//go:build !race

// The race detector makes sync.Pool drop what it is given, so that counts of
// allocations mean nothing under it.

package visits_test

import (
	"testing"

	"whet/casebook/visits/visitstest"
)

func TestBestDoesNotAllocate(t *testing.T) {
	best := named(t, "best").make
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
// nothing above. What they had when they were published stands in the README;
// these are the counts of today's libraries.
func TestAllocationsAreSeen(t *testing.T) {
	for name, least := range map[string]float64{"original": 15, "fprintf": 15, "pool": 15, "logbuf": 7, "zerolog": 3, "appended": 1, "final": 1} {
		s := named(t, name)
		if n := visitstest.AllocsReused(s.make); n < least {
			t.Errorf("%s: %v allocations per call on a reused request, want at least %v", name, n, least)
		}
		if n := visitstest.AllocsFresh(s.make, "name=Gopher&color=teal"); n < least+5 {
			t.Errorf("%s: %v allocations per call on a fresh request, want at least %v", name, n, least+5)
		}
	}
}

// Each published step allocates no more than the one before.
func TestStepsAllocateLess(t *testing.T) {
	before := visitstest.AllocsReused(stages[0].make)
	for _, s := range stages[1:] {
		n := visitstest.AllocsReused(s.make)
		if n > before {
			t.Errorf("%s: %v allocations per call, the stage before %v", s.name, n, before)
		}
		before = n
	}
}
