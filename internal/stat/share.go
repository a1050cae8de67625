package stat

import "math"

// ClopperPearson returns the exact interval for a share seen in k of n independent
// trials: it contains the true share with at least the given confidence, whatever the
// share is. Its bounds solve P(B ≥ k | low) = P(B ≤ k | high) = (1−confidence)/2 for B
// binomial.
func ClopperPearson(k, n int, confidence float64) Interval {
	if n < 1 || k < 0 || k > n || !(confidence > 0 && confidence < 1) {
		return Interval{Center: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	tail := (1 - confidence) / 2
	iv := Interval{Center: float64(k) / float64(n), Low: 0, High: 1, Coverage: confidence}
	if k > 0 {
		iv.Low = bisect(func(p float64) bool { return BinomialSurvival(k, n, p) >= tail })
	}
	if k < n {
		iv.High = bisect(func(p float64) bool { return BinomialCDF(k, n, p) <= tail })
	}
	return iv
}

// ShareUpper returns the one-sided Clopper–Pearson bound: the true share lies below
// it with at least the given confidence.
func ShareUpper(k, n int, confidence float64) float64 {
	if n < 1 || k < 0 || k > n || !(confidence > 0 && confidence < 1) {
		return math.NaN()
	}
	if k == n {
		return 1
	}
	return bisect(func(p float64) bool { return BinomialCDF(k, n, p) <= 1-confidence })
}

// Wilson returns the score interval for a share. With z the normal quantile of
// 1−(1−confidence)/2 and s = k/n, its bounds are
// (s + z²/2n ± z·√(s(1−s)/n + z²/4n²)) / (1 + z²/n).
// It is shorter than ClopperPearson's and holds the true share with about the
// given confidence, on average over shares: less for some.
func Wilson(k, n int, confidence float64) Interval {
	if n < 1 || k < 0 || k > n || !(confidence > 0 && confidence < 1) {
		return Interval{Center: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	z := math.Sqrt2 * math.Erfinv(confidence)
	N, s := float64(n), float64(k)/float64(n)
	middle := (s + z*z/(2*N)) / (1 + z*z/N)
	half := z * math.Sqrt(s*(1-s)/N+z*z/(4*N*N)) / (1 + z*z/N)
	iv := Interval{Center: s, Low: max(0, middle-half), High: min(1, middle+half), Coverage: confidence}
	// The formula gives these exactly; floating point nearly so.
	if k == 0 {
		iv.Low = 0
	}
	if k == n {
		iv.High = 1
	}
	return iv
}

// bisect finds the smallest p in [0,1] for which above holds; above must hold
// from some p on.
func bisect(above func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if above(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
