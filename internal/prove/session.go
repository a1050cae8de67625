package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// session measures two sides through a runner. It knows time only from the
// clock it was given.
type session struct {
	o        *Options
	runner   runner
	res      *compare.Result
	deadline time.Time
	progress func(Event)

	subjects []*subject
}

// subject is one benchmark that both sides have.
type subject struct {
	name   string
	cost   cost
	series compare.Series
	procs  int
	failed bool
	slices [3][]benchmark.Line // by slot, whole rounds only
}

// measure runs everything that the budget pays for. It returns an error only
// when nothing can be compared; what went wrong with one benchmark is a
// failure in the result.
func (s *session) measure(ctx context.Context) error {
	if err := s.discover(ctx); err != nil {
		return err
	}
	for _, b := range s.subjects {
		s.progress(Event{Stage: "calibrating", Benchmark: b.name, Left: s.left()})
		if err := s.calibrate(ctx, b); err != nil {
			return err
		}
	}
	p := s.plan()
	for r := 1; r <= p.rounds; r++ {
		err := s.round(ctx, r, p)
		s.res.RoundsMeasured = s.measured()
		if err != nil {
			return err
		}
		if s.left() <= 0 && s.res.RoundsMeasured < p.rounds {
			s.res.Partial = fmt.Sprintf("the budget of %v ended after %d of %s", s.o.Budget, s.res.RoundsMeasured, quantity.Plural(p.rounds, "round"))
			warn(s.res, "%s: this machine was slower than when the plan was made", s.res.Partial)
			break
		}
	}
	return nil
}

// measured is the number of whole rounds that every benchmark has, apart from
// those that failed; where all did, it is what the last of them had.
func (s *session) measured() int {
	fewest, most := math.MaxInt, 0
	for _, b := range s.subjects {
		most = max(most, len(b.series.Rounds))
		if !b.failed {
			fewest = min(fewest, len(b.series.Rounds))
		}
	}
	return min(fewest, most)
}

func (s *session) left() time.Duration { return max(s.deadline.Sub(s.o.Now()), 0) }

// discover runs every top-level benchmark of both sides once, which shows
// their sub-benchmarks, and pairs them by name.
func (s *session) discover(ctx context.Context) error {
	var names [2][]string
	for _, sd := range []side{sideOld, sideNew} {
		var err error
		if names[sd], err = s.list(ctx, sd); err != nil {
			return err
		}
	}
	// A benchmark that failed on one side is not missing there.
	failed := func(name string, sd side) bool {
		return slices.ContainsFunc(s.res.Failures, func(f compare.Failure) bool {
			return f.Side == sd.String() && (f.Name == name || strings.HasPrefix(name, f.Name+"/"))
		})
	}
	for _, name := range names[sideOld] {
		switch {
		case slices.Contains(names[sideNew], name):
			s.subjects = append(s.subjects, &subject{name: name})
		case !failed(name, sideNew):
			s.res.OnlyOld = append(s.res.OnlyOld, name)
		}
	}
	for _, name := range names[sideNew] {
		if !slices.Contains(names[sideOld], name) && !failed(name, sideOld) {
			s.res.OnlyNew = append(s.res.OnlyNew, name)
		}
	}
	if len(s.subjects) == 0 {
		if len(s.res.Failures) > 0 {
			f := s.res.Failures[0]
			return fmt.Errorf("nothing to compare: %s of the %s side: %s", f.Name, f.Side, f.Text)
		}
		return fmt.Errorf("nothing to compare: the sides have no benchmark of the same name (old: %s; new: %s)", some(names[sideOld]), some(names[sideNew]))
	}
	return nil
}

