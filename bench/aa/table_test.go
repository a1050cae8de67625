package main

import (
	"testing"

	"whet/bench/ledger/tabletest"
	"whet/internal/analyze/compare"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "aa", "aa", render)
}

func TestCount(t *testing.T) {
	noise := 0.01
	c := count([]Proof{
		{Mode: same, Rows: []compare.Row{{Verdict: compare.Faster, Ratio: 1.25, NoiseRatio: &noise}, {Verdict: compare.Slower, Ratio: 0.5}}},
		{Mode: same, Rows: []compare.Row{{Verdict: compare.NoChange, Ratio: 1}, {Verdict: compare.CannotTell, Ratio: 1.1}}},
		{Mode: copied, Rows: []compare.Row{{Verdict: compare.Faster, Ratio: 9}}},
	}, same)
	// 0.5 is as far from 1 as 2 is: a difference of 100 %.
	if c.proofs != 2 || c.wrong != 1 || c.rows != 4 || c.different != 2 || c.noChange != 1 || c.cannotTell != 1 || c.largest < 0.999999 || c.largest > 1.000001 || len(c.noise) != 1 {
		t.Errorf("counts = %+v", c)
	}
}
