package benchmarks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
)

// session is a proof that measures two sides through a runner. It knows time
// only from the clock it was given.
type session struct {
	*prove.Proof
	o        *Options
	runner   runner
	packages []string      // import paths
	extra    [2][]string   // variables that only the processes of a side have
	tests    [][2][]string // test files, by package and side
	layouts  bool          // each round has one of its own
	// stepsFrom is the spread of a benchmark's runs from which on a turn's processes run in
	// steps; 0 where they cannot.
	stepsFrom float64
	keys      []poolKey // by package
	pool      *pool

	same       []bool        // by package: both sides are the same, and are not measured; nil: none
	code       []Decision    // by package; nil: not known of any
	unmeasured []compare.Row // of benchmarks that are not measured

	units      map[string]benchmark.Better // that the benchmarks declare
	subjects   []*benchmarkPair
	suspicions []suspicion
	leftOut    []string      // labels of those that the budget was too short for
	prepare    time.Duration // duration of linking the layouts of a round
	outcome    *rounds.Outcome
}

// benchmarkPair is a benchmark of both sides.
type benchmarkPair struct {
	pkg     int
	name    string
	cost    cost
	metrics []compare.Metric
	n       int64 // iterations of every slice
	procs   int
	stepped bool             // its processes run on stepProcs, as those of a turn alternate in steps
	base    [2]time.Duration // CPU time of each side's newest process of baseCPU
	based   [2]int           // the round it is of
	turn    [2]int           // and the turn
	failed  bool
}

// measure runs everything that the budget allows. It returns an error only if nothing
// can be compared; the failure of one benchmark is in the result.
func (s *session) measure(ctx context.Context) error {
	if err := s.discover(ctx); err != nil || len(s.subjects) == 0 {
		return err
	}
	for i, b := range s.subjects {
		if i > 0 && s.Left() <= 0 {
			s.leaveOut(i)
			break
		}
		s.o.Tell(prove.Event{Stage: "calibrating", Benchmark: s.label(b.pkg, b.name), Left: s.Left()})
		if err := s.calibrate(ctx, b); err != nil {
			return err
		}
	}
	s.subjects = slices.DeleteFunc(s.subjects, func(b *benchmarkPair) bool { return b.failed })
	if len(s.subjects) == 0 {
		f := s.Result.Failures[0]
		return fmt.Errorf("nothing to compare: %s of the %s side: %s", f.Name, f.Side, f.Text)
	}
	if err := s.timeLink(ctx); err != nil {
		return err
	}
	return s.rounds(ctx)
}

// leaveOut drops the subjects from the i-th on: there is no time for them.
func (s *session) leaveOut(i int) {
	for _, b := range s.subjects[i:] {
		s.leftOut = append(s.leftOut, s.label(b.pkg, b.name))
	}
	s.Warn("the budget of %v ran out before calibrating %s of %d, which are not compared (%s): raise -budget, or choose with -bench",
		s.o.Budget, quantity.Plural(len(s.leftOut), "benchmark"), len(s.subjects), quantity.Some(s.leftOut, 3))
	s.subjects = s.subjects[:i]
}

// timeLink measures the preparation of a round, with one package.
func (s *session) timeLink(ctx context.Context) error {
	if !s.layouts {
		return nil
	}
	s.o.Tell(prove.Event{Stage: "linking", Left: s.Left()})
	start := s.o.Now()
	if err := s.runner.link(ctx, s.subjects[0].pkg, 1); err != nil {
		return fmt.Errorf("link %s with a layout of its own: %w", s.packages[s.subjects[0].pkg], err)
	}
	seen := make(map[int]bool)
	for _, b := range s.subjects {
		seen[b.pkg] = true
	}
	s.prepare = s.o.Now().Sub(start) * time.Duration(len(seen))
	return nil
}

