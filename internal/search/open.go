package search

import (
	"fmt"
	"math"
	"time"

	"whet/internal/quantity"
)

// open looks for the highest rate at which the bounds hold.
func (s *search) open(k *Knee) error {
	low, high, err := s.bound()
	if err == nil {
		low, high, err = s.narrow(low, high)
	}
	if err == nil {
		low, high, err = s.confirm(low, high)
	}
	s.settle(k, low, high)
	return err
}

// good reports whether the service keeps its bounds in a run, and keeps up.
func (s *search) good(p Point) bool { return p.Meets && !s.behind(p) }

// behind reports whether the answers of a run came later and later: of a service
// that bears a share e less than the rate they come e seconds later each second. Half
// of the resolution is let pass, and chance: of n requests to a service at its very
// limit, which come or are worked on at random, √n are left over now and then, which
// come later by a share of 1/√n of the span; two of those. A service that is slow
// without load varies by more than a quick one.
func (s *search) behind(p Point) bool {
	slow := s.levels[0].Runs[0].P50
	for _, l := range s.levels {
		slow = min(slow, l.Runs[0].P50)
	}
	share := min(s.o.Resolution/2+2/math.Sqrt(float64(max(p.Answers, 1))), most)
	return p.Growth > time.Duration(share*float64(p.Span))+slow/2
}

// most is the share of the span by which answers may come later, however few they
// are.
const most = 0.04

// undecided is how many answers a level had and how many it would take, where
// chance may have decided; else needs is 0. The runs that say what the level was
// taken for count together.
func (s *search) undecided(l *Level) (answers, needs int64) {
	for _, p := range l.Runs {
		if s.good(p) != l.Good {
			continue
		}
		if p.Needs == 0 || s.behind(p) {
			return 0, 0
		}
		answers, needs = answers+p.Answers, max(needs, p.Needs)
	}
	if answers >= needs {
		return 0, 0
	}
	return answers, needs
}

// met reports whether most runs of a level are good, the last one deciding a tie.
func (s *search) met(l *Level) bool {
	votes := 0
	for _, p := range l.Runs {
		if s.good(p) {
			votes++
		} else {
			votes--
		}
	}
	return votes > 0 || votes == 0 && s.good(l.Runs[len(l.Runs)-1])
}

// try measures a rate and cools down after one that left something behind. Where it
// broke and the generator was to blame it gets another chance.
func (s *search) try(rate float64) (met bool, err error) {
	l, err := s.run(rate)
	if err != nil {
		return false, err
	}
	if p := l.Runs[len(l.Runs)-1]; p.Invalid != "" && !s.good(p) && len(l.Runs) < s.o.MostRuns {
		if _, err := s.run(rate); err != nil {
			return false, err
		}
	}
	l.Good = s.met(l)
	last := l.Runs[len(l.Runs)-1]
	if l.Good {
		s.best = max(s.best, rate)
	}
	if !s.good(last) && last.Errors > 0 {
		if err := s.cool(); err != nil {
			return l.Good, err
		}
	}
	return l.Good, nil
}

// coolings is how often the lowest rate is tried after one that failed, as long as
// that takes no more than coolingShare of the budget.
const (
	coolings     = 10
	coolingShare = 0.1
)

// cool sends the lowest rate until it is good.
func (s *search) cool() error {
	stage := s.stage
	s.stage = Cooling
	defer func() { s.stage = stage }()
	rate := s.o.Least
	for _, l := range s.levels {
		if l.Good {
			rate = max(rate, l.Level/2)
			break
		}
	}
	most := s.spent + time.Duration(coolingShare*float64(s.o.Budget))
	for n := 0; n < coolings && s.spent < most; n++ {
		p, err := s.once(rate, max(s.o.Cool, least(rate)))
		if err != nil {
			return err
		}
		if s.good(p) {
			return nil
		}
	}
	s.warn("the service did not recover after an overload: the bounds do not hold at %s either", s.o.name(rate))
	return nil
}

// bound finds a rate that is met and one that is not, a factor of two apart. low
// is 0 where none is met, high +Inf where none breaks.
func (s *search) bound() (low, high float64, err error) {
	s.stage = Growing
	high = math.Inf(1)
	for rate := s.o.From; ; {
		met, err := s.try(rate)
		if err == nil && !met {
			// Once more: it may have been disturbed, and all rates beyond would be
			// left out.
			met, err = s.try(rate)
		}
		if err != nil { // what was measured before that counts
			switch l := s.at(rate); {
			case l == nil:
			case l.Good:
				low = rate
			default:
				high = rate
			}
			return low, high, err
		}
		switch {
		case met:
			low = rate
			if !math.IsInf(high, 1) || rate >= s.o.Most {
				return low, high, nil
			}
			rate = min(2*rate, s.o.Most)
		default:
			high = rate
			if low > 0 || rate <= s.o.Least {
				return low, high, nil
			}
			rate = max(rate/2, s.o.Least)
		}
	}
}

