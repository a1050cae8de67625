package knee

import (
	"fmt"
	"math"
	"slices"
	"time"

	"whet/internal/quantity"
	"whet/internal/search"
)

// coarse is how finely a search looks before it looks as finely as the options say:
// what it has then is confirmed first, so that a budget that ends meanwhile leaves
// the limit between two rates that lie no further apart.
const coarse = 0.1

// open looks for the highest rate at which the bounds hold.
func (s *finder) open(k *Knee) error {
	low, high, err := 0.0, math.Inf(1), error(nil)
	for _, fine := range []float64{max(coarse, s.o.Resolution), s.o.Resolution} {
		s.finely = fine < coarse
		if low, high, err = s.confirm(low, high, fine); err != nil {
			break
		}
	}
	s.settle(k, low, high)
	return err
}

// good reports whether the service keeps its bounds in a run, and keeps up.
func (s *finder) good(p Point) bool { return p.Meets && !s.behind(p) }

// behind reports whether the responses of a run came later and later: of a service
// that bears a share e less than the rate they come e seconds later each second. Half
// of the resolution is let pass, and chance: of n requests to a service at its very
// limit, which come or are worked on at random, √n are left over now and then, which
// come later by a share of 1/√n of the span; two of those. A service varies by itself
// too, a slow one by more than a quick one: half of what it takes without load is let
// pass.
func (s *finder) behind(p Point) bool {
	slow := s.Levels[0].Runs[0].P50
	for _, l := range s.Levels {
		slow = min(slow, l.Runs[0].P50)
	}
	share := min(s.o.Resolution/2+2/math.Sqrt(float64(max(p.Answers, 1))), most)
	return p.Growth > max(time.Duration(share*float64(p.Span)), time.Duration(varies*float64(slow)))
}

const (
	// most is the share of the span by which answers may come later, however few they
	// are.
	most = 0.04
	// varies is the share of its service time by which a service varies by itself.
	varies = 0.5
)

