package stat

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts the p-values of tests that are read together: rejecting all
// hypotheses whose adjusted value is at most alpha rejects a true one with
// probability at most alpha, however the tests depend on each other. With the
// m values sorted ascending, the i-th becomes the largest of (m−j+1)·p(j) over
// j ≤ i, at most 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, float64(len(p)-rank)*p[i])
		out[i] = math.Min(largest, 1)
	}
	return out
}
