package knee

import (
	"math"
	"slices"

	"whet/internal/analyze/capacity"
	"whet/internal/search"
	"whet/internal/stat"
)

// How long a level is measured before it is decided: of a closed loop by the
// noise of the plateau, of an open one by two runs that agree, or three. The
// budget ends the search before (package search).

const (
	// sure is the confidence with which a difference is on one side of the
	// tolerance.
	sure = 0.99
	// stale is after how many runs of others the plateau is measured again.
	stale = 2
)

// holds measures both sides of the bracket until each was measured as often as the
// options say, and reports whether they are what they were taken for.
func (s *finder) holds(low, high float64) (bool, error) {
	if low > 0 {
		if within, err := s.decide(low, s.o.Runs); within || err != nil {
			return false, err
		}
	}
	return s.decide(high, s.o.Runs)
}

// decide reports whether a level is within the plateau. It measures until that is
// clear, the level at least as often as runs says.
func (s *finder) decide(level float64, runs int) (bool, error) {
	for since := 0; ; since++ {
		if l := s.At(level); l != nil {
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

// others returns the plateau without a level, which is to be compared with it.
func (s *finder) others(level float64) (p capacity.Plateau, ok bool) {
	levels := slices.DeleteFunc(s.From(0), func(l capacity.Level) bool { return l.N == level })
	if len(levels) == 0 {
		return p, false
	}
	return capacity.FindPlateau(levels, s.o.Tolerance/2, s.o.Confidence), true
}

// lower returns the share by which a level's throughput is lower than the plateau's,
// and by how much that may be wrong.
func (s *finder) lower(l *search.Level[Point]) (share, width float64) {
	p, ok := s.others(l.Level)
	if !ok {
		return 0, 0
	}
	noise := capacity.RunNoise(s.From(l.Level / 2))
	width = stat.StudentQuantile((1+sure)/2, max(noise.Freedom, 1)) * noise.Ratio * math.Sqrt(1/float64(len(l.Runs))+1/float64(p.Runs))
	return 1 - l.Figure/p.Throughput.Center, width
}

// reference returns the level of the plateau, but for one, that was measured least
// often.
func (s *finder) reference(level float64) float64 {
	p, ok := s.others(level)
	if !ok {
		return level
	}
	best, runs := level, math.MaxInt
	for _, l := range s.Levels {
		if l.Level >= p.From && l.Level <= p.To && l.Level != level && len(l.Runs) < runs {
			best, runs = l.Level, len(l.Runs)
		}
	}
	return best
}

// settled measures a rate until it has said the same as often as the options' Runs
// say, or MostRuns times, or turns out to be what it was not taken for: then rates
// beside it say more than it does once again.
func (s *finder) settled(rate float64, want bool) (bool, error) {
	l := s.At(rate)
	if l == nil { // no rate is on this side
		return true, nil
	}
	for l.Good == want {
		same, runs := s.kept(l), len(l.Runs)
		if !want {
			same = runs - same
		}
		if same >= s.o.Runs && 2*same > runs || runs >= s.o.MostRuns {
			return true, nil
		}
		if err := s.try(rate); err != nil {
			return false, err
		}
	}
	return false, nil
}
