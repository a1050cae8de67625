package tables

import (
	"math"
	"slices"
)

// rankSumLimit is the size of a sample up to which benchmath's test is exact
// where values are equal; above it, it approximates, and rightly so.
const rankSumLimit = 25

// needsRankSum reports whether benchmath's p-value is not to be had: of samples
// of different sizes with equal values among them it takes the lower tail of a
// distribution that is not symmetric for both. One value of 1 against 0, 0, 2,
// 0, 0, 0, 0 gets p = 0 from it, and one of 1 against 1 and 2 gets 4/3.
func needsRankSum(a, b []float64) bool {
	if len(a) == len(b) || len(a) > rankSumLimit || len(b) > rankSumLimit {
		return false
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return len(slices.Compact(all)) < len(a)+len(b)
}

// rankSum returns the exact p-value of the Mann-Whitney U-test (Wilcoxon's rank sum)
// whatever values are equal: the share of all ways to divide the values into
// samples of these sizes whose rank sum is at least as far from its mean as
// the one at hand. Equal values share the mean of their ranks.
//
// ways[k][s] counts the ways to take k values with doubled ranks summing to s,
// of the groups of equal values so far: of a group of t, j values are taken in
// t-over-j ways and add j times its rank. Counts stay below 50-over-25, which
// is less than 2^53, so that they are exact in a float64.
func rankSum(a, b []float64) float64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	n, total := len(a), len(all)
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, 2*total*n+1)
	}
	ways[0][0] = 1
	have := 0 // doubled rank sum of a
	for from := 0; from < total; {
		to := from
		for to < total && all[to] == all[from] {
			to++
		}
		size, rank := to-from, from+1+to // doubled: first rank from+1, last to
		for _, v := range a {
			if v == all[from] {
				have += rank
			}
		}
		// From above, so that a value is not taken twice.
		for k := n; k > 0; k-- {
			choose := 1.0
			for j := 1; j <= min(size, k); j++ {
				choose = choose * float64(size-j+1) / float64(j)
				for s, w := range ways[k-j] {
					if w > 0 {
						ways[k][s+j*rank] += choose * w
					}
				}
			}
		}
		from = to
	}
	mean := n * (total + 1) // of the doubled rank sum
	far := math.Abs(float64(have - mean))
	extreme, count := 0.0, 0.0
	for s, w := range ways[n] {
		count += w
		if math.Abs(float64(s-mean)) >= far {
			extreme += w
		}
	}
	return extreme / count
}
