package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/pair"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
)

// Options says what to compare and how. Start from DefaultOptions.
type Options struct {
	pair.Settings

	Old, New string // command lines
	Dir      string // both run in it
	// Env are variables, KEY=value, that only the old or the new side gets,
	// beside our own environment.
	Env     [2][]string
	Timeout time.Duration // of one run
	// SameOutput compares what both sides print on stdout before the rounds, and
	// ends the proof where it differs.
	SameOutput bool

	Output io.Writer // receives what the commands print; safe for concurrent use; nil drops it
}

// DefaultOptions returns what whet prove -cmd uses unless told otherwise.
func DefaultOptions() Options {
	return Options{Settings: pair.DefaultSettings(), Timeout: time.Minute}
}

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	for _, line := range [2]string{o.Old, o.New} {
		if _, err := pair.Split(line); err != nil {
			return err
		}
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("-timeout %v: give the longest time that one run may take", o.Timeout)
	}
	if err := pair.CheckEnv(o.Env); err != nil {
		return err
	}
	return o.Settings.Validate()
}

// name stands for the benchmark's name in the rows.
const name = "command"

// Run compares the two commands. The error is not nil when there is nothing to
// report, as when neither of the commands can be run. A side that fails is in
// the result, and so is what was measured before an interrupt.
func Run(ctx context.Context, o Options) (*compare.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := pair.Begin(&o.Settings, compare.KindCommands, o.Old, o.New, o.Env)
	p.Watched = o.Output != nil
	r, err := newRunner(&o)
	if err != nil {
		return nil, err
	}
	c, err := r.calibrate(ctx, p)
	switch {
	case ctx.Err() != nil:
		return p.Interrupted(), nil
	case err != nil:
		return nil, err
	case len(p.Result.Failures) > 0 || p.Result.Answers != nil && p.Result.Answers.Differing > 0:
		return p.End(), nil
	}
	r.runs = runsOf(max(c.wall[compare.Old], c.wall[compare.New]))
	subject := rounds.Subject{Name: name, Iterations: int64(r.runs), Metrics: []compare.Metric{compare.MetricOf(compare.WallNs), compare.MetricOf(compare.CPUNs)}}
	for side := range subject.Slice {
		subject.Slice[side] = c.took[side] * time.Duration(r.runs)
	}
	if c.peak {
		subject.Metrics = append(subject.Metrics, compare.MetricOf(compare.PeakBytes))
	} else {
		p.Warn("peak memory is left out: the system tells none of a program that stays below whet's own")
	}
	if least := min(c.wall[compare.Old], c.wall[compare.New]); least < shortest {
		p.Warn("a run takes %s: below %v the start of the process is most of what is compared; give the command more to do, or compare benchmarks",
			quantity.Nanoseconds(float64(least)), shortest)
	}
	if err := p.Measure(ctx, subject, r); err != nil {
		if ctx.Err() != nil {
			return p.Interrupted(), nil
		}
		return nil, err
	}
	return p.End(), nil
}

const (
	// shortest is the wall time below which the start of a process is most of it.
	shortest = 5 * time.Millisecond
	// A slice of quick commands is as many runs as fill this, at most mostRuns:
	// what disturbs one run weighs less then, and a round costs little more.
	fill     = 100 * time.Millisecond
	mostRuns = 50
)

// runsOf is the number of runs in a slice, from the wall time of the slower side.
func runsOf(wall time.Duration) int {
	return int(min(max(fill/max(wall, time.Microsecond), 1), mostRuns))
}

// costs are what a run takes on each side.
type costs struct {
	wall, took [2]time.Duration
	peak       bool // is known on both sides
}

// Calibration runs each side until it has this many runs, or has spent this
// time; a side whose first run takes more than the share of the budget is not
// run again.
const (
	calibrationRuns  = 3
	calibrationTime  = 500 * time.Millisecond
	calibrationShare = 20
)

// calibrate runs each side without counting, compares what they print where
// that was asked for, and times them. Failures are entered in the result; the
// error is of both sides, or of the context.
func (r *runner) calibrate(ctx context.Context, p *pair.Proof) (costs, error) {
	c := costs{peak: true}
	var first [2]run
	var errs [2]error
	for _, side := range []compare.Which{compare.Old, compare.New} {
		r.o.Tell("warming up %v", side)
		first[side], errs[side] = r.once(ctx, side, r.o.SameOutput)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
	}
	switch {
	case errs[0] != nil && errs[1] != nil:
		return c, errors.Join(fmt.Errorf("old command: %w", errs[0]), fmt.Errorf("new command: %w", errs[1]))
	case errs[0] != nil:
		p.Fail(name, compare.Old, fmt.Errorf("%w (the new side ended with exit status 0)", errs[0]))
		return c, nil
	case errs[1] != nil:
		p.Fail(name, compare.New, fmt.Errorf("%w (the old side ended with exit status 0)", errs[1]))
		return c, nil
	}
	if r.o.SameOutput {
		p.Result.Answers = sameOutput(first)
		if p.Result.Answers.Differing > 0 {
			return c, nil
		}
	}
	for _, side := range []compare.Which{compare.Old, compare.New} {
		r.o.Tell("timing %v", side)
		best := first[side]
		c.peak = c.peak && best.peak > 0
		for n, spent := 0, time.Duration(0); n < calibrationRuns && spent < calibrationTime && best.took < r.o.Budget/calibrationShare; n++ {
			m, err := r.once(ctx, side, false)
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
			if err != nil {
				p.Fail(name, side, err)
				return c, nil
			}
			spent += m.took
			if m.wall < best.wall || n == 0 { // the first run may have read from disk
				best = m
			}
			c.peak = c.peak && m.peak > 0
		}
		c.wall[side], c.took[side] = best.wall, best.took
	}
	return c, nil
}

// sameOutput compares what the first runs printed.
func sameOutput(first [2]run) *compare.Answers {
	a := &compare.Answers{Requests: 1, Differences: []compare.Difference{}}
	old, new := first[compare.Old], first[compare.New]
	if old.sha256 != new.sha256 {
		show := func(m run) string {
			return fmt.Sprintf("%s, sha256 %s", quantity.Plural(int(m.stdout), "byte"), m.sha256)
		}
		a.Differing = 1
		a.Differences = append(a.Differences, compare.Difference{Request: "the command", Where: "stdout", Old: show(old), New: show(new)})
	}
	return a
}
