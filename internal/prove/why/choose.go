package why

import (
	"cmp"
	"math"
	"slices"

	"whet/internal/analyze/compare"
)

// Choose picks the benchmarks that changed in any metric, those that changed
// most first; where all is set, the others after them. Sides are for the caller
// to enter.
func Choose(rows []compare.Row, all bool) []Benchmark {
	type candidate struct {
		Benchmark
		changed float64 // largest |log ratio| of a faster or slower row
	}
	var list []candidate
	at := make(map[[2]string]int)
	for i := range rows {
		r := &rows[i]
		id := [2]string{r.Package, r.Name}
		j, ok := at[id]
		if !ok {
			j = len(list)
			at[id] = j
			list = append(list, candidate{Benchmark: Benchmark{Package: r.Package, Name: r.Name}})
		}
		c := &list[j]
		switch r.Metric {
		case compare.NsPerOp:
			c.NsPerOp = max(r.Old, r.New)
		case compare.AllocsPerOp:
			c.AllocsPerOp = max(r.Old, r.New)
		}
		if r.Verdict == compare.Faster || r.Verdict == compare.Slower {
			c.changed = max(c.changed, math.Abs(math.Log(r.Ratio)))
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.changed, a.changed) })
	var out []Benchmark
	for _, c := range list {
		if c.changed > 0 || all {
			out = append(out, c.Benchmark)
		}
	}
	return out
}
