package knee

import (
	"fmt"
	"math"
	"slices"

	"whet/internal/analyze/capacity"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// closed looks for the smallest concurrency with the best throughput.
func (s *search) closed(k *Knee) error {
	err := s.grow()
	if err == nil {
		err = s.climb()
	}
	low, high := 0.0, 0.0
	if err == nil {
		low, high, err = s.edge()
	}
	if len(s.levels) == 0 || s.top().Throughput == 0 {
		s.warn("no level had a good answer")
		return err
	}
	s.conclude(k, low, high)
	return err
}

// grow doubles the concurrency until it brings no more.
func (s *search) grow() error {
	s.stage = Growing
	past := 0
	for n := s.o.From; ; n = min(2*n, s.o.Most) {
		before := 0.0
		if len(s.levels) > 0 {
			before = s.top().Throughput
		}
		l, err := s.run(n)
		if err == nil && l.invalid() != "" {
			l, err = s.run(n) // it may have been disturbed
		}
		if err != nil {
			return err
		}
		if l.Throughput > before*(1+s.o.Tolerance) {
			past = 0
		} else {
			past++
		}
		s.best = s.top().Throughput
		switch {
		case l.invalid() != "":
			s.warn("at %s the generator was the bottleneck (%s): no more were tried", s.o.name(n), l.invalid())
			return nil
		case past >= s.o.Past:
			return nil
		case n >= s.o.Most:
			if past == 0 {
				s.warn("throughput still rose at %s, the most that were tried: the knee may lie beyond", s.o.name(n))
			}
			return nil
		}
	}
}

// top is the level with the highest throughput, the lowest of several.
func (s *search) top() *Level {
	best := s.levels[0]
	for _, l := range s.levels {
		if l.Throughput > best.Throughput {
			best = l
		}
	}
	return best
}

// band is by which share two single runs may differ without meaning anything: two
// standard deviations of their difference, at least the tolerance. Levels of few
// requests have noise of their own, hence the upper bound.
func (s *search) band() float64 {
	noise := capacity.RunNoise(s.from(s.top().Level)).Ratio
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
func (s *search) climb() error {
	s.stage = Refining
	for range climbs {
		best, i := s.top(), 0
		for s.levels[i] != best {
			i++
		}
		floor := best.Throughput * (1 - s.band())
		var next []float64
		if i > 0 {
			if left := s.levels[i-1]; left.Throughput < floor || best.Level > wide*left.Level {
				next = append(next, s.between(left.Level, best.Level, s.o.Resolution))
			}
		}
		if i+1 < len(s.levels) {
			if right := s.levels[i+1]; right.Throughput < floor || right.Level > wide*best.Level {
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
		s.best = s.top().Throughput
		if !measured {
			return nil
		}
	}
	return nil
}

// far is how many tolerances below the plateau one run is enough to say so.
const far = 5

// dips are the levels that are far below their neighbours: on the way up below the
// straight line between them, which throughput only bends away from above, else below
// both. Such a run was disturbed, and would hide the knee: it has to have been
// measured as often as the options say to be believed.
func (s *search) dips() []float64 {
	var out []float64
	for i := 1; i+1 < len(s.levels); i++ {
		left, l, right := s.levels[i-1], s.levels[i], s.levels[i+1]
		beside := right.Throughput
		if rise := right.Throughput - left.Throughput; rise > 0 {
			beside = left.Throughput + rise*(l.Level-left.Level)/(right.Level-left.Level)
		}
		if l.Throughput < beside*(1-far*s.o.Tolerance) && len(l.Runs) < s.o.Runs {
			out = append(out, l.Level)
		}
	}
	return out
}

// between is the level in the middle of two on a logarithmic scale; 0 where they
// are as close as fine says, as a share, or there is none.
func (s *search) between(low, high, fine float64) float64 {
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
func (s *search) edge() (low, high float64, err error) {
	s.stage = Deciding
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
	s.warn("the edge of the plateau did not hold still: levels near %s were within at one time and below at another", s.o.name(high))
	return low, high, nil
}

// bracket is the smallest level measured so far that is within the plateau, and
// the one before it. It asks the smallest level that may be within first: of
// several alike one that is low by chance must not hide those before it. Where it
// ends early the level that was asked is on neither side.
func (s *search) bracket() (low, high float64, err error) {
	for _, l := range slices.Clone(s.levels) {
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

// holds measures both sides of the bracket until each was measured as often as the
// options say, and reports whether they are what they were taken for.
func (s *search) holds(low, high float64) (bool, error) {
	if low > 0 {
		if within, err := s.decide(low, s.o.Runs); within || err != nil {
			return false, err
		}
	}
	return s.decide(high, s.o.Runs)
}

const (
	// sure is the confidence with which a difference is on one side of the
	// tolerance.
	sure = 0.99
	// stale is after how many runs of others the plateau is measured again.
	stale = 2
)

// decide reports whether a level is within the plateau. It measures until that is
// clear, the level at least as often as runs says.
func (s *search) decide(level float64, runs int) (bool, error) {
	for since := 0; ; since++ {
		if l := s.at(level); l != nil {
			lower, width := s.lower(l)
			n := len(l.Runs)
			distance := math.Abs(lower - s.o.Tolerance)
			// One run is enough only where it is far below.
			obvious := lower > far*s.o.Tolerance && distance > 2*width
			if obvious || n >= s.o.MostRuns || n >= max(runs, 2) && distance > width {
				return lower <= s.o.Tolerance, nil
			}
		}
		if since > 0 && since%stale == 0 {
			if _, err := s.run(s.reference(level)); err != nil {
				return false, err
			}
		}
		if _, err := s.run(level); err != nil {
			return false, err
		}
	}
}

// at is a level that was measured, else nil.
func (s *search) at(level float64) *Level {
	for _, l := range s.levels {
		if l.Level == level {
			return l
		}
	}
	return nil
}

// others is the plateau without a level, which is to be compared with it.
func (s *search) others(level float64) (p capacity.Plateau, ok bool) {
	levels := slices.DeleteFunc(s.from(0), func(l capacity.Level) bool { return l.N == level })
	if len(levels) == 0 {
		return p, false
	}
	return capacity.FindPlateau(levels, s.o.Tolerance/2, s.o.Confidence), true
}

// lower is the share by which a level's throughput is lower than the plateau's,
// and by how much that may be wrong.
func (s *search) lower(l *Level) (share, width float64) {
	p, ok := s.others(l.Level)
	if !ok {
		return 0, 0
	}
	noise := capacity.RunNoise(s.from(l.Level / 2))
	width = stat.StudentQuantile((1+sure)/2, max(noise.Freedom, 1)) * noise.Ratio * math.Sqrt(1/float64(len(l.Runs))+1/float64(p.Runs))
	return 1 - l.Throughput/p.Throughput.Center, width
}

// reference is the level of the plateau, but for one, that was measured least
// often.
func (s *search) reference(level float64) float64 {
	p, ok := s.others(level)
	if !ok {
		return level
	}
	best, runs := level, math.MaxInt
	for _, l := range s.levels {
		if l.Level >= p.From && l.Level <= p.To && l.Level != level && len(l.Runs) < runs {
			best, runs = l.Level, len(l.Runs)
		}
	}
	return best
}

// roughly is by how much the best of single runs may be too good, as a share.
const roughly = 0.1

// conclude makes the result from the levels and the bracket; high is 0 where the
// search did not get that far. Then the knee is the smallest level that was about as
// good as the best, and there is no lower side: single runs do not tell.
func (s *search) conclude(k *Knee, low, high float64) {
	if high == 0 {
		floor := s.top().Throughput * (1 - roughly)
		high = s.levels[slices.IndexFunc(s.levels, func(l *Level) bool { return l.Throughput >= floor })].Level
	}
	k.Found, k.At, k.Low, k.High = true, high, low, high
	k.Plateau = capacity.FindPlateau(s.from(high), s.o.Tolerance/2, s.o.Confidence)
	for _, l := range s.levels {
		l.Good = l.Level >= high && l.Level <= k.Plateau.To
		if l.Level == high {
			k.Throughput = l.Throughput
		}
	}
	k.Procedure = fmt.Sprintf("closed loop: concurrency doubled from %s until %d levels in a row brought no more, the gaps beside the best level halved, then the edge of the plateau bisected: the smallest concurrency whose throughput is lower than the plateau's by %s at most; levels in doubt were measured up to %d times, in turns with the plateau",
		quantity.Count(s.o.From), s.o.Past, quantity.Percent(s.o.Tolerance), s.o.MostRuns)
	fit, err := capacity.FitLaw(capacity.Observations(s.from(0)), s.o.Confidence)
	if err != nil {
		k.Warnings = append(k.Warnings, err.Error())
		return
	}
	k.Law = fit
	// Noise of a level with one run; the weights say that more runs are better.
	if noise := capacity.RunNoise(s.from(0)); fit.Misfit(noise.Ratio) {
		k.Warnings = append(k.Warnings, fmt.Sprintf("the levels deviate from the scalability law by %s on average, more than their noise of %s explains: the service does not follow it, as one with a hard limit does not; its coefficients and its peak are not to be relied on",
			quantity.Percent(fit.Deviation), quantity.Percent(noise.Ratio)))
	}
}
