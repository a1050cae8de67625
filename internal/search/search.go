package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"whet/internal/analyze/capacity"
)

// Point is the result of one run of a level, with the caller's own data.
type Point interface{ Measured() Measurement }

// Measurement is the figures of a point that a search needs.
type Measurement struct {
	Figure float64       // by which levels are compared
	Slices []float64     // the figures of equal slices of the span
	Span   time.Duration // that was measured
	Took   time.Duration // including preparation and cleanup
}

// Level is a level with its runs, in the order they were measured.
type Level[P Point] struct {
	Level float64
	Runs  []P
	// Figure is the estimate from all runs.
	Figure float64
	Good   bool // as the caller judges

	turns []int          // the place of each run among all
	known capacity.Level // the runs without the drift
}

// Options bound a search.
type Options struct {
	Budget time.Duration // of the total duration of the measurements
	// Steady leaves a drift in the figures.
	Steady bool
	// Expected is about how many measurements are left in a stage and after it,
	// where so many were made before.
	Expected func(s Stage, runs int) int
	Progress func(Progress) // called before each measurement; nil: never
}

// Ends of a search before it is complete.
var (
	ErrBudget      = errors.New("the budget ran out")
	ErrInterrupted = errors.New("interrupted")
)

// Search is a under way.
type Search[P Point] struct {
	Levels []*Level[P] // ascending
	// Stage and Best belong to the caller, and appear in the progress.
	Stage    Stage
	Best     float64
	Spent    time.Duration
	Warnings []string

	ctx     context.Context
	o       Options
	measure func(ctx context.Context, level float64, span time.Duration) (P, error)
	runs    int
	extra   time.Duration // of Spent: beside the spans
	slope   float64       // of the figures, from run to run
}

// New returns a search that measures by a function.
func New[P Point](ctx context.Context, o Options, measure func(ctx context.Context, level float64, span time.Duration) (P, error)) *Search[P] {
	return &Search[P]{ctx: ctx, o: o, measure: measure}
}

// Warn adds a warning once.
func (s *Search[P]) Warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(s.Warnings, w) {
		s.Warnings = append(s.Warnings, w)
	}
}

func (s *Search[P]) find(level float64) (int, bool) {
	return slices.BinarySearchFunc(s.Levels, level, func(l *Level[P], at float64) int { return cmp.Compare(l.Level, at) })
}

// At returns a level that was measured, else nil.
func (s *Search[P]) At(level float64) *Level[P] {
	if i, found := s.find(level); found {
		return s.Levels[i]
	}
	return nil
}

// From returns the levels at and above one as package capacity takes them.
func (s *Search[P]) From(level float64) []capacity.Level {
	var out []capacity.Level
	for _, l := range s.Levels {
		if l.Level >= level {
			out = append(out, l.known)
		}
	}
	return out
}

// Run measures a level again, for a span.
func (s *Search[P]) Run(level float64, span time.Duration) (*Level[P], error) {
	p, err := s.Once(level, span)
	if err != nil {
		return nil, err
	}
	i, found := s.find(level)
	if !found {
		s.Levels = slices.Insert(s.Levels, i, &Level[P]{Level: level})
	}
	l := s.Levels[i]
	l.Runs, l.turns = append(l.Runs, p), append(l.turns, s.runs)
	s.estimate(l)
	return l, nil
}

// Once measures without keeping the point.
func (s *Search[P]) Once(level float64, span time.Duration) (p P, err error) {
	switch {
	case s.ctx.Err() != nil:
		return p, ErrInterrupted
	case s.Spent+s.cost(span) > s.o.Budget:
		return p, ErrBudget
	case s.o.Progress != nil:
		s.o.Progress(s.state(level))
	}
	p, err = s.measure(s.ctx, level, span)
	if s.ctx.Err() != nil {
		return p, ErrInterrupted
	}
	if err == nil {
		s.took(p.Measured(), span)
	}
	return p, err
}