// list returns the names, sub-benchmarks included, that one side runs.
func (s *session) list(ctx context.Context, sd side) ([]string, error) {
	tops, err := s.runner.benchmarks(ctx, sd, s.o.Bench)
	if err != nil {
		return nil, fmt.Errorf("%v side: %w", sd, err)
	}
	requests := make([]request, len(tops))
	for i, top := range tops {
		requests[i] = request{bench: top, pattern: gobench.Below(s.o.Bench, top), n: 1}
	}
	var names []string
	for _, r := range requests {
		s.progress(Event{Stage: "looking at " + sd.String(), Benchmark: r.bench, Left: s.left()})
		if s.left() <= 0 {
			return nil, fmt.Errorf("the budget of %v ended before every benchmark had run once: raise -budget, or choose with -bench", s.o.Budget)
		}
		m, err := s.runner.run(ctx, sd, r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, l := range m.lines {
			if !l.NoTime && !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
		if err != nil && !skipped(err) {
			s.fail(r.bench, sd, err)
		}
	}
	return names, nil
}

func (s *session) fail(name string, sd side, err error) {
	f := compare.Failure{Name: name, Side: sd.String(), Text: err.Error()}
	if !slices.Contains(s.res.Failures, f) {
		s.res.Failures = append(s.res.Failures, f)
	}
}

// Calibration: a first run of this length shows the order of magnitude, and a
// second one, as long as the longest slice, what a slice will take. The second
// is skipped for benchmarks whose single operation is longer.
const firstRun = 20 * time.Millisecond

// calibrate measures what a benchmark costs on both sides.
func (s *session) calibrate(ctx context.Context, b *subject) error {
	var first [2]benchmark.Line
	var took [2]time.Duration
	for _, sd := range []side{sideOld, sideNew} {
		l, t, err := s.one(ctx, b, sd, request{bench: b.name, d: firstRun})
		if err != nil || b.failed {
			return err
		}
		first[sd], took[sd] = l, t
	}
	b.cost = costOf(first, took)
	b.procs = first[sideOld].Procs
	n := iterations(b.cost, sliceLengths[0])
	if n <= 1 || n <= first[sideOld].N && n <= first[sideNew].N {
		return nil
	}
	var second [2]benchmark.Line
	for _, sd := range []side{sideOld, sideNew} {
		l, t, err := s.one(ctx, b, sd, request{bench: b.name, n: n})
		if err != nil || b.failed {
			return err
		}
		second[sd], took[sd] = l, t
	}
	b.cost = costOf(second, took)
	for _, sd := range []side{sideOld, sideNew} {
		if err := s.watchGrowth(ctx, b, sd, first[sd], second[sd]); err != nil || b.failed {
			return err
		}
	}
	return nil
}

// An operation is said to grow when it takes this much longer among twice the
// iterations or more. A process that was disturbed may look like it, so that
// both numbers are run twice more and their fastest runs compared.
const growth = 1.5

// watchGrowth says when the cost of an operation depends on their number: then
// the benchmark keeps something between them, and the ratio holds for one
// number only.
func (s *session) watchGrowth(ctx context.Context, b *subject, sd side, few, many benchmark.Line) error {
	grows := func() bool { return few.NsPerOp > 0 && many.NsPerOp > growth*few.NsPerOp }
	if many.N < 2*few.N {
		return nil
	}
	for range 2 {
		if !grows() {
			return nil
		}
		for _, l := range []*benchmark.Line{&few, &many} {
			again, _, err := s.one(ctx, b, sd, request{bench: b.name, n: l.N})
			if err != nil || b.failed {
				return err
			}
			l.NsPerOp = min(l.NsPerOp, again.NsPerOp)
		}
	}
	if grows() {
		warn(s.res, "%s (%v): an operation takes %s among %d and %s among %d: the benchmark keeps something that grows, and the ratio holds for one number of iterations only",
			b.name, sd, quantity.Nanoseconds(few.NsPerOp), few.N, quantity.Nanoseconds(many.NsPerOp), many.N)
	}
	return nil
}

// costOf separates the time per operation from what a process takes besides.
func costOf(lines [2]benchmark.Line, took [2]time.Duration) cost {
	c := cost{oldNs: lines[sideOld].NsPerOp, newNs: lines[sideNew].NsPerOp}
	for sd, l := range lines {
		c.overhead = max(c.overhead, took[sd]-time.Duration(l.NsPerOp*float64(l.N)))
	}
	return c
}

// one runs one benchmark once and returns its line. The error is that of the
// context; any other makes the benchmark a failed one.
func (s *session) one(ctx context.Context, b *subject, sd side, r request) (benchmark.Line, time.Duration, error) {
	m, err := s.runner.run(ctx, sd, r)
	if ctx.Err() != nil {
		return benchmark.Line{}, 0, ctx.Err()
	}
	var line *benchmark.Line
	for i := range m.lines {
		if m.lines[i].Name == b.name && !m.lines[i].NoTime {
			line = &m.lines[i]
		}
	}
	if err == nil && line == nil {
		err = errors.New("it gave no time")
	}
	if err == nil && r.n > 0 && line.N != r.n {
		err = fmt.Errorf("it ran %d iterations and not the %d it was asked for", line.N, r.n)
	}
	if err != nil {
		s.fail(b.name, sd, err)
		b.failed = true
		return benchmark.Line{}, 0, nil
	}
	return *line, m.took, nil
}

// plan fixes the rounds and tells the user.
func (s *session) plan() plan {
	s.subjects = slices.DeleteFunc(s.subjects, func(b *subject) bool { return b.failed })
	costs := make([]cost, len(s.subjects))
	for i, b := range s.subjects {
		costs[i] = b.cost
	}
	co := s.o.compare()
	hypotheses := len(metrics()) * len(s.subjects)
	needed := compare.FewestRounds(hypotheses, co.Alpha)
	p := makePlan(costs, s.left(), needed, s.o.Rounds)
	for i, b := range s.subjects {
		b.series = compare.Series{Package: s.res.New.Package, Name: b.name, Iterations: p.iterations[i], Metrics: metrics(), Run: 1}
	}
	if len(s.subjects) == 0 {
		p.rounds = 0
	}
	s.res.RoundsPlanned, s.res.RoundsNeeded, s.res.SliceNs = p.rounds, needed, int64(p.slice)
	s.res.ConfidenceRatio = stat.BonferroniConfidence(co.Alpha, hypotheses)
	if p.rounds < needed && len(s.subjects) > 0 {
		why := fmt.Sprintf("the budget of %v allows", s.o.Budget)
		remedy := "raise -budget, or choose fewer benchmarks with -bench"
		if s.o.Rounds > 0 {
			why, remedy = "-rounds asks for", "give more"
		}
		warn(s.res, "%s %s, and a verdict on the time of %s needs %d: %s", why, quantity.Plural(p.rounds, "round"), quantity.Plural(len(s.subjects), "benchmark"), needed, remedy)
	}
	s.progress(Event{Stage: "plan", Plan: p.describe(len(s.subjects)), Rounds: p.rounds, Left: s.left()})
	return p
}

// round runs every benchmark's three slices. A benchmark enters the series
// with whole rounds only.
func (s *session) round(ctx context.Context, r int, p plan) error {
	for _, t := range order(s.res.Seed, r, len(s.subjects)) {
		b := s.subjects[t.benchmark]
		if b.failed {
			continue
		}
		// The first round is measured whatever it takes: without it there is
		// nothing to show.
		if r > 1 && s.left() <= 0 {
			return nil
		}
		s.progress(Event{Stage: "rounds", Benchmark: b.name, Round: r, Rounds: p.rounds, Left: s.left()})
		var got [3]benchmark.Line
		for _, sl := range t.slots {
			l, _, err := s.one(ctx, b, sl.side(), request{bench: b.name, n: p.iterations[t.benchmark]})
			if err != nil {
				return err
			}
			if b.failed {
				b.series.Invalid = fmt.Sprintf("it failed in round %d", r)
				break
			}
			got[sl] = l
		}
		if b.failed {
			continue
		}
		if got[slotOld].Procs != got[slotNew].Procs {
			b.series.Invalid = fmt.Sprintf("GOMAXPROCS differs: %d for old, %d for new", got[slotOld].Procs, got[slotNew].Procs)
		}
		b.procs = got[slotOld].Procs
		for sl, l := range got {
			b.slices[sl] = append(b.slices[sl], l)
		}
		b.series.Rounds = append(b.series.Rounds, compare.Round{
			Old: sliceOf(got[slotOld]), New: sliceOf(got[slotNew]), Again: sliceOf(got[slotAgain]),
		})
	}
	return nil
}

func sliceOf(l benchmark.Line) compare.Slice {
	out := compare.Slice{compare.NsPerOp: l.NsPerOp}
	if l.BytesPerOp != nil {
		out[compare.BytesPerOp] = *l.BytesPerOp
	}
	if l.AllocsPerOp != nil {
		out[compare.AllocsPerOp] = *l.AllocsPerOp
	}
	return out
}

// metrics are the rows of every benchmark.
func metrics() []compare.Metric {
	return []compare.Metric{compare.MetricOf(compare.NsPerOp), compare.MetricOf(compare.BytesPerOp), compare.MetricOf(compare.AllocsPerOp)}
}

func some(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "none"
	case n > 3:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), n-3)
	}
	return strings.Join(names, ", ")
}
