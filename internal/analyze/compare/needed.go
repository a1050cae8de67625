package compare

import (
	"math"

	"whet/internal/stat"
)

// Requirement is the number of rounds and the time that a verdict would take.
type Requirement struct {
	Rounds int   `json:"rounds"` // in all, those measured included
	Ns     int64 `json:"ns"`     // to measure as many of this benchmark alone; 0: unknown
}

// How sure the promise is, and how far it looks ahead.
const (
	chance     = 0.8 // of a verdict after that many rounds
	spreadAt   = 0.8 // confidence of the interval that the spread is taken from
	mostAhead  = 50  // times the rounds that were measured; beyond it nothing is promised
	leastKnown = 6   // rounds below which the spread is not known
)

// needed estimates the rounds that a verdict would take from the spread of
// those there are. With e the estimate of log(ratio) from n rounds, h the
// half-width of its interval at the confidence 0.8, and q(p) the p-quantile of
// the normal distribution, e has about the standard deviation h/q(0.9), and
// after N rounds √(n/N) of that. The interval at the level a reaches q(1−a/2) of
// those to each side. So it excludes 1 with a chance of 0.8 where e is
// q(1−a/2) + q(0.8) of them away from 0, and lies within the margin m where e is
// q(1−b/2) + q(0.8) of them away from log(1+m), with a and b the levels of its two
// intervals:
//
//	N = n · ((q(1−a/2) + q(0.8)) · h / (q(0.9)·|e|))²
//	N = n · ((q(1−b/2) + q(0.8)) · h / (q(0.9)·(log(1+m) − |e|)))²
//
// of which the verdict that is nearer is promised; that of a difference only where |e| is
// at least twice its standard deviation, as else it would be promised to noise. The levels
// are those of a further run's last look at this row's step, so that N
// does for a second run that is pooled with this one, and a little more than
// does for one long run instead.
//
// It assumes that further rounds are like those measured, and that the estimate is
// the truth. It returns nil if the result is more than fifty times the measured
// rounds, since the estimate is not as good as that, and for counts that vary, whose
// rounding does not shrink with more rounds.
func (j *judge) needed(s *comparison, f *figures) *Requirement {
	if s.metric.Kind == Count || f.rounds < leastKnown {
		return nil
	}
	iv := f.mid.Interval(spreadAt)
	h, e := (iv.High-iv.Low)/2, math.Abs(iv.Center)
	last := 1.0
	if n := len(j.o.Looks); n > 1 {
		last -= float64(j.o.Looks[n-2]) / float64(j.o.Looks[n-1])
	}
	last *= stat.RunShare(s.series.Run + 1)
	sd := h / quantile((1+spreadAt)/2)
	n := math.Inf(1)
	promise := func(c *claim, distance float64) {
		a := c.alpha * last / c.divisor * c.widths
		if x := (quantile(1-a/2) + quantile(chance)) * sd / distance; distance > 0 {
			n = min(n, max(math.Ceil(float64(f.rounds)*x*x), float64(fewest(a))))
		}
	}
	promise(&s.same, j.margin-e)
	if e >= 2*sd {
		promise(&s.different, e)
	}
	if !(n <= mostAhead*float64(f.rounds)) {
		return nil
	}
	rounds := max(int(n), f.rounds+1)
	return &Requirement{Rounds: rounds, Ns: int64(rounds) * s.series.RoundNs}
}

// quantile returns the quantile of the normal distribution.
func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
