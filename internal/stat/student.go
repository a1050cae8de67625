package stat

import "math"

// StudentCDF returns the probability that Student's t with f ≥ 1 degrees of freedom
// is at most t. With θ = atan(t/√f) it is (1 + A)/2, where A is a finite sum of
// powers of cos θ for whole f (M. Abramowitz and I. A. Stegun, Handbook of
// Mathematical Functions, 26.7.3 and 26.7.4):
//
//	f odd:  A = 2/π·(θ + sin θ·(cos θ + 2/3·cos³θ + … )), 2θ/π for f = 1
//	f even: A = sin θ·(1 + 1/2·cos²θ + 1·3/(2·4)·cos⁴θ + … )
//
// with the last power f − 2.
func StudentCDF(t float64, f int) float64 {
	if f < 1 || math.IsNaN(t) {
		return math.NaN()
	}
	theta := math.Atan(t / math.Sqrt(float64(f)))
	sin, cos := math.Sincos(theta)
	term, power := 1.0, 0
	if f%2 == 1 {
		term, power = cos, 1
	}
	sum := 0.0
	for ; power <= f-2; power += 2 {
		sum += term
		term *= cos * cos * float64(power+1) / float64(power+2)
	}
	a := sin * sum
	if f%2 == 1 {
		a = 2 / math.Pi * (theta + a)
	}
	return min(max((1+a)/2, 0), 1)
}

// StudentQuantile returns the t that Student's t with f ≥ 1 degrees of freedom
// exceeds with probability 1 − p, for p between 0 and 1: half the width of an
// interval for a mean in units of its standard error, with p = (1+confidence)/2.
func StudentQuantile(p float64, f int) float64 {
	if !(p > 0 && p < 1) || f < 1 {
		return math.NaN()
	}
	// On the angle, which is bounded: t = √f·tan θ.
	low, high := -math.Pi/2, math.Pi/2
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if StudentCDF(math.Sqrt(float64(f))*math.Tan(mid), f) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Sqrt(float64(f)) * math.Tan(high)
}
