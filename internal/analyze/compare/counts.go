package compare

import (
	"fmt"
	"math"
	"slices"

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
//
// Counts that never varied on either side have no rank test. That they would not
// vary in the rounds to come either is taken as sure when values that fall apart
// like theirs would do so by chance with less than alpha·w/m (separation), the
// level of the first step of Holm's procedure for differences: a look at which they are called
// different is then one at which their rank test, had it been possible, would have
// been passed too, so that a row has one chance to err at a look and not two. With
// this chance for their p-value they take a step in the family whose hypothesis
// is rejected, which leaves more of alpha to those that vary: of times, CPU times,
// allocations and bytes of four benchmarks an eighth for each time, and not a
// sixteenth, which narrows the intervals by a twentieth.
//
// Where both sides stay below one byte or one allocation an operation there is
// no change: what is left is of the runtime's own making, of once a process, and
// a ratio of such remainders, which may be zero, has no bounds.
const cutOff = 1

func countLow(old, new float64) float64  { return Ratio(old, new+cutOff) }
func countHigh(old, new float64) float64 { return Ratio(old+cutOff, new) }

// count is what one look says of a count.
type count struct {
	*figures
	sure       bool    // enough rounds
	separation float64 // the chance that one distribution falls apart like this
	level      float64
	// The ratio's bounds: those of the rounding where it is exact, else those of
	// the interval at the level.
	low, high float64
	verdict   Verdict // of exact counts; CannotTell for the others
	reason    string
}

// count judges the looks at which a count had not varied yet.
func (j *judge) count(s *comparison) {
	if s.metric.Kind != Count {
		return
	}
	for k := range s.at {
		c := j.countAt(s, k)
		other := count{figures: &figures{}}
		if s.other != nil {
			other = j.countAt(s.other, k)
		}
		if none(&c) && none(&other) {
			// No byte in any operation: there is no fraction of an allocation either.
			c.low, c.high = 1, 1
		}
		if c.exact || c.below {
			j.settle(&c, &other)
		}
		s.counts = append(s.counts, c)
	}
}

// enterExact enters the verdicts on exact counts into the families of tests, and
// those on counts below one, which are sure in as many rounds as a rank test takes.
func (s *comparison) enterExact() {
	for k := range s.counts {
		c := &s.counts[k]
		switch {
		case c.below && c.verdict == NoChange:
			s.same.p[k] = math.Ldexp(2, -c.rounds)
		case !c.exact:
		case c.verdict == NoChange:
			s.same.p[k] = c.separation
		case c.verdict != CannotTell:
			s.different.p[k] = c.separation
		}
	}
}

func (j *judge) countAt(s *comparison, k int) count {
	f := &s.at[k]
	c := count{figures: f, verdict: CannotTell, level: j.o.Alpha * f.weight / float64(j.m), separation: 1}
	if f.rounds == 0 {
		return c
	}
	if !f.exact {
		low, high := f.bounds(c.level)
		c.sure = !math.IsInf(low, 0) && !math.IsInf(high, 0)
		c.low, c.high = ratioOf(low), ratioOf(high)
		if c.below {
			c.low, c.high = 1/MaxRatio, MaxRatio
		}
		return c
	}
	c.separation = separation(f)
	c.sure = c.separation <= c.level
	c.low, c.high = countLow(c.medianOld, c.medianNew), countHigh(c.medianOld, c.medianNew)
	return c
}

// separation returns the chance that slices of equal sides fall apart like this: that
// of all orders of all slices, or where that is more the chance of the lot
// alone. Whatever a round's three values are, they lie right for it where the
// doubled side is the one of the value that came twice and the other slice the
// one of the other value: 1/2·1/3, in each of n rounds, either way round. Rounds
// whose counts depend on what they share, as their layout, leave only that.
func separation(f *figures) float64 {
	return max(stat.SeparationP(len(f.old), len(f.new)), 2*math.Pow(6, -float64(f.rounds)))
}

func none(c *count) bool { return c.exact && c.medianOld == 0 && c.medianNew == 0 }

// settle judges an exact count by itself, and where its rounding leaves open
// what happened by the other count of the benchmark.
func (j *judge) settle(c, other *count) {
	sure := other.rounds > 0 && other.sure
	what, by := "allocations", "bytes"
	if c.metric.Unit == BytesPerOp {
		what, by = by, what
	}
	switch {
	case !c.sure && c.exact:
		// The rounding is no interval yet: a round more may bring another count.
		c.low, c.high = 1/MaxRatio, MaxRatio
		c.reason = fmt.Sprintf("%s: too few to be sure that it never varies", rounds(c.rounds))
	case !c.sure:
		c.reason = fmt.Sprintf("%s: too few to be sure that it stays below one", rounds(c.rounds))
	case c.below:
		c.verdict = NoChange
	case j.within(c.low, c.high):
		c.verdict = NoChange
	case c.low > 1:
		c.verdict = Faster
	case c.high < 1:
		c.verdict = Slower
	case c.medianOld == c.medianNew && sure && j.agree(other):
		c.verdict = NoChange
	case c.medianOld > c.medianNew && sure && other.low > 1+j.o.Margin:
		c.verdict = Faster
	case c.medianOld < c.medianNew && sure && other.high < 1/(1+j.o.Margin):
		c.verdict = Slower
	default:
		c.reason = fmt.Sprintf("counted in whole %s, rounded down: old lies between %s and %s, new between %s and %s, and the %s per operation do not decide between them",
			what, quantity.Count(c.medianOld), quantity.Count(c.medianOld+cutOff), quantity.Count(c.medianNew), quantity.Count(c.medianNew+cutOff), by)
	}
}

// agree reports whether both sides show as much of the other count: within the
// margin, or no further apart than its own rounding makes equal things look,
// which is one. Without that every benchmark of one small allocation would be
// left without a verdict, though nothing differs. A count that never varies is
// taken as it was printed; of one that does, the whole interval has to agree.
func (j *judge) agree(other *count) bool {
	if other.exact {
		ratio := Ratio(other.medianOld, other.medianNew)
		return j.within(ratio, ratio) || math.Abs(other.medianOld-other.medianNew) <= cutOff
	}
	// An operation that allocates shows it in every slice. Where most slices of
	// either side have no byte, the others' are the runtime's own, of once a
	// process: few iterations do not hide them.
	if other.below || other.medianOld == 0 && other.medianNew == 0 {
		return true
	}
	// Equal things show least and least+1 in turns; each cut off, they are less
	// than two apart.
	least := min(other.medianOld, other.medianNew) - cutOff
	jitter := least > 0 && other.low >= least/(least+2*cutOff) && other.high <= (least+2*cutOff)/least
	return jitter || j.within(other.low, other.high)
}

// exactVerdict returns the latest that a count was given while it had not varied, or
// stayed below one, or that it still has none; ok is false where it varied
// before there was one.
func (s *comparison) exactVerdict() (v verdict, ok bool) {
	last := len(s.counts)
	first := slices.IndexFunc(s.counts, func(c count) bool { return c.verdict != CannotTell })
	if d := &s.different; d.stage > 0 && (first < 0 || d.by < first) {
		return verdict{}, false // it varied and was found to differ before: that stays
	}
	for k := last; first >= 0 && k > first; k-- {
		if said := s.counts[k-1].verdict; said == s.counts[first].verdict {
			return verdict{Verdict: said, look: k}, true
		}
	}
	return verdict{Verdict: CannotTell, look: last}, last > 0 && (s.counts[last-1].exact || s.counts[last-1].below)
}

// exactRow fills in what the row of an exact count shows, or of one that stays
// below one: there the ratio of two remainders is none, and nothing is known of
// its bounds.
func (j *judge) exactRow(r *Row, c *count, f *figures) {
	r.Ratio, r.RatioLow, r.RatioHigh = Ratio(c.medianOld, c.medianNew), c.low, c.high
	r.ConfidenceRatio, r.Coverage = 1-c.level, 1-c.separation
	r.Reason = c.reason
	if !c.exact {
		r.Ratio, r.Coverage, r.NoiseRatio = 1, 1, nil
		return
	}
	r.WithinMargin = c.sure && j.within(c.low, c.high)
	if c.medianOld != c.medianNew {
		r.PValue = min(1, c.separation/f.weight)
		r.PHolm = min(1, r.PValue*float64(j.m))
	}
	zero := 0.0
	r.NoiseRatio = &zero
}
