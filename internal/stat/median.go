package stat

import "math"

// Interval is an estimate with bounds.
type Interval struct {
	Center, Low, High float64
	// Coverage is the probability that such an interval contains the true value: at
	// least the requested confidence, unless there are too few values. It is 0 if there
	// is no interval.
	Coverage float64
}

// MedianRanks gives the interval for the median of n independent values at
// the given confidence: from the l-th smallest to the l-th largest, ranks
// counted from 1, and its exact coverage.
//
// The interval misses the median only when fewer than l values lie on one side
// of it, which each value does with probability 1/2. So coverage is
// 1 − 2·P(B ≤ l−1) with B binomial(n, 1/2), for every continuous
// distribution, and more where values are tied. l is the largest rank whose
// coverage is at least the confidence. When even the smallest and largest value
// do not reach it, l is 1 and coverage is below the confidence.
func MedianRanks(n int, confidence float64) (l int, coverage float64) {
	if n < 1 {
		return 0, 0
	}
	cover := func(l int) float64 { return max(0, 1-2*BinomialCDF(l-1, n, 0.5)) }
	l = 1
	for 2*(l+1) <= n+1 && 2*BinomialCDF(l, n, 0.5) <= (1-confidence)*(1+1e-12) {
		l++
	}
	return l, cover(l)
}

// MedianValues returns the smallest number of values whose range covers the median
// with the given confidence: the smallest n with 2·2⁻ⁿ ≤ 1 − confidence.
// There is none for a confidence of 1 or more; it is MaxInt then.
func MedianValues(confidence float64) int {
	alpha := 1 - confidence
	if !(alpha > 0) {
		return math.MaxInt
	}
	n := 1
	for 2*math.Exp2(-float64(n)) > alpha*(1+1e-12) {
		n++
	}
	return n
}

// MedianInterval returns the median of independent values with its distribution-free
// interval. If there are too few values for the confidence, the bounds are the smallest
// and the largest value and Coverage is their actual confidence.
func MedianInterval(values []float64, confidence float64) Interval {
	x := sorted(values)
	n := len(x)
	if n == 0 || math.IsNaN(x[0]) {
		return Interval{Center: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	l, coverage := MedianRanks(n, confidence)
	return Interval{Center: QuantileSorted(x, 0.5), Low: x[l-1], High: x[n-l], Coverage: coverage}
}

// RatioInterval returns the median of the ratios old[i]/new[i] of paired
// measurements, with its interval. It is taken on the logarithms, so that
// exchanging old and new gives exactly the reciprocal, also where the median is
// the mean of two middle values (their geometric mean, then). All values must
// be positive and the slices equally long, else the result is NaN.
func RatioInterval(old, new []float64, confidence float64) Interval {
	nan := Interval{Center: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if len(old) != len(new) || len(old) == 0 {
		return nan
	}
	logs := make([]float64, len(old))
	for i := range old {
		if !(old[i] > 0) || !(new[i] > 0) || math.IsInf(old[i], 1) || math.IsInf(new[i], 1) {
			return nan
		}
		logs[i] = math.Log(old[i]) - math.Log(new[i])
	}
	m := MedianInterval(logs, confidence)
	return Interval{Center: math.Exp(m.Center), Low: math.Exp(m.Low), High: math.Exp(m.High), Coverage: m.Coverage}
}

// SeparationP returns the probability that n values and m others of one
// distribution fall apart into two groups by chance, all of the one below all
// of the other: 2/C(n+m, n), the smallest two-sided p-value of any rank test
// for two samples (Mann and Whitney, Annals of Mathematical Statistics 18
// (1947), 50–60). It judges counts that never vary within a side.
func SeparationP(n, m int) float64 {
	if n < 1 || m < 1 {
		return 1
	}
	return min(1, 2/Choose(n+m, n))
}
