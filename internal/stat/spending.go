package stat

import "math"

// Looking at figures while they come in, and stopping where they look good,
// gives chance several throws. A group-sequential plan fixes the looks
// beforehand and gives each a part of the probability of error; the parts add
// up to the whole (K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983),
// 659–663). How much the looks have in common is not made use of here: they
// are added as if each could err where no other does (Bonferroni). That costs a
// little power and holds for every test whatsoever.

// LinearSpending returns the share of the error that each look may spend: that of
// the information that came in since the look before,
// w(k) = (n(k) − n(k−1))/planned with n(0) = 0. It is the spending function
// α·t^ρ of K. Kim and D. L. DeMets, Biometrika 74 (1987), 149–154, with ρ = 1.
// looks increases and ends at planned at the latest.
func LinearSpending(looks []int, planned int) []float64 {
	w := make([]float64, len(looks))
	before := 0
	for k, n := range looks {
		w[k] = float64(n-before) / float64(planned)
		before = n
	}
	return w
}

// RunShare returns the share of the error that the run-th run of one question may
// spend, counted from 1: 0.8, 0.16, 0.032 … = (1−1/5)·(1/5)^(run−1), together 1
// however often it is asked.
func RunShare(run int) float64 {
	return 0.8 * math.Pow(0.2, float64(max(run, 1)-1))
}

// SequentialP returns the p-value of a hypothesis that was tested with p[k] at the
// looks so far, w[k] being their shares: the smallest p[k]/w[k], at most 1.
// Under the hypothesis it is at most x at any look with probability x at most,
// as the chances of p[k] ≤ x·w[k] add up to no more.
func SequentialP(p, w []float64) float64 {
	smallest := 1.0
	for k := range p {
		smallest = min(smallest, p[k]/w[k])
	}
	return smallest
}
