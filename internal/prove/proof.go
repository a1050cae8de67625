package prove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/machine"
	"whet/internal/capture/host"
	"whet/internal/document"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Proof is a under way.
type Proof struct {
	Result *compare.Result

	o        *Options
	deadline time.Time
	before   *host.Meter // since the proof began
	meter    *host.Meter // while it was measured; nil: nothing was
}

// Begin makes the result that the proof fills in. The budget runs from here,
// unless Restart is called.
func Begin(o *Options, kind string) *Proof {
	seed := o.Seed
	for seed == 0 {
		seed = uint64(rand.Uint32()) // short enough to be typed again, and exact in every JSON reader
	}
	side := func(w compare.Side) compare.Program {
		return compare.Program{Operand: o.Operand(w), Tests: "not run", Env: append([]string{}, recording.Variables(o.Env[w])...), Flags: []string{}}
	}
	return &Proof{o: o, before: host.Start(), deadline: o.Now().Add(o.Budget), Result: &compare.Result{
		Schema: document.Prove, Warnings: []string{}, Kind: kind, Old: side(compare.Old), New: side(compare.New),
		AlphaRatio: o.Alpha, NoChangeAlphaRatio: compare.NoChangeAlpha(o.Alpha), ConfidenceRatio: 1 - o.Alpha, MarginRatio: o.Margin, Seed: seed, BudgetNs: int64(o.Budget), Run: 1, Layouts: 1, TurnsPlanned: 1,
		Benchmarks: []compare.Row{}, OnlyOld: []string{}, OnlyNew: []string{}, Failures: []compare.Failure{},
		Disturbances: []compare.Disturbance{}, Why: []compare.Change{},
		Host: host.Facts(nil),
	}}
}

// Restart gives the measuring the whole budget from now on.
func (p *Proof) Restart() { p.deadline = p.o.Now().Add(p.o.Budget) }

// Left returns the rest of the budget.
func (p *Proof) Left() time.Duration { return max(p.deadline.Sub(p.o.Now()), 0) }

// Warn adds a warning that is not there yet.
func (p *Proof) Warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.Result.Warnings, text) {
		p.Result.Warnings = append(p.Result.Warnings, text)
	}
}

// Fail notes, once, a side that cannot be measured.
func (p *Proof) Fail(name string, side compare.Side, err error) {
	f := compare.Failure{Name: name, Side: side.String(), Text: err.Error()}
	if !slices.Contains(p.Result.Failures, f) {
		p.Result.Failures = append(p.Result.Failures, f)
	}
}

// OneFailed enters the failure of one side, and returns an error if both failed. what
// is the noun for a side: "command", "side".
func (p *Proof) OneFailed(name, what string, errs [2]error) (failed bool, err error) {
	switch old, new := errs[compare.Old], errs[compare.New]; {
	case old != nil && new != nil:
		return true, errors.Join(fmt.Errorf("old %s: %w", what, old), fmt.Errorf("new %s: %w", what, new))
	case old != nil:
		p.Fail(name, compare.Old, old)
	case new != nil:
		p.Fail(name, compare.New, new)
	default:
		return false, nil
	}
	return true, nil
}

// Disturb enters a disturbance, once, and as a warning too.
func (p *Proof) Disturb(d compare.Disturbance) {
	if !slices.Contains(p.Result.Disturbances, d) {
		p.Result.Disturbances = append(p.Result.Disturbances, d)
		p.Warn("%s", d.Text)
	}
}

// Watch runs measure and observes disturbances of the machine meanwhile.
func (p *Proof) Watch(measure func() error) error {
	res, start, meter := p.Result, p.o.Now(), host.Start()
	err := measure()
	res.ElapsedNs = int64(p.o.Now().Sub(start))
	p.before.Stop(&res.Host)
	load := res.Host.LoadStart // builds load the machine too: how busy it was is read before them
	meter.Stop(&res.Host)
	res.Host.LoadStart, p.meter = load, meter
	return err
}

// Doubt reports the disturbances that Watch observed. ours reports whether the CPU time
// of the sides is known, so that the rest belongs to other processes.
func (p *Proof) Doubt(ours bool) {
	seen := machine.Observation{Host: &p.Result.Host, Elapsed: time.Duration(p.Result.ElapsedNs), Swapped: p.meter.Swapped, Governors: host.Governors(os.DirFS("/"))}
	if ours {
		seen.Used = p.meter.Used
	}
	for _, d := range seen.Doubts(machine.Ratios()) {
		p.Disturb(compare.Disturbance{Kind: d.Kind, Text: d.Text})
	}
}

