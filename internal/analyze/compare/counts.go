package compare

import (
	"fmt"
	"math"

	"whet/internal/quantity"
	"whet/internal/stat"
)

// Package testing counts all allocations of a run, divides by the iterations
// and cuts off the fraction: k per operation stands for anything from k to just
// below k + 1, and the same goes for bytes. The ratio of two counts therefore
// lies between countLow and countHigh.
//
// For large counts that hardly matters; for small ones it is the whole
// question: 1.95 and 1.05 are both printed as 1. Bytes and allocations are
// rounded each on their own, though, and usually move together. So where the
// rounding of one leaves the verdict open, the other one may settle it (settle).
// That is evidence, not proof: half an allocation less of twice the size would
// be taken for no change.
const cutOff = 1

func countLow(old, new float64) float64  { return Ratio(old, new+cutOff) }
func countHigh(old, new float64) float64 { return Ratio(old+cutOff, new) }

// exact judges counts that never vary within a side, by themselves.
func (c *comparison) exact(r *Row) {
	r.Exact = true
	r.Ratio, r.RatioLow, r.RatioHigh = Ratio(r.Old, r.New), countLow(r.Old, r.New), countHigh(r.Old, r.New)
	r.Coverage = exactCoverage(r.Rounds)
	zero := 0.0
	r.NoiseRatio = &zero
	switch {
	case r.Coverage < c.confidence:
		r.Verdict, r.Reason = CannotTell, fmt.Sprintf("%s: too few to be sure that it never varies", rounds(r.Rounds))
	default:
		r.Verdict = c.judge(r) // where it cannot tell, the other count may settle it
	}
}

// exactCoverage is how sure it is after so many rounds that two values which
// never varied are not of one distribution. Old was seen twice in every round.
func exactCoverage(rounds int) float64 { return 1 - stat.SeparationP(2*rounds, rounds) }

// settle judges the counts whose rounding leaves open what happened by the
// other count of the benchmark.
func (c *comparison) settle(bytes, allocs *Row) {
	if none(bytes) && none(allocs) {
		// No byte in any operation: there is no fraction of an allocation either.
		for _, r := range []*Row{bytes, allocs} {
			r.RatioLow, r.RatioHigh = 1, 1
		}
	}
	b, a := *bytes, *allocs
	c.settleBy(bytes, &a)
	c.settleBy(allocs, &b)
}

func none(r *Row) bool { return r.Exact && r.Old == 0 && r.New == 0 }

func (c *comparison) settleBy(r, other *Row) {
	if !r.Exact || r.Verdict != CannotTell || r.Reason != "" {
		return
	}
	sure := other.Rounds > 0 && other.Coverage >= c.confidence
	switch {
	case r.Old == r.New && sure && c.agree(other):
		r.Verdict = NoChange
	case r.Old > r.New && sure && other.RatioLow > 1+c.o.Margin:
		r.Verdict = Faster
	case r.Old < r.New && sure && other.RatioHigh < 1/(1+c.o.Margin):
		r.Verdict = Slower
	default:
		what, by := "allocations", "bytes"
		if r.Metric == BytesPerOp {
			what, by = by, what
		}
		r.Reason = fmt.Sprintf("counted in whole %s, rounded down: old lies between %s and %s, new between %s and %s, and the %s per operation do not settle it",
			what, quantity.Count(r.Old), quantity.Count(r.Old+cutOff), quantity.Count(r.New), quantity.Count(r.New+cutOff), by)
	}
}

// agree reports whether both sides show as much of the other count: within the
// margin, or no further apart than its own rounding makes equal things look,
// which is one. Without that every benchmark of one small allocation would be
// left without a verdict, though nothing differs. A count that never varies is
// taken as it was printed; of one that does, the whole interval has to agree.
func (c *comparison) agree(other *Row) bool {
	if other.Exact {
		return c.within(other.Ratio, other.Ratio) || math.Abs(other.Old-other.New) <= cutOff
	}
	// Equal things show least and least+1 in turns; each cut off, they are less
	// than two apart.
	least := min(other.Old, other.New) - cutOff
	jitter := least > 0 && other.RatioLow >= least/(least+2*cutOff) && other.RatioHigh <= (least+2*cutOff)/least
	return jitter || c.within(other.RatioLow, other.RatioHigh)
}

// sampled is the median ratio with its interval. For counts each pair's ratio
// is known only up to the rounding; as the bounds of the interval are order
// statistics, those of the smallest possible ratios and of the largest ones
// enclose those of the true ratios.
func (c *comparison) sampled(m Metric, old, new []float64) stat.Interval {
	iv := logInterval(ratios(old, new), c.confidence)
	if m.Kind != Count {
		return iv
	}
	low, high := make([]float64, len(old)), make([]float64, len(old))
	for i := range old {
		low[i], high[i] = countLow(old[i], new[i]), countHigh(old[i], new[i])
	}
	iv.Low, iv.High = logInterval(low, c.confidence).Low, logInterval(high, c.confidence).High
	return iv
}
