package knee

import (
	"math"

	"whet/internal/analyze/capacity"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// # Drift
//
// A machine that gets slower, or a service that does, while one level is measured
// after the other makes the later levels look worse. Levels that were measured
// several times show it: the common slope of their throughputs over the order of
// the runs, each taken relative to its level's mean. Where chance would show such a
// slope in one case of a thousand, by Student's test, all throughputs are converted
// to the moment of the last run, by the factor exp(slope·runs between). Without that
// a fifth that is lost in the course of fifty runs leads two searches of five astray
// (TestDrift).

const (
	// known is how many deviations from the mean a slope must rest on.
	known = 4
	// shown is the confidence that there is one.
	shown = 0.999
)

// drift is the relative change of throughput from one run to the next; 0 where none
// is shown.
func (s *search) drift() float64 {
	floor := 0.0
	for _, l := range s.levels {
		floor = max(floor, l.Runs[0].Throughput/2)
	}
	var tt, tx, xx float64
	freedom := 0
	for _, l := range s.levels {
		n := float64(len(l.Runs))
		if n < 2 || l.Runs[0].Throughput < floor {
			continue
		}
		var turn, mean float64
		for _, p := range l.Runs {
			turn += float64(p.turn) / n
			mean += p.Throughput / n
		}
		if !(mean > 0) {
			continue
		}
		for _, p := range l.Runs {
			t, x := float64(p.turn)-turn, p.Throughput/mean-1
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

// estimate brings the throughputs up to date after a run of a level.
func (s *search) estimate(changed *Level) {
	before := s.slope
	if !s.o.Open {
		s.slope = s.drift()
	}
	for _, l := range s.levels {
		if l == changed || s.slope != 0 || before != 0 {
			l.known = s.capacity(l)
			l.Throughput = l.known.Throughput()
		}
	}
}

// capacity is a level as package capacity takes it.
func (s *search) capacity(l *Level) capacity.Level {
	c := capacity.Level{N: l.Level}
	for _, p := range l.Runs {
		factor := math.Exp(s.slope * float64(s.runs-p.turn))
		run := capacity.Run{Throughput: p.Throughput * factor}
		for _, b := range p.Blocks {
			run.Blocks = append(run.Blocks, b*factor)
		}
		c.Runs = append(c.Runs, run)
	}
	return c
}

// drifted says what was converted.
func (s *search) drifted() {
	if s.slope == 0 {
		return
	}
	way, change := "rose", math.Exp(s.slope*float64(s.runs))-1
	if change < 0 {
		way = "fell"
	}
	s.warn("throughput %s by about %s in the course of the search: all levels are given as of its end", way, quantity.Percent(math.Abs(change)))
}
