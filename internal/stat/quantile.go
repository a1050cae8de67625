package stat

import (
	"math"
	"slices"
)

// Median returns the middle value, or the mean of the two middle ones. It is NaN
// for no values.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// Quantile returns the q-quantile, q in [0,1], by definition 7 of Hyndman and Fan:
// with the n values sorted as x(1) … x(n) and h = (n−1)q + 1, it is
// x(⌊h⌋) + (h−⌊h⌋)·(x(⌊h⌋+1) − x(⌊h⌋)). It is NaN for no values, for a NaN
// among them and for q outside [0,1]. The values keep their order.
func Quantile(values []float64, q float64) float64 {
	return QuantileSorted(sorted(values), q)
}

// QuantileSorted is Quantile of values in ascending order.
func QuantileSorted(x []float64, q float64) float64 {
	if len(x) == 0 || !(q >= 0 && q <= 1) || math.IsNaN(x[0]) {
		return math.NaN()
	}
	h := float64(len(x)-1) * q
	i := min(int(h), len(x)-1)
	f := h - float64(i)
	if f == 0 || x[i] == x[i+1] {
		return x[i]
	}
	if f == 0.5 { // halves first: the sum of two large values may overflow
		return x[i]/2 + x[i+1]/2
	}
	return x[i]*(1-f) + x[i+1]*f
}

// sorted returns the values in ascending order, NaN first.
func sorted(values []float64) []float64 {
	x := slices.Clone(values)
	slices.Sort(x)
	return x
}
