package rounds

import (
	"context"
	"errors"
	"time"

	"whet/internal/analyze/compare"
)

// Benchmark is a benchmark, service or command that both sides have.
type Benchmark struct {
	Package, Name string
	Metrics       []compare.Metric
	Iterations    int64            // of every slice; 0: does not apply
	Slice         [2]time.Duration // duration of a slice of each side, including the start of its process
	Turns         int              // of a round; 0: 1
	Besides       time.Duration    // duration of a round without its slices
}

func (s *Benchmark) turns() int { return max(s.Turns, 1) }

// round returns the duration of the subject's part of a round, averaged over the side
// that is repeated.
func (s *Benchmark) round() time.Duration {
	return time.Duration(s.turns())*(s.Slice[compare.Old]+s.Slice[compare.New])*3/2 + s.Besides
}

// SliceRequest asks a Runner for one slice.
type SliceRequest struct {
	Benchmark int
	Side      compare.Side
	Round     int    // of this run, from 1
	Turn      int    // of the benchmark in the round, from 1
	Doubled   bool   // the side runs twice in the turn
	Seed      uint64 // of the round's layout; 0: the linker's own
}

// Runner measures. Its calls come one after the other.
type Runner interface {
	// Prepare is called before the first slice of a round, with the subjects
	// that are still measured: layouts are linked here.
	Prepare(ctx context.Context, round int, seed uint64, subjects []int) error
	Slice(ctx context.Context, r SliceRequest) (compare.Slice, error)
}

// Turner is a Runner that measures the slices of a turn together. The requests are in
// the order drawn by lot; failed is the index of the slice that an error is of. It must
// treat the three alike: neither their order nor their sides may matter.
type Turner interface {
	Runner
	Turn(ctx context.Context, requests [3]SliceRequest) (got [3]compare.Slice, failed int, err error)
}

// SliceBySlice measures the slices of a turn one after the other. failed is the index of
// the one that an error is of.
func SliceBySlice(ctx context.Context, r Runner, requests [3]SliceRequest) (got [3]compare.Slice, failed int, err error) {
	for i, req := range requests {
		if got[i], err = r.Slice(ctx, req); err != nil || ctx.Err() != nil {
			return got, i, err
		}
	}
	return got, 0, nil
}

// MaxRounds is the most that a plan makes of a large budget unless told
// otherwise. The interval narrows with the root of the rounds: beyond this a
// user waits long for little.
const MaxRounds = 200

// Options of a run.
type Options struct {
	Seed          uint64
	Alpha, Margin float64
	Budget        time.Duration
	Fixed         int           // rounds given by the user; 0: as many as the budget allows, at most Max
	Max           int           // 0: MaxRounds
	Prepare       time.Duration // duration of preparing a round
	Layouts       bool          // each round has a layout of its own; else every seed is 0
	OneLook       bool          // at the end: for metrics that no look takes out of the measuring, which would pay for it with confidence

	Earlier [][]compare.Round // of each subject, from earlier runs of the same question; nil: none
	Run     int               // number of this run, from 1
	Runs    []int             // that of each subject, where a question was not asked of all before; nil: Run

	// Watched reports whether the user sees the figures during the run. A user who then
	// interrupts the run may have looked at them, so there is no last look.
	Watched bool

	// Stop, asked at looks, ends the run for reasons of its own. nil: never.
	Stop     func(rows []compare.Row) bool
	Now      func() time.Time
	Progress func(Event) // nil: none
}

// Event is the progress of a run.
type Event struct {
	Plan          string // set once, when the plan is made
	Benchmark     int    // -1: outside of one
	Round, Rounds int    // from 1; 0 before the rounds
	Measured      int    // subjects that are still measured
	Left          time.Duration
}

// Outcome is the result of a run.
type Outcome struct {
	Series []compare.Series // of the subjects, in their order, with whole rounds only
	Rows   []compare.Row
	// Planned is the number of rounds that the budget pays for with all
	// subjects, and the last of Looks the largest number for any.
	Planned int
	Looks   []int
	// Measured is the number of rounds of this run that every subject without
	// a verdict or a failure has; where there is none, the largest of all.
	Measured    int
	Partial     string // why fewer rounds were measured than planned; "" when they were not
	Failures    []Failure
	Interrupted bool  // the context ended it
	Trouble     error // the runner could not prepare a round: nothing further was measured
}

// Failure is a slice that failed, and with it its subject.
type Failure struct {
	SliceRequest
	Err error
}

func (o *Options) validate(subjects []Benchmark) error {
	switch {
	case o.Now == nil:
		return errors.New("measure rounds: no clock")
	case len(subjects) == 0:
		return errors.New("measure rounds: nothing to measure")
	case o.Earlier != nil && len(o.Earlier) != len(subjects):
		return errors.New("measure rounds: the earlier rounds do not match the subjects")
	case o.Runs != nil && len(o.Runs) != len(subjects):
		return errors.New("measure rounds: the numbers of runs do not match the subjects")
	case o.Run < 1:
		return errors.New("measure rounds: no number of the run")
	}
	return nil
}
