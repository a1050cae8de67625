package stat

import (
	"math"
	"sort"
)

// SignedRanks is the distribution that Wilcoxon's signed-rank statistic W has
// for n pairs without a difference: the sum of those of the ranks 1 … n that a
// fair coin chooses, one throw a rank.
type SignedRanks struct {
	n int
	// below[w] is P(W ≤ w); nil for more than exactPairs pairs.
	below []float64
}

// exactPairs is the largest number of pairs whose distribution is counted out;
// beyond it the normal one with a correction for continuity stands for it. For
// probabilities of 0.01 and less that errs on the safe side, as the tails of W
// are lighter. At 300 pairs the normal one gives up to 4 % more than a probability
// of 0.001, and up to 30 % more than one of 1e-6.
const exactPairs = 300

// NewSignedRanks counts the distribution out, for n ≥ 0 pairs: of n ranks, the
// chance of a sum w is half that of w and half that of w − n of n − 1 ranks.
func NewSignedRanks(n int) *SignedRanks {
	s := &SignedRanks{n: max(n, 0)}
	if s.n > exactPairs {
		return s
	}
	p := make([]float64, s.Most()+1)
	p[0] = 1
	sum := 0
	for rank := 1; rank <= s.n; rank++ {
		sum += rank
		for w := sum; w >= 0; w-- {
			p[w] /= 2
			if w >= rank {
				p[w] += p[w-rank] / 2
			}
		}
	}
	for w := 1; w < len(p); w++ {
		p[w] += p[w-1]
	}
	s.below = p
	return s
}

// Most returns the largest value of W, n(n+1)/2.
func (s *SignedRanks) Most() int { return s.n * (s.n + 1) / 2 }

// AtLeast is P(W ≥ w). It is read off the lower tail, which is its mirror
// image, so that small probabilities keep their digits.
func (s *SignedRanks) AtLeast(w int) float64 {
	switch {
	case w <= 0:
		return 1
	case w > s.Most():
		return 0
	case s.below != nil:
		return min(s.below[s.Most()-w], 1)
	}
	n := float64(s.n)
	mean, sd := n*(n+1)/4, math.Sqrt(n*(n+1)*(2*n+1)/24)
	return math.Erfc((float64(w)-0.5-mean)/sd/math.Sqrt2) / 2
}

// Critical returns the smallest w with P(W ≥ w) ≤ a; Most()+1 where there is none.
func (s *SignedRanks) Critical(a float64) int {
	return sort.Search(s.Most()+1, func(w int) bool { return s.AtLeast(w) <= a })
}

// Differences are the differences of n independent pairs. If nothing differs
// but by chance, each of them is as likely to be d as −d, whatever its
// distribution; the tests and bounds here suppose that, about a centre, and
// nothing else.
//
// The statistic. W counts the pairs i ≤ j whose Walsh average (d_i + d_j)/2
// lies above the centre that is tested. Where no two differences from the
// centre are of the same size and none is zero that is the sum of the ranks of
// the positive ones (J. W. Tukey 1949; M. Hollander and D. A. Wolfe,
// Nonparametric Statistical Methods, 2nd ed., Wiley 1999, section 3.1 and
// comment 17). So the centres that a one-sided test does not reject are those
// from the (N−c+1)-th smallest Walsh average on, with N = n(n+1)/2 and c the
// critical value: the bound and the test are the same thing, and say the same
// to the last bit.
//
// Zeros and ties. Only averages strictly above count. So a zero counts for
// nothing, and of two differences of the same size and unlike signs the one
// that speaks against the centre has the higher rank: W is then at most what
// any way of breaking the ties would give, and the distribution without ties
// bounds its tail from above. Both sides of a test err in this direction:
// the answers to "above" and "below" claim less than the data show, never more. Midranks, the usual way, are as exact and lose less; but their
// distribution depends on which differences are tied, that depends on the
// centre, and test and interval would no longer be one thing. What is lost is
// little where ties are few (a test compares both). Dropping the zeros, as Wilcoxon did,
// would make two equal sides with one round that differs look certain.
type Differences struct {
	d    []float64 // ascending
	null *SignedRanks
}

// NewDifferences takes finite differences, and the distribution for as many
// pairs, which many can share.
func NewDifferences(d []float64, null *SignedRanks) Differences {
	return Differences{d: sorted(d), null: null}
}

// Greater returns the one-sided p-value of a centre of at most theta: small when the
// differences lie above it.
func (d Differences) Greater(theta float64) float64 { return d.null.AtLeast(d.walsh(theta, false)) }

// Less returns the one-sided p-value of a centre of at least theta.
func (d Differences) Less(theta float64) float64 {
	return d.null.AtLeast(d.null.Most() - d.walsh(theta, true))
}

// walsh counts the Walsh averages above theta, and with at those that equal it
// too. One pass: as i grows, the smallest j with d_i + d_j above falls.
func (d Differences) walsh(theta float64, at bool) int {
	n, count := len(d.d), 0
	j := n
	for i := range n {
		for j > 0 && (d.d[i]+d.d[j-1] > 2*theta || at && d.d[i]+d.d[j-1] == 2*theta) {
			j--
		}
		count += n - max(i, j)
	}
	return count
}
