//go:build !race

// The race detector makes sync.Pool drop what it is given, so that counts of
// allocations mean nothing under it.

package stats_test

import (
	"testing"

	"whet/casebook/stats/statstest"
)

func TestBestAllocatesTheNameAlone(t *testing.T) {
	best := named(t, "best").make
	if n := statstest.AllocsName(best); n != 1 {
		t.Errorf("%v allocations per name, want 1", n)
	}
	if n := statstest.AllocsAdvance(best); n != 0 {
		t.Errorf("%v allocations per request, want 0", n)
	}
}

// The other stages allocate: if this count could not see it, the ones above
// would mean nothing. What they had when they were published stands in the
// README; these are the counts of today's compiler and library.
func TestAllocationsAreSeen(t *testing.T) {
	for name, least := range map[string]float64{"original": 5, "byteloop": 4, "prealloc": 4, "buffer": 2, "pool": 1} {
		s := named(t, name)
		got := statstest.AllocsName(s.make)
		if got < least {
			t.Errorf("%s: %v allocations per name, want at least %v", name, got, least)
		}
		if n := statstest.AllocsAdvance(s.make); n < got {
			t.Errorf("%s: %v allocations per request, want at least the %v of its name", name, n, got)
		}
	}
}

// Each published step allocates no more than the one before.
func TestStepsAllocateLess(t *testing.T) {
	before := statstest.AllocsName(stages[0].make)
	for _, s := range stages[1:] {
		n := statstest.AllocsName(s.make)
		if n > before {
			t.Errorf("%s: %v allocations per name, the stage before %v", s.name, n, before)
		}
		before = n
	}
}