// rounds plans and measures the rounds.
func (s *session) rounds(ctx context.Context) error {
	subjects := make([]rounds.Benchmark, len(s.subjects))
	costs := make([]cost, len(s.subjects))
	for i, b := range s.subjects {
		subjects[i] = rounds.Benchmark{Package: s.packages[b.pkg], Name: b.name, Metrics: b.metrics}
		costs[i] = b.cost
	}
	s.earlierIterations(costs)
	o := s.Rounds()
	o.Prepare, o.Layouts, o.Progress = s.prepare, s.layouts, s.show
	c := choose(subjects, costs, o)
	if o.Layouts && o.Fixed == 0 && c.plan.Rounds < c.plan.Fewest {
		without := o
		without.Prepare, without.Layouts = 0, false
		if fixed := choose(subjects, costs, without); fixed.plan.Rounds >= fixed.plan.Fewest {
			s.Warn("the budget of %v does not allow linking both sides again in every round (%v each): only one layout of the code was measured, and the ratio includes its effect: raise -budget, or choose fewer packages", s.o.Budget, s.prepare.Round(100*time.Millisecond))
			o = without
			s.withoutLayouts()
			s.earlierIterations(costs)
		}
		c = choose(subjects, costs, o) // subjects are as the last call left them
	}
	for i, b := range s.subjects {
		b.n, b.cost, b.metrics = c.iterations[i], costs[i], subjects[i].Metrics
		if b.stepped = b.cost.steps > 0; b.stepped {
			b.procs = stepProcs
			s.Result.Stepped++
		}
	}
	s.sayFew()
	s.pool.earlier(s, &o)
	s.plan(c, o)
	outcome, err := rounds.Measure(ctx, subjects, (*turns)(s), o)
	if err != nil {
		return err
	}
	s.take(outcome, o)
	return nil
}

// fewOperations is the number of operations in a process below which reuse between
// operations hardly shows.
const fewOperations = 5

// sayFew says which benchmarks have so few operations in a process.
func (s *session) sayFew() {
	var few []string
	for _, b := range s.subjects {
		if b.n < fewOperations {
			few = append(few, s.label(b.pkg, b.name))
		}
	}
	if len(few) > 0 {
		s.Warn("fewer than %d operations per process of %s: reuse between operations, as with a sync.Pool, hardly shows in these figures; raise -budget (no help if an operation takes %v or longer)",
			fewOperations, quantity.Some(few, 3), longestSlice/fewOperations)
	}
}

// earlierIterations enters the iterations of the earlier runs.
func (s *session) earlierIterations(costs []cost) {
	for i, b := range s.subjects {
		costs[i].earlier = 0
		if q := s.pool.question(b); q != nil {
			costs[i].earlier = q.Iterations
		}
	}
}

// withoutLayouts continues with the linker's own layout. That is another question than
// the one with a layout per round: the effect of the one layout on the ratio would be
// in all rounds of this run, and its rounds would count as independent among those of
// others.
func (s *session) withoutLayouts() {
	s.layouts = false
	for i := range s.keys {
		s.keys[i].Layouts = false
	}
	s.pool = openPool(s.o.Cache, s.o.Now(), s.keys, s.Proof)
}

// plan reports the plan, and the verdicts it is too small for.
func (s *session) plan(c choice, o rounds.Options) {
	s.Result.RoundsPlanned, s.Result.RoundsNeeded, s.Result.TurnsPlanned, s.Result.SliceNs = c.plan.Rounds, c.plan.Fewest, c.plan.Turns, int64(c.slice)
	earlier := 0 // rounds that every benchmark has already
	for i, rounds := range o.Earlier {
		if i == 0 || len(rounds) < earlier {
			earlier = len(rounds)
		}
	}
	if c.plan.Rounds+earlier < c.plan.Fewest {
		s.Few(c.plan.Rounds, c.plan.Fewest, c.plan.Round, "the time of "+quantity.Plural(len(s.subjects), "benchmark"), ", or choose fewer benchmarks with -bench")
	}
	s.o.Tell(prove.Event{Stage: "plan", Left: s.Left(), Plan: fmt.Sprintf("%s, %v, about %v a slice", quantity.Plural(len(s.subjects), "benchmark"), c.plan, c.slice.Round(time.Millisecond))})
}