// narrow bisects to the resolution.
func (s *search) narrow(low, high float64) (float64, float64, error) {
	s.stage = Refining
	if low == 0 || math.IsInf(high, 1) {
		return low, high, nil
	}
	for {
		mid := s.between(low, high)
		if mid == 0 {
			return low, high, nil
		}
		met, err := s.try(mid)
		switch {
		case err != nil:
			return low, high, err
		case met:
			low = mid
		default:
			high = mid
		}
	}
}

// confirm measures both sides again. Where one turns out to be the other the
// bracket moves, and is narrowed down again.
func (s *search) confirm(low, high float64) (float64, float64, error) {
	for range 6 {
		s.stage = Deciding
		held, err := s.settled(low, true)
		if err != nil {
			return low, high, err
		}
		if !held {
			low, high = s.neighbours(low)
			if low, high, err = s.narrow(low, high); err != nil {
				return low, high, err
			}
			continue
		}
		if held, err = s.settled(high, false); err != nil {
			return low, high, err
		}
		if held {
			return low, high, nil
		}
		low, high = s.neighbours(high)
		if low, high, err = s.narrow(low, high); err != nil {
			return low, high, err
		}
	}
	s.warn("the limit did not hold still: rates near %s were met at one time and not at another", s.o.name(low))
	return low, high, nil
}

// settled measures a rate until it has said the same as often as the options'
// Runs say, or MostRuns times, and reports whether it is as expected.
func (s *search) settled(rate float64, want bool) (bool, error) {
	if rate == 0 || math.IsInf(rate, 1) {
		return true, nil
	}
	for {
		runs, same := 0, 0
		for _, l := range s.levels {
			if l.Level == rate {
				for _, p := range l.Runs {
					runs++
					if s.good(p) == want {
						same++
					}
				}
			}
		}
		if same >= s.o.Runs && 2*same > runs {
			return true, nil
		}
		if runs-same >= s.o.Runs && 2*same < runs {
			return false, nil
		}
		if runs >= s.o.MostRuns {
			return 2*same > runs, nil
		}
		if _, err := s.try(rate); err != nil {
			return false, err
		}
	}
}

// neighbours are the bracket around a rate that was taken for something else: the
// highest rate met below the lowest one that is not.
func (s *search) neighbours(rate float64) (low, high float64) {
	high = math.Inf(1)
	for _, l := range s.levels {
		switch {
		case l.Good && l.Level <= rate:
			low = l.Level
		case !l.Good && l.Level >= rate && l.Level < high:
			high = l.Level
		}
	}
	return low, high
}

// settle makes the result.
func (s *search) settle(k *Knee, low, high float64) {
	k.Found, k.At, k.Low, k.High = low > 0, low, low, high
	broke, met := math.Inf(1), 0.0
	for _, l := range s.levels {
		if l.Level == low {
			k.Throughput = l.Throughput
		}
		for _, p := range l.Runs {
			if s.good(p) {
				met = max(met, l.Level)
			} else {
				broke = min(broke, l.Level)
			}
		}
	}
	if broke <= met {
		k.Unstable = &Range{broke, met}
		where := "at " + s.o.name(broke)
		if broke < met {
			where = fmt.Sprintf("between %s and %s", s.o.name(broke), s.o.name(met))
		}
		k.Warnings = append(k.Warnings, "unstable "+where+": the bounds held in one run there and not in another")
	}
	switch {
	case low == 0 && len(s.levels) > 0:
		k.Warnings = append(k.Warnings, fmt.Sprintf("the bounds do not hold at %s, the lowest rate tried", s.o.name(s.levels[0].Level)))
	case math.IsInf(high, 1) && low >= s.o.Most:
		k.Warnings = append(k.Warnings, fmt.Sprintf("the bounds still hold at %s, the highest rate tried: the limit may lie beyond", s.o.name(low)))
	}
	for _, l := range s.levels {
		if l.Level == high {
			k.Warnings = append(k.Warnings, fmt.Sprintf("at %s: %s", s.o.name(high), s.reason(l)))
		}
	}
	k.Procedure = fmt.Sprintf("open loop: the rate doubled from %s until the bounds broke or the service fell behind, then bisected to %s, and both sides measured again until %s said the same",
		s.o.name(s.o.From), quantity.Percent(s.o.Resolution), quantity.Plural(s.o.Runs, "run"))
}

// reason is why a rate is not met.
func (s *search) reason(l *Level) string {
	for _, p := range l.Runs {
		if !p.Meets && p.Broken != "" {
			return p.Broken
		}
	}
	for _, p := range l.Runs {
		if s.behind(p) {
			return fmt.Sprintf("the service falls behind: at the end its answers came later by %s than at the beginning", quantity.Nanoseconds(float64(p.Growth)))
		}
	}
	return "the bounds do not hold"
}
