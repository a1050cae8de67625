package capacity

import "math"

// Law is the universal scalability law with its coefficients.
type Law struct {
	Lambda float64 // throughput of one client
	Sigma  float64 // contention
	Kappa  float64 // coherency
}

// At returns the throughput of n clients.
func (l Law) At(n float64) float64 {
	return l.Lambda * n / (1 + l.Sigma*(n-1) + l.Kappa*n*(n-1))
}

// Peak returns the concurrency √((1−σ)/κ) of the highest throughput. ok is false
// where there is none: throughput rises on and on, or falls from the first client
// on.
func (l Law) Peak() (n float64, ok bool) {
	if l.Kappa <= 0 || l.Sigma >= 1 {
		return math.NaN(), false
	}
	return math.Sqrt((1 - l.Sigma) / l.Kappa), true
}

// Limit returns the limit of the throughput if κ is 0: λ/σ, and +Inf if σ is 0 too.
// If κ is not 0 it is the limit that contention alone would set.
func (l Law) Limit() float64 { return l.Lambda / l.Sigma }