// show reports the progress of the rounds.
func (s *session) show(e rounds.Event) {
	if e.Plan != "" {
		return // it was told with the number of benchmarks
	}
	out := prove.Event{Stage: "rounds", Round: e.Round, Rounds: e.Rounds, Left: e.Left}
	if e.Benchmark >= 0 {
		b := s.subjects[e.Benchmark]
		out.Benchmark = s.label(b.pkg, b.name)
	}
	s.o.Tell(out)
}

// take enters the outcome of the rounds into the result.
func (s *session) take(out *rounds.Outcome, o rounds.Options) {
	s.outcome = out
	res := s.Result
	s.Enter(out, func(subject int) string { return s.label(s.subjects[subject].pkg, s.subjects[subject].name) })
	res.Layouts = 1
	if o.Layouts {
		seen := make(map[uint64]bool)
		for i := range out.Series {
			for _, r := range out.Series[i].Rounds[out.Series[i].Earlier:] {
				seen[r.Layout] = true
			}
		}
		res.Layouts = len(seen)
	}
	if out.Trouble != nil {
		res.Trouble = out.Trouble.Error()
	} else if out.Partial != "" && !out.Interrupted {
		s.Warn("%s: the machine was slower than when the plan was made", out.Partial)
	}
	for i, b := range s.subjects {
		if b.procs > 0 && !b.stepped {
			res.Host.GOMAXPROCS = b.procs
		}
		res.Series[i].Procs = b.procs
	}
}

// turns is the session as the engine sees it.
type turns session

// Prepare links the packages of the subjects that are still measured.
func (t *turns) Prepare(ctx context.Context, round int, seed uint64, subjects []int) error {
	if seed == 0 {
		return nil
	}
	linked := make(map[int]bool)
	for _, i := range subjects {
		pkg := t.subjects[i].pkg
		if linked[pkg] {
			continue
		}
		linked[pkg] = true
		if err := t.runner.link(ctx, pkg, seed); err != nil {
			return fmt.Errorf("link %s: %w", t.packages[pkg], err)
		}
	}
	return nil
}

// Slice runs one process, and that of baseCPU.
func (t *turns) Slice(ctx context.Context, r rounds.SliceRequest) (compare.Slice, error) {
	s, b := (*session)(t), t.subjects[r.Benchmark]
	base, err := s.baseCPU(ctx, b, r)
	if err != nil {
		return nil, err
	}
	got, err := s.attempt(ctx, b, r.Side, b.n, 0)
	if err != nil {
		return nil, err
	}
	if err := b.sameProcs(got.line); err != nil {
		return nil, err
	}
	out := sliceOf(got.line)
	if b.cost.cpu && got.cpu > base && b.n > baseIterations {
		out[compare.CPUNsPerOp] = float64(got.cpu-base) / float64(b.n-baseIterations)
	}
	return out, nil
}

// sameProcs keeps the GOMAXPROCS of the first slice, and reports another.
func (b *benchmarkPair) sameProcs(l benchmark.Line) error {
	if b.procs != 0 && b.procs != l.Procs {
		return fmt.Errorf("GOMAXPROCS differs between slices: %d and %d", b.procs, l.Procs)
	}
	b.procs = l.Procs
	return nil
}

// baseCPU returns the CPU time of a process of two iterations, which is subtracted from
// that of a slice. It runs one before the first
// slice of the repeated side in a turn and of either side in a round, and returns that
// one until the next. Both sides and both slices of the repeated side are treated alike:
// the chance error of one such process affects either side with equal probability. A
// single measurement, before the rounds, would put its error into all of them, where it
// would look like a difference.
func (s *session) baseCPU(ctx context.Context, b *benchmarkPair, r rounds.SliceRequest) (time.Duration, error) {
	if b.cost.cpu && (b.based[r.Side] != r.Round || r.Doubled && b.turn[r.Side] != r.Turn) {
		base, err := s.runner.run(ctx, processSpec{pkg: b.pkg, side: r.Side, bench: b.name, n: baseIterations})
		if err != nil {
			return 0, err
		}
		b.base[r.Side], b.based[r.Side], b.turn[r.Side] = base.cpu, r.Round, r.Turn
	}
	return b.base[r.Side], nil
}
