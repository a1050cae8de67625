package knee

import (
	"fmt"
	"math"
	"slices"

	"whet/internal/analyze/capacity"
	"whet/internal/quantity"
	"whet/internal/search"
)

// closed looks for the smallest concurrency with the best throughput.
func (s *finder) closed(k *Knee) error {
	err := s.grow()
	if err == nil {
		err = s.climb()
	}
	low, high := 0.0, 0.0
	if err == nil {
		low, high, err = s.edge()
	}
	if len(s.Levels) == 0 || s.top().Figure == 0 {
		s.Warn("no level had a successful answer")
		return err
	}
	s.conclude(k, low, high)
	return err
}

// grow doubles the concurrency until it brings no more.
func (s *finder) grow() error {
	s.Stage = Growing
	past := 0
	for n := s.o.From; ; n = min(2*n, s.o.Most) {
		before := 0.0
		if len(s.Levels) > 0 {
			before = s.top().Figure
		}
		l, err := s.run(n)
		if err == nil && invalid(l) != "" {
			l, err = s.run(n) // it may have been disturbed
		}
		if err != nil {
			return err
		}
		if l.Figure > before*(1+s.o.Tolerance) {
			past = 0
		} else {
			past++
		}
		s.Best = s.top().Figure
		switch {
		case invalid(l) != "":
			s.Warn("at %s the generator was the bottleneck (%s): no more were tried", s.o.name(n), invalid(l))
			return nil
		case past >= s.o.Past:
			return nil
		case n >= s.o.Most:
			if past == 0 {
				s.Warn("throughput still rose at %s, the most tried: the knee may lie beyond", s.o.name(n))
			}
			return nil
		}
	}
}

// top returns the level with the highest throughput, the lowest of several.
func (s *finder) top() *search.Level[Point] {
	best := s.Levels[0]
	for _, l := range s.Levels {
		if l.Figure > best.Figure {
			best = l
		}
	}
	return best
}

// band is by which share two single runs may differ without meaning anything: two
// standard deviations of their difference, at least the tolerance. Levels of few
// requests have noise of their own, hence the upper bound.
func (s *finder) band() float64 {
	noise := capacity.RunNoise(s.From(s.top().Level)).Ratio
	return min(max(s.o.Tolerance, 2*math.Sqrt2*noise), 0.1)
}

// wide is the ratio of two neighbours between which a peak may hide although one
// is as good as the other: before its peak throughput grows at most as concurrency
// does.
const wide = 1.05

// climbs bounds how often the best level may move.
const climbs = 8

// climb halves the gaps on either side of the best level, and measures levels again
// that lie in a dip.
func (s *finder) climb() error {
	s.Stage = Refining
	for range climbs {
		best := s.top()
		i := slices.Index(s.Levels, best)
		floor := best.Figure * (1 - s.band())
		var next []float64
		if i > 0 {
			if left := s.Levels[i-1]; left.Figure < floor || best.Level > wide*left.Level {
				next = append(next, s.between(left.Level, best.Level, s.o.Resolution))
			}
		}
		if i+1 < len(s.Levels) {
			if right := s.Levels[i+1]; right.Figure < floor || right.Level > wide*best.Level {
				next = append(next, s.between(best.Level, right.Level, s.o.Resolution))
			}
		}
		next = append(next, s.dips()...)
		measured := false
		for _, n := range next {
			if n == 0 {
				continue
			}
			if _, err := s.run(n); err != nil {
				return err
			}
			measured = true
		}
		s.Best = s.top().Figure
		if !measured {
			return nil
		}
	}
	return nil
}

// far is how many tolerances below the plateau one run is enough to say so.
const far = 5

// dips returns the levels that are far below their neighbours: on the way up below the
// straight line between them, which throughput only bends away from above, else below
// both. Such a run was disturbed, and would hide the knee: it has to have been
// measured as often as the options say to be believed.
func (s *finder) dips() []float64 {
	var out []float64
	for i := 1; i+1 < len(s.Levels); i++ {
		left, l, right := s.Levels[i-1], s.Levels[i], s.Levels[i+1]
		beside := right.Figure
		if rise := right.Figure - left.Figure; rise > 0 {
			beside = left.Figure + rise*(l.Level-left.Level)/(right.Level-left.Level)
		}
		if l.Figure < beside*(1-far*s.o.Tolerance) && len(l.Runs) < s.o.Runs {
			out = append(out, l.Level)
		}
	}
	return out
}

