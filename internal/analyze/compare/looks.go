package compare

import (
	"math"

	"whet/internal/stat"
)

// A look is a number of rounds after which the figures of a series are judged,
// with the share of alpha that it may spend.
type look struct {
	rounds int // of the series, those of earlier runs included
	weight float64
}

// Looks returns the rounds of a plan after which the figures are judged: the last one,
// its half, its quarter and so on, as long as a difference of a varying figure can be found
// there.
func Looks(planned, hypotheses int, alpha float64) []int {
	planned = max(planned, 1)
	looks := []int{planned}
	for n := planned / 2; n > 0; n /= 2 {
		weight := stat.RunShare(1) * float64(n) / float64(planned)
		if !possible(n, alpha*weight/float64(max(hypotheses, 1))) {
			break
		}
		looks = append([]int{n}, looks...)
	}
	return looks
}

// FewestRounds returns the number of rounds below which no difference of a varying figure
// can be found in a first run. "No change" may take fewer.
func FewestRounds(hypotheses int, alpha float64) int {
	return fewest(alpha * stat.RunShare(1) / float64(max(hypotheses, 1)))
}

// possible reports whether n rounds that all point the same way reach a level:
// two-sided, their p-value is 2·2⁻ⁿ.
func possible(n int, level float64) bool { return n >= fewest(level) }

// fewest returns the smallest such n; it ends at what no level can be below.
func fewest(level float64) int {
	n := 1
	for math.Ldexp(2, -n) > level && n < 1100 {
		n++
	}
	return n
}

// looks returns the looks that a series has had. The plan's looks have weights by the
// rounds between them. Where a series ended elsewhere, for a reason that does
// not look at its figures, its last look is there, with all the weight that is
// left; where it ended at a look, that look is taken once more with this
// weight added: what it rejected with less it rejects again, so that no chance
// is counted twice.
func (o *Options) looks(s *Series) []look {
	own := len(s.Rounds) - s.Earlier
	plan := o.Looks
	if len(plan) == 0 {
		plan = []int{max(own, 1)}
	}
	planned := plan[len(plan)-1]
	share := stat.RunShare(s.Run)
	var looks []look
	before, last := 0, 0.0
	for k, w := range stat.LinearSpending(plan, planned) {
		if plan[k] > own {
			break
		}
		looks = append(looks, look{rounds: s.Earlier + plan[k], weight: share * w})
		before, last = plan[k], w
	}
	if s.Ended && own > 0 && before < planned {
		left := float64(planned-before) / float64(planned)
		if own == before {
			left += last
		}
		looks = append(looks, look{rounds: s.Earlier + own, weight: share * left})
	}
	return looks
}