// Rounds returns the options of rounds with the remaining budget.
func (p *Proof) Rounds() rounds.Options {
	return rounds.Options{
		Seed: p.Result.Seed, Alpha: p.o.Alpha, Margin: p.o.Margin, Budget: p.Left(), Fixed: p.o.Rounds, Run: 1,
		Watched: p.o.Output != nil, Now: p.o.Now,
	}
}

// Enter adds the outcome of rounds for subjects with these names to the result.
func (p *Proof) Enter(out *rounds.Outcome, name func(subject int) string) {
	res := p.Result
	res.RoundsPlanned, res.RoundsMeasured, res.Partial, res.Series = out.Planned, out.Measured, out.Partial, out.Series
	if out.Rows != nil {
		res.Benchmarks = out.Rows
	}
	for _, f := range out.Failures {
		p.Fail(name(f.Benchmark), f.Side, fmt.Errorf("in round %d: %w", f.Round, f.Err))
	}
	if out.Interrupted && p.o.Output != nil {
		p.Warn("interrupted while showing the sides' output (-v): the output may have prompted the interrupt, so no further verdict is drawn")
	}
}

// Few warns, before the rounds start, that fewer rounds are planned than a verdict
// needs, and names a sufficient budget: the time used so far, and the rounds.
func (p *Proof) Few(planned, fewest int, each time.Duration, on, more string) {
	before := p.o.Budget - p.deadline.Sub(p.o.Now()) // more than the budget where that is used up
	remedy := fmt.Sprintf("-budget %v would suffice", enough(before+time.Duration(fewest)*each)) + more
	why := fmt.Sprintf("the budget of %v allows", p.o.Budget)
	if p.o.Rounds > 0 {
		why, remedy = "-rounds asks for", "give more"
	}
	text := fmt.Sprintf("%s %s, and a difference in %s takes %d to be found: %s", why, quantity.Plural(planned, "round"), on, fewest, remedy)
	p.Warn("%s", text)
	p.o.Tell(Event{Warning: text})
}

// Measure measures one subject in rounds and enters the outcome.
func (p *Proof) Measure(ctx context.Context, subject rounds.Benchmark, runner rounds.Runner) error {
	o := p.Rounds()
	o.Progress = func(e rounds.Event) {
		p.o.Tell(Event{Stage: "rounds", Round: e.Round, Rounds: e.Rounds, Left: e.Left, Plan: e.Plan})
	}
	needed := compare.FewestRounds(len(subject.Metrics), p.o.Alpha)
	if plan := rounds.MakePlan([]rounds.Benchmark{subject}, o); plan.Rounds < needed {
		p.Few(plan.Rounds, needed, plan.Round, "what varies", "")
	}
	p.Result.CalibratedNs = int64(p.o.Budget - p.Left())
	var out *rounds.Outcome
	err := p.Watch(func() (err error) {
		out, err = rounds.Measure(ctx, []rounds.Benchmark{subject}, runner, o)
		return err
	})
	if err != nil {
		return err
	}
	p.Enter(out, func(int) string { return subject.Name })
	res := p.Result
	res.SliceNs = int64(max(subject.Slice[0], subject.Slice[1]))
	res.RoundsNeeded = needed
	if out.Measured > 0 {
		p.Doubt(false)
	}
	return nil
}

// enough returns a budget for a duration, with a tenth to spare, rounded to a usual
// value.
func enough(needed time.Duration) time.Duration {
	const step = 5 * time.Second
	return (needed*11/10 + step - 1) / step * step
}

// End completes the result of a proof, which ctx may have interrupted.
func (p *Proof) End(ctx context.Context) *compare.Result {
	res := p.Result
	if res.Interrupted = ctx.Err() != nil; res.Interrupted && res.Partial == "" {
		res.Partial = "interrupted before the first round"
		if res.RoundsPlanned > 0 {
			res.Partial = fmt.Sprintf("interrupted after %d of %s", res.RoundsMeasured, quantity.Plural(res.RoundsPlanned, "round"))
		}
	}
	if p.meter == nil {
		p.before.Stop(&res.Host)
	}
	res.Summarize()
	return res
}
