package stat

import "math"

// BinomialPMF returns the probability of exactly k successes in n independent
// trials that succeed with probability p each.
func BinomialPMF(k, n int, p float64) float64 {
	switch {
	case n < 0 || math.IsNaN(p) || p < 0 || p > 1:
		return math.NaN()
	case k < 0 || k > n:
		return 0
	case p == 0:
		return indicator(k == 0)
	case p == 1:
		return indicator(k == n)
	}
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// BinomialCDF returns the probability of at most k successes in n independent
// trials that succeed with probability p each. It is the sum of the
// probabilities of 0 to k; the shorter tail is summed, from its small end, so
// that small probabilities keep their digits.
func BinomialCDF(k, n int, p float64) float64 {
	switch {
	case n < 0 || math.IsNaN(p) || p < 0 || p > 1:
		return math.NaN()
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	if float64(k) <= float64(n)*p {
		sum := 0.0
		for i := range k + 1 {
			sum += BinomialPMF(i, n, p)
		}
		return min(sum, 1)
	}
	return max(0, 1-BinomialSurvival(k+1, n, p))
}

// BinomialSurvival returns the probability of at least k successes in n trials:
// with p the threshold, the one-sided p-value of "the share is above p".
func BinomialSurvival(k, n int, p float64) float64 {
	switch {
	case n < 0 || math.IsNaN(p) || p < 0 || p > 1:
		return math.NaN()
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	if float64(k) >= float64(n)*p {
		sum := 0.0
		for i := n; i >= k; i-- {
			sum += BinomialPMF(i, n, p)
		}
		return min(sum, 1)
	}
	return max(0, 1-BinomialCDF(k-1, n, p))
}

// Choose returns the number of ways to pick k of n things, as a float64: exact as
// long as it is below 2⁵³, +Inf beyond the largest float64.
func Choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	k = min(k, n-k)
	c := 1.0
	for i := 1; i <= k; i++ {
		c = math.Round(c * float64(n-k+i) / float64(i))
		if math.IsInf(c, 1) {
			return c
		}
	}
	return c
}

func logChoose(n, k int) float64 {
	lgamma := func(x int) float64 {
		v, _ := math.Lgamma(float64(x) + 1)
		return v
	}
	return lgamma(n) - lgamma(k) - lgamma(n-k)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