// undecided returns how many answers a level had and how many it would take, where
// chance may have decided; else needs is 0. The runs that say what the level was
// taken for count together.
func (s *finder) undecided(l *search.Level[Point]) (answers, needs int64) {
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
func (s *finder) met(l *search.Level[Point]) bool {
	kept, runs := s.kept(l), len(l.Runs)
	return 2*kept > runs || 2*kept == runs && s.good(l.Runs[runs-1])
}

// kept returns how many runs of a level are good.
func (s *finder) kept(l *search.Level[Point]) int {
	n := 0
	for _, p := range l.Runs {
		if s.good(p) {
			n++
		}
	}
	return n
}

// try measures a rate and cools down after one that left requests open. Where it
// broke and the generator was to blame it gets another chance.
func (s *finder) try(rate float64) error {
	l, err := s.judge(rate)
	if err != nil {
		return err
	}
	last := l.Runs[len(l.Runs)-1]
	if last.Invalid != "" && !s.good(last) && len(l.Runs) < s.o.MostRuns {
		if l, err = s.judge(rate); err != nil {
			return err
		}
		last = l.Runs[len(l.Runs)-1]
	}
	if !s.good(last) && last.Errors > 0 {
		return s.cool()
	}
	return nil
}

// judge measures a rate once more, and says by all of its runs whether it is met.
func (s *finder) judge(rate float64) (*search.Level[Point], error) {
	l, err := s.run(rate)
	if err != nil {
		return nil, err
	}
	l.Good = s.met(l)
	s.Best = 0
	for _, l := range s.Levels {
		if l.Good {
			s.Best = l.Level
		}
	}
	return l, nil
}

// coolings is how often a low rate is tried after one that failed, as long as
// that takes no more than coolingShare of the budget.
const (
	coolings     = 10
	coolingShare = 0.1
)

// idle is which share of the lowest rate tried is a low one, where none was met.
const idle = 0.125

// cool sends a low rate until it is good.
func (s *finder) cool() error {
	stage := s.Stage
	s.Stage = Cooling
	defer func() { s.Stage = stage }()
	rate := idle * s.Levels[0].Level
	if i := slices.IndexFunc(s.Levels, func(l *search.Level[Point]) bool { return l.Good }); i >= 0 {
		rate = s.Levels[i].Level / 2
	}
	rate = max(rate, s.o.Least)
	most := s.Spent + time.Duration(coolingShare*float64(s.o.Budget))
	for n := 0; n < coolings && s.Spent < most; n++ {
		p, err := s.Once(rate, max(s.o.Cool, least(rate)))
		if err != nil {
			return err
		}
		if s.good(p) {
			return nil
		}
	}
	s.Warn("the service did not recover after an overload: it breaks the bounds at %s too", s.o.name(rate))
	return nil
}

// step is by which factor the n-th rate beyond the only side that is known lies
// further. The second one up is short: the first led to about as much as the service
// bears in a closed loop, and what is asked of it beyond that leaves a backlog. They
// grow, so that what lies far away is found as well; the last one goes on.
func step(up bool, n int) float64 {
	of := []float64{1.25, 1.5, 2}
	if up {
		of = []float64{1.25, 1.12, 1.25, 1.5, 2}
	}
	return of[min(n, len(of)-1)]
}

// next returns the rate to be tried between one that is met and one that is not, 0 where
// they are as close as fine says or there is no more to be tried: the first one, the
// n-th step beyond the only side that is known, or the middle.
func (s *finder) next(low, high, fine float64, n int) float64 {
	switch {
	case low == 0 && math.IsInf(high, 1):
		s.Stage = Growing
		return s.o.From
	case low == 0 && high > s.o.Least:
		s.Stage = Growing
		return max(digits(high/step(false, n)), s.o.Least)
	case math.IsInf(high, 1) && low < s.o.Most:
		s.Stage = Growing
		return min(digits(low*step(true, n)), s.o.Most)
	case low > 0 && !math.IsInf(high, 1):
		s.Stage = Refining
		return s.between(low, high, fine)
	}
	return 0
}

// narrow tries rates until the limit is known to be met at one and not at another
// that is no further from it than fine says. low is 0 where none is met, high +Inf
// where none breaks.
func (s *finder) narrow(low, high, fine float64) (float64, float64, error) {
	for n := 0; ; {
		rate := s.next(low, high, fine, n)
		if rate == 0 {
			return low, high, nil
		}
		if len(s.Levels) > 0 {
			n++
		}
		err := s.try(rate)
		switch l := s.At(rate); { // what was measured before an error counts
		case l == nil:
		case l.Good:
			low = rate
		default:
			high = rate
		}
		if err != nil {
			return low, high, err
		}
	}
}

// confirm narrows the bracket and measures both sides again. Where one turns out to be
// the other the bracket moves, and is narrowed down again.
func (s *finder) confirm(low, high, fine float64) (float64, float64, error) {
	for range 6 {
		var err error
		if low, high, err = s.narrow(low, high, fine); err != nil {
			return low, high, err
		}
		s.Stage = Deciding
		side := low
		held, err := s.settled(low, true)
		if held && err == nil {
			side = high
			held, err = s.settled(high, false)
		}
		if held && err == nil {
			return low, high, nil
		}
		if low, high = s.neighbours(side); err != nil {
			return low, high, err
		}
	}
	s.Warn("the limit moved: the service met rates near %s at one time and not at another", s.o.name(low))
	return low, high, nil
}

// neighbours returns the bracket around a rate that was taken for something else: the
// highest rate met below the lowest one that is not.
func (s *finder) neighbours(rate float64) (low, high float64) {
	high = math.Inf(1)
	for _, l := range s.Levels {
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
func (s *finder) settle(k *Knee, low, high float64) {
	k.Found, k.At, k.Low, k.High = low > 0, low, low, high
	if l := s.At(low); l != nil {
		k.Throughput = l.Figure
	}
	broke, met := math.Inf(1), 0.0
	for _, l := range s.Levels {
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
		k.Warnings = append(k.Warnings, "unstable "+where+": the bounds held in one run at that rate and not in another")
	}
	switch {
	case low == 0 && len(s.Levels) > 0:
		k.Warnings = append(k.Warnings, fmt.Sprintf("the bounds do not hold at %s, the lowest rate tried", s.o.name(s.Levels[0].Level)))
	case math.IsInf(high, 1) && low >= s.o.Most:
		k.Warnings = append(k.Warnings, fmt.Sprintf("the bounds hold at %s, the highest rate tried: the limit may lie beyond", s.o.name(low)))
	}
	if l := s.At(high); l != nil {
		k.Warnings = append(k.Warnings, fmt.Sprintf("at %s: %s", s.o.name(high), s.reason(l)))
	}
	k.Procedure = fmt.Sprintf("open loop: the rate raised from %s, or lowered, until the bounds held at one rate and not at another, where they broke or the service fell behind; then the range between them halved, to %s first and to %s last, and both sides measured again each time until %s said the same",
		s.o.name(s.o.From), quantity.Percent(max(coarse, s.o.Resolution)), quantity.Percent(s.o.Resolution), quantity.Plural(s.o.Runs, "run"))
}

// reason returns why a rate is not met.
func (s *finder) reason(l *search.Level[Point]) string {
	for _, p := range l.Runs {
		if !p.Meets && p.Broken != "" {
			return p.Broken
		}
	}
	for _, p := range l.Runs {
		if s.behind(p) {
			return fmt.Sprintf("the service falls behind: at the end its answers came %s later than at the beginning", quantity.Nanoseconds(float64(p.Growth)))
		}
	}
	return "the bounds do not hold"
}
