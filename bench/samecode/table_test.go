package main

import (
	"testing"

	"whet/bench/ledger/tabletest"
	"whet/internal/analyze/compare"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "samecode", "samecode", render)
}

// What is faster or slower is called different, and nothing else is.
func TestDifferent(t *testing.T) {
	n, wrong := different([]compare.Row{{Verdict: compare.Faster}, {Verdict: compare.Slower}, {Verdict: compare.NoChange}, {Verdict: compare.CannotTell}})
	if n != 4 || wrong != 2 {
		t.Errorf("%d of %d are different", wrong, n)
	}
}
