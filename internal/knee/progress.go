package knee

import "time"

// progress keeps account of the time.
type progress struct {
	stage Stage
	runs  int
	spent time.Duration
	extra time.Duration // of spent: beside the spans
	best  float64
}

// took counts a measurement.
func (p *progress) took(point Point, span time.Duration) {
	took := max(point.Took, point.Span, span/2)
	p.runs++
	p.spent += took
	p.extra += max(took-span, 0)
}

// cost is what the next measurement is expected to take.
func (p *progress) cost(span time.Duration) time.Duration {
	return span + p.extra/time.Duration(max(p.runs, 1))
}

// usual is about how many measurements a search takes, stage by stage.
func usual(open bool) (growing, refining, deciding int) {
	if open {
		return 3, 7, 8
	}
	return 9, 8, 16
}

// state guesses what is left: the usual number of measurements, but one at least
// in the current stage.
func (p *progress) state(level float64, o *Options) Progress {
	growing, refining, deciding := usual(o.Open)
	expected, mean := 0, time.Duration(0)
	switch p.stage {
	case Growing:
		expected = max(growing-p.runs, 1) + refining + deciding
	case Refining, Cooling:
		expected = max(growing+refining-p.runs, 1) + deciding
	default:
		expected = max(growing+refining+deciding-p.runs, 1)
	}
	if p.runs > 0 {
		mean = p.spent / time.Duration(p.runs)
	}
	return Progress{
		Stage: p.stage, Level: level, Runs: p.runs, Spent: p.spent, Best: p.best,
		Left: min(time.Duration(expected)*mean, max(o.Budget-p.spent, 0)),
	}
}
