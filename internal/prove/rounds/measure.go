package rounds

import (
	"context"
	"fmt"
	"slices"
	"time"

	"whet/internal/analyze/compare"
)

// Measure runs the plan. The error is not nil when nothing was measured for
// want of subjects, options, or a first round that could not be prepared; an
// interrupted run is none.
func Measure(ctx context.Context, subjects []Benchmark, r Runner, o Options) (*Outcome, error) {
	if err := o.validate(subjects); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	m := &measuring{o: o, subjects: subjects, runner: r, plan: MakePlan(subjects, o), deadline: o.Now().Add(o.Budget)}
	m.state = make([]state, len(subjects))
	for i := range subjects {
		s := &subjects[i]
		series := compare.Series{Package: s.Package, Name: s.Name, Iterations: s.Iterations, Metrics: s.Metrics, Run: o.Run, RoundNs: int64(s.round() + o.Prepare)}
		if o.Runs != nil {
			series.Run = o.Runs[i]
		}
		if o.Earlier != nil {
			series.Rounds = append(series.Rounds, o.Earlier[i]...)
			series.Earlier = len(series.Rounds)
		}
		m.out.Series = append(m.out.Series, series)
	}
	m.out.Planned, m.out.Looks = m.plan.Rounds, m.plan.Looks
	o.Progress(Event{Plan: m.plan.String(), Benchmark: -1, Rounds: m.plan.Most, Measured: len(subjects), Left: m.left(1)})
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	return &m.out, nil
}

// measuring is a run under way.
type measuring struct {
	o        Options
	subjects []Benchmark
	runner   Runner
	plan     Plan
	deadline time.Time
	state    []state
	stopped  bool // by Options.Stop
	out      Outcome
}

// state is the state of a subject.
type state int

const (
	measured state = iota
	decided
	failed
)

// active returns the subjects that are still measured.
func (m *measuring) active() []int {
	var out []int
	for i, s := range m.state {
		if s == measured {
			out = append(out, i)
		}
	}
	return out
}

// overBudget reports whether the time is over. The first round is always measured:
// without it there is no result.
func (m *measuring) overBudget(round int, need time.Duration) bool {
	return round > 1 && m.deadline.Sub(m.o.Now()) <= need
}

// run measures round after round until the plan, the budget, the context or
// the verdicts end it, and judges. The error is of a first round that could
// not be prepared.
func (m *measuring) run(ctx context.Context) error {
	for r := 1; r <= m.plan.Most && len(m.active()) > 0 && !m.stopped; r++ {
		if ctx.Err() != nil || m.overBudget(r, m.o.Prepare) {
			break
		}
		whole, err := m.round(ctx, r)
		if err != nil && r == 1 {
			return err
		}
		m.out.Trouble = err
		if !whole {
			break
		}
		if slices.Contains(m.plan.Looks, r) {
			m.look()
		}
	}
	m.conclude(ctx)
	return nil
}

// round runs the turns of all subjects without a verdict. A series gets whole turns
// only; one with a turn has the round, because its early end does not depend on the
// figures. It reports whether the round was complete; the error is that of preparing
// it.
func (m *measuring) round(ctx context.Context, r int) (whole bool, err error) {
	active := m.active()
	counts := make([]int, len(m.subjects))
	for i := range m.subjects {
		counts[i] = m.subjects[i].turns()
	}
	layout, turns := lot(m.o.Seed, m.o.Run, r, counts)
	if !m.o.Layouts {
		layout = 0
	}
	m.o.Progress(Event{Benchmark: -1, Round: r, Rounds: m.plan.Most, Measured: len(active), Left: m.left(r)})
	if err := m.runner.Prepare(ctx, r, layout, active); err != nil {
		if ctx.Err() != nil {
			return false, nil
		}
		return false, fmt.Errorf("prepare round %d: %w", r, err)
	}
	for _, t := range turns {
		if m.state[t.subject] != measured {
			continue
		}
		if ctx.Err() != nil || m.overBudget(r, 0) {
			return false, nil
		}
		m.o.Progress(Event{Benchmark: t.subject, Round: r, Rounds: m.plan.Most, Measured: len(active), Left: m.left(r)})
		if !m.turn(ctx, r, layout, t) {
			return false, nil
		}
	}
	return true, nil
}

// turn runs the three slices of one turn and reports whether the context let it.
// A subject that fails is measured no more.
func (m *measuring) turn(ctx context.Context, r int, layout uint64, t turn) bool {
	var requests [3]SliceRequest
	for i, sl := range t.slots {
		side := t.side(sl)
		requests[i] = SliceRequest{Benchmark: t.subject, Side: side, Round: r, Turn: t.number, Doubled: side == t.doubled, Seed: layout}
	}
	measure := func() ([3]compare.Slice, int, error) { return SliceBySlice(ctx, m.runner, requests) }
	if t, ok := m.runner.(Turner); ok {
		measure = func() ([3]compare.Slice, int, error) { return t.Turn(ctx, requests) }
	}
	slices, failure, err := measure()
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		m.state[t.subject] = failed
		m.out.Failures = append(m.out.Failures, Failure{requests[failure], err})
		m.out.Series[t.subject].Invalid = fmt.Sprintf("it failed in round %d", r)
		return true
	}
	var got [3]compare.Slice // by slot
	for i, sl := range t.slots {
		got[sl] = slices[i]
	}
	s := &m.out.Series[t.subject]
	whole := compare.Turn{Old: got[slotOld], New: got[slotNew], Again: got[slotAgain], AgainOf: t.doubled}
	if t.number == 1 {
		s.Rounds = append(s.Rounds, compare.Round{Turn: whole, Layout: layout})
	} else {
		last := &s.Rounds[len(s.Rounds)-1]
		last.More = append(last.More, whole)
	}
	return true
}

// look judges all series, and takes those that have their verdict out of the
// measuring.
func (m *measuring) look() {
	m.judge()
	for _, i := range m.active() {
		if compare.Decided(m.out.Rows, m.subjects[i].Package, m.subjects[i].Name) {
			m.state[i] = decided
		}
	}
	m.stopped = m.o.Stop != nil && m.o.Stop(m.out.Rows)
}

func (m *measuring) judge() {
	hypotheses := 0
	for i := range m.subjects {
		hypotheses += len(m.subjects[i].Metrics)
	}
	m.out.Rows = compare.Judge(m.out.Series, compare.Options{Alpha: m.o.Alpha, Margin: m.o.Margin, Looks: m.plan.Looks, Hypotheses: hypotheses})
}
