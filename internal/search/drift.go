package search

import (
	"math"

	"whet/internal/analyze/capacity"
	"whet/internal/stat"
)

// # Drift
//
// A machine that gets slower, or a service that does, while one level is measured
// after the other makes the later levels look worse. Levels that were measured
// several times show it: the common slope of their figures over the order of
// the runs, each taken relative to its level's mean. Where chance would show such a
// slope in one case of a thousand, by Student's test, all figures are converted
// to the moment of the last run, by the factor exp(slope·runs between). Without that
// a fifth that is lost in the course of fifty runs leads two searches of five astray
// (TestDrift of package knee).

const (
	// known is how many deviations from the mean a slope must rest on.
	known = 4
	// shown is the confidence that there is one.
	shown = 0.999
)

// drift returns the relative change of the figures from one run to the next; 0 where
// none is shown.
func (s *Search[P]) drift() float64 {
	floor := 0.0
	for _, l := range s.Levels {
		floor = max(floor, l.Runs[0].Measured().Figure/2)
	}
	var tt, tx, xx float64
	freedom := 0
	for _, l := range s.Levels {
		n := float64(len(l.Runs))
		if n < 2 || l.Runs[0].Measured().Figure < floor {
			continue
		}
		var turn, mean float64
		for i, p := range l.Runs {
			turn += float64(l.turns[i]) / n
			mean += p.Measured().Figure / n
		}
		if !(mean > 0) {
			continue
		}
		for i, p := range l.Runs {
			t, x := float64(l.turns[i])-turn, p.Measured().Figure/mean-1
			tt, tx, xx = tt+t*t, tx+t*x, xx+x*x
		}
		freedom += len(l.Runs) - 1
	}
	if freedom < known || tt == 0 {
		return 0
	}
	slope := tx / tt
	rest := max(xx-slope*tx, 0) / float64(freedom-1)
	if math.Abs(slope) <= stat.StudentQuantile((1+shown)/2, freedom-1)*math.Sqrt(rest/tt) {
		return 0
	}
	return slope
}

// estimate brings the figures up to date after a run of a level.
func (s *Search[P]) estimate(changed *Level[P]) {
	before := s.slope
	if !s.o.Steady {
		s.slope = s.drift()
	}
	for _, l := range s.Levels {
		if l == changed || s.slope != 0 || before != 0 {
			l.known = s.capacity(l)
			l.Figure = l.known.Throughput()
		}
	}
}

// capacity returns a level as package capacity takes it.
func (s *Search[P]) capacity(l *Level[P]) capacity.Level {
	c := capacity.Level{N: l.Level}
	for i, p := range l.Runs {
		m, factor := p.Measured(), math.Exp(s.slope*float64(s.runs-l.turns[i]))
		run := capacity.Run{Throughput: m.Figure * factor}
		for _, b := range m.Slices {
			run.Blocks = append(run.Blocks, b*factor)
		}
		c.Runs = append(c.Runs, run)
	}
	return c
}

// Change returns the share by which the figures drifted during the search; 0: no
// drift was found. All figures are corrected to the end of the search.
func (s *Search[P]) Change() float64 { return math.Exp(s.slope*float64(s.runs)) - 1 }
