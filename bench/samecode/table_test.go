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

// A benchmark is called different if its wall or CPU time is faster or slower, and
// counts if there were enough rounds for that.
func TestDifferent(t *testing.T) {
	row := func(name, metric string, v compare.Verdict) compare.Row {
		return compare.Row{Name: name, Metric: metric, Verdict: v, Look: 1, RatioHigh: 1.1}
	}
	few := row("few", compare.NsPerOp, compare.CannotTell)
	few.RatioHigh = compare.MaxRatio
	none := row("none", compare.NsPerOp, compare.Faster)
	none.Look = 0
	n, wrong := different([]compare.Row{
		row("a", compare.NsPerOp, compare.NoChange), row("a", compare.CPUNsPerOp, compare.Faster), row("b", compare.NsPerOp, compare.Slower), row("b", compare.CPUNsPerOp, compare.Slower),
		row("c", compare.NsPerOp, compare.CannotTell), row("d", compare.NsPerOp, compare.NoChange), row("e", compare.BytesPerOp, compare.Faster), few, none,
	})
	if n != 4 || wrong != 2 {
		t.Errorf("%d of %d are different", wrong, n)
	}
	if n, wrong := different([]compare.Row{{Package: "p", Name: "a", Metric: compare.NsPerOp, Look: 1}, {Package: "q", Name: "a", Metric: compare.NsPerOp, Look: 1}}); n != 2 || wrong != 0 {
		t.Errorf("%d of %d of two packages are different", wrong, n)
	}
}

// Each lot is measured once.
func TestNext(t *testing.T) {
	changes := []Change{{New: "a", lots: []lot{{"p", []string{"x", "y"}}, {"q", []string{"z"}}}}, {New: "b"}, {New: "c", lots: []lot{{"p", []string{"x"}}}}}
	seen := make(map[string]bool)
	for range 3 {
		c, l := next(changes)
		if c == nil {
			t.Fatal("no lot")
		}
		seen[c.New+" "+l.pkg] = true
	}
	if c, _ := next(changes); c != nil || len(seen) != 3 {
		t.Errorf("%v, and one more of %v", seen, c)
	}
}
