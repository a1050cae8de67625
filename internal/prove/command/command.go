package command

import (
	"context"
	"fmt"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
)

// Options configure a comparison of commands. Start from DefaultOptions.
type Options struct {
	prove.Options // Old and New are command lines

	Timeout time.Duration // of one run
	// SameOutput compares the output of both sides on stdout before the rounds, and
	// ends the proof if it differs.
	SameOutput bool
}

// DefaultOptions returns the default options of whet prove -cmd.
func DefaultOptions() Options {
	return Options{Options: prove.DefaultOptions(), Timeout: time.Minute}
}

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	if _, err := o.Split(); err != nil {
		return err
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("-timeout %v: give a positive limit for one run", o.Timeout)
	}
	return o.Options.Validate()
}

// name replaces the benchmark's name in the rows.
const name = "command"

// Run compares the two commands. The error is not nil if there is nothing to report,
// for example because neither command can be run. The result has the failure of one
// side, and the measurements before an interrupt.
func Run(ctx context.Context, o Options) (*compare.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	argv, err := o.Split()
	if err != nil {
		return nil, err
	}
	r := &runner{o: &o, argv: argv, runs: 1}
	p := prove.Begin(&o.Options, compare.KindCommands)
	if err := r.measure(ctx, p); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return p.End(ctx), nil
}

// measure enters the figures of the commands.
func (r *runner) measure(ctx context.Context, p *prove.Proof) error {
	c, err := r.calibrate(ctx, p)
	if err != nil || len(p.Result.Failures) > 0 || p.Result.Answers != nil && p.Result.Answers.Differing > 0 {
		return err
	}
	r.runs = runsOf(max(c.wall[compare.Old], c.wall[compare.New]))
	subject := rounds.Benchmark{Name: name, Iterations: int64(r.runs), Metrics: []compare.Metric{compare.MetricOf(compare.WallNs), compare.MetricOf(compare.CPUNs)}}
	for side := range subject.Slice {
		subject.Slice[side] = c.took[side] * time.Duration(r.runs)
	}
	if c.peak {
		subject.Metrics = append(subject.Metrics, compare.MetricOf(compare.PeakBytes))
	} else {
		p.Warn("peak memory is left out: the system does not report it for a program that uses less than whet")
	}
	if least := min(c.wall[compare.Old], c.wall[compare.New]); least < shortest {
		p.Warn("a run takes %s: below %v process start dominates the comparison; give the command more work, or compare benchmarks",
			quantity.Nanoseconds(float64(least)), shortest)
	}
	return p.Measure(ctx, subject, r)
}

const (
	// shortest is the wall time below which the start of a process is most of it.
	shortest = 5 * time.Millisecond
	// A slice of quick commands consists of as many runs as fill this, at most
	// mostRuns: a disturbance of one run then weighs less, and a round costs little
	// more.
	fill     = 100 * time.Millisecond
	mostRuns = 50
)

// runsOf returns the number of runs in a slice, from the wall time of the slower side.
func runsOf(wall time.Duration) int {
	return int(min(max(fill/max(wall, time.Microsecond), 1), mostRuns))
}

// costs are the durations of a run on each side.
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

// calibrate runs each side without counting, compares their output if requested, and
// times them. Failures are entered in the result; the error is of both sides, or of the
// context.
func (r *runner) calibrate(ctx context.Context, p *prove.Proof) (costs, error) {
	c := costs{peak: true}
	var first [2]run
	var errs [2]error
	for side := range compare.Sides {
		r.o.Tell(prove.Event{Stage: "warming up " + side.String()})
		first[side], errs[side] = r.once(ctx, side, r.o.SameOutput)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
	}
	for side, err := range errs {
		if other := compare.Side(1 - side); err != nil && errs[other] == nil {
			errs[side] = fmt.Errorf("%w (the %v side ended with exit status 0)", err, other)
		}
	}
	if failed, err := p.OneFailed(name, "command", errs); failed {
		return c, err
	}
	if r.o.SameOutput {
		p.Result.Answers = sameOutput(first)
		if p.Result.Answers.Differing > 0 {
			return c, nil
		}
	}
	for side := range compare.Sides {
		r.o.Tell(prove.Event{Stage: "timing " + side.String()})
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

// sameOutput compares the output of the first runs.
func sameOutput(first [2]run) *compare.OutputComparison {
	a := &compare.OutputComparison{Requests: 1, Differences: []compare.Difference{}}
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