// between returns the level in the middle of two on a logarithmic scale; 0 where they
// are as close as fine says, as a share, or there is none.
func (s *finder) between(low, high, fine float64) float64 {
	if high <= low*(1+fine) {
		return 0
	}
	mid := math.Sqrt(low * high)
	if s.o.Open {
		if r := digits(mid); low < r && r < high {
			mid = r
		}
		return mid
	}
	mid = math.Round(mid)
	if mid <= low {
		mid = low + 1
	}
	if mid >= high {
		return 0
	}
	return mid
}

// edge looks for the smallest level of the plateau: low is the largest level
// below it, 0 where there is none, and high is it.
func (s *finder) edge() (low, high float64, err error) {
	s.Stage = Deciding
	for top := s.top(); len(top.Runs) < s.o.Runs; {
		if _, err = s.run(top.Level); err != nil {
			return 0, 0, err
		}
	}
	// A decision may be taken back as its level is measured again, and moves the
	// bracket; that cannot go on for ever.
	for range 4 {
		if low, high, err = s.bracket(); err != nil {
			return low, high, err
		}
		for mid := s.between(low, high, s.o.Resolution); low > 0 && mid != 0; mid = s.between(low, high, s.o.Resolution) {
			within, err := s.decide(mid, 1)
			switch {
			case err != nil:
				return low, high, err
			case within:
				high = mid
			default:
				low = mid
			}
		}
		held, err := s.holds(low, high)
		if held || err != nil {
			return low, high, err
		}
	}
	s.Warn("the edge of the plateau moved: levels near %s were on the plateau at one time and below it at another", s.o.name(high))
	return low, high, nil
}

// bracket returns the smallest level measured so far that is within the plateau, and
// the one before it. It asks the smallest level that may be within first: of
// several alike one that is low by chance must not hide those before it. Where it
// ends early the level that was asked is on neither side.
func (s *finder) bracket() (low, high float64, err error) {
	for _, l := range slices.Clone(s.Levels) {
		within, err := s.decide(l.Level, 1)
		switch {
		case err != nil:
			return 0, 0, err
		case within:
			return low, l.Level, nil
		}
		low = l.Level
	}
	return low, s.top().Level, nil
}

// roughly is by how much the best of single runs may be too good, as a share.
const roughly = 0.1

// conclude makes the result from the levels and the bracket; high is 0 where the
// search did not get that far. Then the knee is the smallest level that was about as
// good as the best, and there is no lower side: single runs do not tell.
func (s *finder) conclude(k *Knee, low, high float64) {
	if high == 0 {
		floor := s.top().Figure * (1 - roughly)
		high = s.Levels[slices.IndexFunc(s.Levels, func(l *search.Level[Point]) bool { return l.Figure >= floor })].Level
	}
	k.Found, k.At, k.Low, k.High = true, high, low, high
	k.Plateau = capacity.FindPlateau(s.From(high), s.o.Tolerance/2, s.o.Confidence)
	for _, l := range s.Levels {
		l.Good = l.Level >= high && l.Level <= k.Plateau.To
	}
	k.Throughput = s.At(high).Figure
	k.Procedure = fmt.Sprintf("closed loop: concurrency doubled from %s until %d levels in a row brought no more, the gaps beside the best level halved, then the edge of the plateau bisected: the smallest concurrency whose throughput is lower than the plateau's by %s at most; levels in doubt were measured up to %d times, in turns with the plateau",
		quantity.Count(s.o.From), s.o.Past, quantity.Percent(s.o.Tolerance), s.o.MostRuns)
	if n := len(s.From(0)); n < fewestForLaw {
		k.Warnings = append(k.Warnings, fmt.Sprintf("%s: too few for the scalability law, which needs %d to fit three coefficients", quantity.Plural(n, "level"), fewestForLaw))
		return
	}
	fit, err := capacity.FitLaw(capacity.Observations(s.From(0)), s.o.Confidence)
	if err != nil {
		k.Warnings = append(k.Warnings, err.Error())
		return
	}
	k.Law = fit
	// Noise of a level with one run; the weights say that more runs are better.
	if noise := capacity.RunNoise(s.From(0)); fit.Misfit(noise.Ratio) {
		k.Warnings = append(k.Warnings, fmt.Sprintf("the levels deviate from the scalability law by %s on average, more than their noise of %s explains: the service does not follow the law (a hard limit is one reason); do not rely on its coefficients and peak",
			quantity.Percent(fit.Deviation), quantity.Percent(noise.Ratio)))
	}
}

// fewestForLaw is the number of levels that the scalability law takes: twice its
// coefficients. It passes through any three.
const fewestForLaw = 6
