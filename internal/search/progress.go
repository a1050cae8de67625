package search

import "time"

// Progress is the state of a search before its next measurement.
type Progress struct {
	Stage Stage
	Level float64       // the next level
	Runs  int           // measured so far
	Spent time.Duration // by them
	// Left is the estimated time left; levels in doubt may take longer, up to the
	// budget.
	Left time.Duration
	// Best is the best figure so far; 0: none yet.
	Best float64
}

// Stage is a part of the search, in words.
type Stage string

// took counts a measurement.
func (s *Search[P]) took(m Measurement, span time.Duration) {
	took := max(m.Took, m.Span, span/2)
	s.runs++
	s.Spent += took
	s.extra += max(took-span, 0)
}

// cost returns what the next measurement is expected to take.
func (s *Search[P]) cost(span time.Duration) time.Duration {
	return span + s.extra/time.Duration(max(s.runs, 1))
}

// state guesses what is left by what the measurements took.
func (s *Search[P]) state(level float64) Progress {
	p := Progress{Stage: s.Stage, Level: level, Runs: s.runs, Spent: s.Spent, Best: s.Best}
	if s.runs > 0 {
		mean := s.Spent / time.Duration(s.runs)
		p.Left = min(time.Duration(s.o.Expected(s.Stage, s.runs))*mean, max(s.o.Budget-s.Spent, 0))
	}
	return p
}
