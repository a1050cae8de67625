package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
)

// lab is a runner whose benchmarks take known times. Its clock moves by what
// they take and by nothing else.
type lab struct {
	now      time.Time
	rng      *rand.Rand
	names    [2][]string
	ns       [2]map[string]func(n int64) float64 // per operation, by side
	allocs   [2]float64
	procs    [2]int
	start    time.Duration // of a process
	slow     float64       // factor on the clock once the rounds have begun
	fail     func(s side, r request, run int) error
	ran      []string // "old BenchmarkX 100x"
	patterns []string // of each run, "" for one benchmark
	between  func()   // called before each process
}

func newLab(old, new map[string]float64) *lab {
	l := &lab{now: time.Unix(0, 0), rng: rand.New(rand.NewPCG(1, 2)), start: 5 * time.Millisecond, slow: 1, allocs: [2]float64{25, 2}, procs: [2]int{2, 2}}
	for s, times := range []map[string]float64{old, new} {
		l.ns[s] = make(map[string]func(int64) float64)
		for name, ns := range times {
			l.names[s] = append(l.names[s], name)
			l.ns[s][name] = func(int64) float64 { return ns }
		}
		slices.Sort(l.names[s])
	}
	return l
}

func (l *lab) clock() time.Time { return l.now }

func (l *lab) benchmarks(_ context.Context, s side, _ string) ([]string, error) {
	var tops []string
	for _, name := range l.names[s] {
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	if len(tops) == 0 {
		return nil, errors.New("has no benchmarks")
	}
	return tops, nil
}

func (l *lab) run(ctx context.Context, s side, r request) (measured, error) {
	if l.between != nil {
		l.between()
	}
	if err := ctx.Err(); err != nil {
		return measured{}, err
	}
	l.ran = append(l.ran, fmt.Sprintf("%v %s %s", s, r.bench, r.benchTime()))
	l.patterns = append(l.patterns, r.pattern)
	if l.fail != nil {
		if err := l.fail(s, r, len(l.ran)); err != nil {
			return measured{}, err
		}
	}
	var m measured
	m.took = l.start
	for _, name := range l.names[s] {
		if name != r.bench && (r.pattern == "" || !strings.HasPrefix(name, r.bench+"/")) {
			continue
		}
		n := r.n
		if n == 0 {
			n = max(1, int64(float64(r.d)/l.ns[s][name](1000)))
		}
		ns := l.ns[s][name](n) * math.Exp(0.01*math.Abs(l.rng.NormFloat64()))
		m.took += time.Duration(ns * float64(n))
		allocs := l.allocs[s]
		m.lines = append(m.lines, benchmark.Line{Name: name, Procs: l.procs[s], N: n, NsPerOp: ns, AllocsPerOp: &allocs, BytesPerOp: &allocs})
	}
	factor := 1.0
	if r.n > 1 {
		factor = l.slow
	}
	l.now = l.now.Add(time.Duration(float64(m.took) * factor))
	if len(m.lines) == 0 {
		return m, &gobench.Error{Kind: gobench.KindNoResult, Text: "gave no result"}
	}
	return m, nil
}

// prove runs a session in the lab as Run does with binaries.
func (l *lab) prove(ctx context.Context, change func(*Options)) (*session, error) {
	o := DefaultOptions()
	o.Old, o.New, o.Seed, o.Now = "./old", "./new", 9, l.clock
	if change != nil {
		change(&o)
	}
	s := &session{o: &o, runner: l, res: newResult(&o), progress: func(Event) {}, deadline: l.now.Add(o.Budget)}
	err := s.measure(ctx)
	if ctx.Err() != nil {
		err = nil
		interrupted(s.res)
	}
	s.conclude()
	return s, err
}

func row(t *testing.T, res *Result, name, metric string) compare.Row {
	t.Helper()
	for _, r := range res.Benchmarks {
		if r.Name == name && r.Metric == metric {
			return r
		}
	}
	t.Fatalf("there is no row %s %s in %+v", name, metric, res.Benchmarks)
	return compare.Row{}
}

func warned(res *Result, part string) bool {
	return slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.Contains(w, part) })
}

func TestSessionFindsTheTruth(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 5000, "BenchmarkB/small": 1000, "BenchmarkB/large": 1000, "BenchmarkGone": 10},
		map[string]float64{"BenchmarkA": 500, "BenchmarkB/small": 1000, "BenchmarkB/large": 1100, "BenchmarkAdded/x": 10})
	s, err := l.prove(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res := s.res
	for name, want := range map[string]struct {
		verdict compare.Verdict
		ratio   float64
	}{"BenchmarkA": {compare.Faster, 10}, "BenchmarkB/small": {compare.NoChange, 1}, "BenchmarkB/large": {compare.Slower, 1 / 1.1}} {
		r := row(t, res, name, compare.NsPerOp)
		if r.Verdict != want.verdict || math.Abs(r.Ratio/want.ratio-1) > 0.01 || r.Rounds != MaxRounds || r.NoiseRatio == nil || *r.NoiseRatio > 0.02 {
			t.Errorf("%s: %+v, want %v", name, r, want)
		}
		if a := row(t, res, name, compare.AllocsPerOp); a.Verdict != compare.Faster || *r.AllocsOld != 25 || *r.AllocsNew != 2 || a.Ratio != 12.5 {
			t.Errorf("%s allocs: %+v", name, a)
		}
	}
	if !slices.Equal(res.OnlyOld, []string{"BenchmarkGone"}) || !slices.Equal(res.OnlyNew, []string{"BenchmarkAdded/x"}) {
		t.Errorf("only old %v, only new %v", res.OnlyOld, res.OnlyNew)
	}
	if res.RoundsPlanned != MaxRounds || res.RoundsNeeded != 12 || res.RoundsMeasured != MaxRounds || math.Abs(res.ConfidenceRatio-(1-0.005/9)) > 1e-12 || res.ExitCode() != 1 || len(res.Warnings) != 0 {
		t.Errorf("result = %+v", res)
	}
	// Both sides ran the same number of iterations, old twice as often as new.
	count := make(map[string]int)
	for _, run := range l.ran {
		count[run]++
	}
	n := row(t, res, "BenchmarkA", compare.NsPerOp).Iterations
	old, new := count[fmt.Sprintf("old BenchmarkA %dx", n)], count[fmt.Sprintf("new BenchmarkA %dx", n)]
	// Calibration may have run the very same number once on each side.
	if old-2*MaxRounds > 1 || new-MaxRounds > 1 || old < 2*MaxRounds || new < MaxRounds {
		t.Errorf("%d iterations: old ran %d times, new %d times", n, old, new)
	}
}

// The same seed runs the same slices in the same order.
func TestSeedRepeats(t *testing.T) {
	var runs [3][]string
	for i, seed := range []uint64{5, 5, 6} {
		l := newLab(map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 100}, map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 100})
		// Without noise the iterations are the same too.
		l.rng = rand.New(zero{})
		if _, err := l.prove(context.Background(), func(o *Options) { o.Seed = seed }); err != nil {
			t.Fatal(err)
		}
		runs[i] = l.ran
	}
	if !slices.Equal(runs[0], runs[1]) || slices.Equal(runs[0], runs[2]) {
		t.Error("the order is not a function of the seed")
	}
}

type zero struct{}

func (zero) Uint64() uint64 { return 1 << 62 }

func TestBudgetEndsTheRounds(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 1000}, map[string]float64{"BenchmarkA": 1000})
	l.slow = 1
	begun := false
	l.between = func() {
		if begun {
			l.slow = 4 // the machine slows down once the plan is made
		}
	}
	s, err := l.prove(context.Background(), func(o *Options) {
		o.Budget = 10 * time.Second
		o.Progress = nil
	})
	if err != nil {
		t.Fatal(err)
	}
	planned := s.res.RoundsPlanned
	begun = true
	l.now = time.Unix(0, 0)
	s2, err := l.prove(context.Background(), func(o *Options) { o.Budget = 10 * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	if planned < 20 || s.res.Partial != "" {
		t.Errorf("planned %d rounds, partial %q", planned, s.res.Partial)
	}
	r := row(t, s2.res, "BenchmarkA", compare.NsPerOp)
	said := fmt.Sprintf("the budget of 10s ended after %d of %d rounds", r.Rounds, s2.res.RoundsPlanned)
	if r.Rounds >= s2.res.RoundsPlanned || s2.res.RoundsMeasured != r.Rounds || s2.res.Partial != said || !warned(s2.res, "slower than when the plan was made") {
		t.Errorf("%d rounds of %d, partial %q, warnings %q", r.Rounds, s2.res.RoundsPlanned, s2.res.Partial, s2.res.Warnings)
	}
	if over := l.now.Sub(time.Unix(0, 0)); over > 12*time.Second {
		t.Errorf("a budget of 10s took %v", over)
	}
}

// The budget ends a round between two benchmarks, except the first one.
func TestBudgetEndsWithinARound(t *testing.T) {
	times := make(map[string]float64)
	for i := range 20 {
		times[fmt.Sprintf("Benchmark%c", 'A'+i)] = 1e9
	}
	l := newLab(times, times)
	// Looking and calibrating take 80 s, a round 60 s: the first one overruns.
	s, err := l.prove(context.Background(), func(o *Options) { o.Budget, o.Rounds = 100*time.Second, 5 })
	if err != nil {
		t.Fatal(err)
	}
	for name := range times {
		if r := row(t, s.res, name, compare.NsPerOp); r.Rounds != 1 {
			t.Errorf("%s has %d rounds", name, r.Rounds)
		}
	}
	l = newLab(times, times)
	s, err = l.prove(context.Background(), func(o *Options) { o.Budget, o.Rounds = 170*time.Second, 5 })
	if err != nil {
		t.Fatal(err)
	}
	rounds := make(map[int]int)
	for name := range times {
		rounds[row(t, s.res, name, compare.NsPerOp).Rounds]++
	}
	// 90 s are left for rounds: one and a half.
	if rounds[1] < 5 || rounds[2] < 5 || len(rounds) != 2 {
		t.Errorf("benchmarks by number of rounds: %v", rounds)
	}
}

func TestTooSmallBudgetSaysSo(t *testing.T) {
	times := map[string]float64{"BenchmarkA": 2e9}
	l := newLab(times, times)
	s, err := l.prove(context.Background(), func(o *Options) { o.Budget = 40 * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	if r := row(t, s.res, "BenchmarkA", compare.NsPerOp); r.Verdict != compare.CannotTell || r.Iterations != 1 {
		t.Errorf("row = %+v", r)
	}
	if !warned(s.res, "raise -budget") || s.res.ExitCode() != 4 {
		t.Errorf("exit %d, warnings %q", s.res.ExitCode(), s.res.Warnings)
	}
}

func TestGrowingBenchmarkIsSeen(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 1000}, map[string]float64{"BenchmarkA": 1000})
	l.ns[sideOld]["BenchmarkA"] = func(n int64) float64 { return 500 + float64(n)/50 }
	s, err := l.prove(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !warned(s.res, "keeps something that grows") {
		t.Errorf("warnings = %q", s.res.Warnings)
	}
}

func TestShortOperationIsSeen(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 3, "BenchmarkB": 300}, map[string]float64{"BenchmarkA": 2, "BenchmarkB": 300})
	s, err := l.prove(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !warned(s.res, "1 benchmark below 30.0 ns") {
		t.Errorf("warnings = %q", s.res.Warnings)
	}
}

func TestDifferentProcessorsAreNotCompared(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 3000}, map[string]float64{"BenchmarkA": 300})
	l.procs[sideNew] = 4
	s, err := l.prove(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := row(t, s.res, "BenchmarkA", compare.NsPerOp); r.Verdict != compare.CannotTell || !strings.Contains(r.Reason, "GOMAXPROCS") {
		t.Errorf("row = %+v", r)
	}
}

func TestFailures(t *testing.T) {
	boom := &gobench.Error{Kind: gobench.KindPanic, Text: "it panicked"}
	times := map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 5000}
	t.Run("at the first look", func(t *testing.T) {
		l := newLab(times, times)
		l.fail = func(s side, r request, _ int) error {
			if s == sideNew && r.bench == "BenchmarkA" {
				return boom
			}
			return nil
		}
		s, err := l.prove(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.res.Failures) != 1 || s.res.Failures[0] != (compare.Failure{Name: "BenchmarkA", Side: "new", Text: "it panicked"}) {
			t.Errorf("failures = %+v", s.res.Failures)
		}
		if row(t, s.res, "BenchmarkB", compare.NsPerOp).Rounds != MaxRounds || len(s.res.OnlyOld) != 0 || s.res.ExitCode() != 3 {
			t.Errorf("result = %+v", s.res)
		}
	})
	t.Run("at the first look, of old", func(t *testing.T) {
		l := newLab(times, times)
		l.fail = func(s side, r request, _ int) error {
			if s == sideOld && r.bench == "BenchmarkA" {
				return boom
			}
			return nil
		}
		s, err := l.prove(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.res.Failures) != 1 || s.res.Failures[0].Side != "old" || len(s.res.OnlyNew) != 0 || s.res.ExitCode() != 3 {
			t.Errorf("result = %+v", s.res)
		}
	})
	t.Run("in a round", func(t *testing.T) {
		l := newLab(times, times)
		seen := 0
		l.fail = func(s side, r request, _ int) error {
			if s == sideOld && r.bench == "BenchmarkA" {
				if seen++; seen == 10 {
					return boom
				}
			}
			return nil
		}
		s, err := l.prove(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := row(t, s.res, "BenchmarkA", compare.NsPerOp)
		if r.Verdict != compare.CannotTell || !strings.Contains(r.Reason, "failed in round") || r.Rounds == 0 || r.Rounds >= MaxRounds {
			t.Errorf("row = %+v", r)
		}
		if row(t, s.res, "BenchmarkB", compare.NsPerOp).Rounds != MaxRounds || s.res.ExitCode() != 3 {
			t.Errorf("result = %+v", s.res)
		}
	})
	t.Run("everywhere", func(t *testing.T) {
		l := newLab(times, times)
		l.fail = func(side, request, int) error { return boom }
		s, err := l.prove(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), "it panicked") || s.res.ExitCode() != 3 {
			t.Errorf("error %v, exit %d", err, s.res.ExitCode())
		}
	})
	t.Run("nothing in common", func(t *testing.T) {
		l := newLab(map[string]float64{"BenchmarkA": 1}, map[string]float64{"BenchmarkB": 1})
		_, err := l.prove(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), "no benchmark of the same name (old: BenchmarkA; new: BenchmarkB)") {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("no benchmarks", func(t *testing.T) {
		l := newLab(map[string]float64{"BenchmarkA": 1}, nil)
		if _, err := l.prove(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "new side: has no benchmarks") {
			t.Errorf("error = %v", err)
		}
	})
}

// Interrupted after any number of processes, a session ends at once, keeps
// whole rounds only, and says so.
func TestInterrupt(t *testing.T) {
	times := map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 5000}
	for _, after := range []int{0, 1, 3, 5, 9, 14, 15, 16, 17, 40, 100} {
		l := newLab(times, times)
		ctx, cancel := context.WithCancel(context.Background())
		begun := 0
		l.between = func() {
			if begun++; begun > after {
				cancel()
			}
		}
		s, err := l.prove(ctx, nil)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if len(l.ran) != after {
			t.Errorf("after %d processes, %d more were run", after, len(l.ran)-after)
		}
		if !s.res.Interrupted || s.res.ExitCode() != 130 || s.res.Verdict.Kind != "interrupted" {
			t.Errorf("after %d: %+v", after, s.res)
		}
		want, fewest := "interrupted", 1000
		for _, b := range s.subjects {
			fewest = min(fewest, len(b.series.Rounds))
		}
		if s.res.RoundsPlanned > 0 {
			want = fmt.Sprintf("interrupted after %d of %d rounds", fewest, s.res.RoundsPlanned)
		}
		if s.res.Partial != want || !strings.HasPrefix(s.res.Verdict.Text, want+": ") {
			t.Errorf("after %d: partial %q, verdict %q, want %q", after, s.res.Partial, s.res.Verdict.Text, want)
		}
		for _, b := range s.subjects {
			if n := len(b.series.Rounds); n != len(b.slices[slotOld]) || n != len(b.slices[slotNew]) || n != len(b.slices[slotAgain]) {
				t.Errorf("after %d: %d rounds with %d, %d and %d slices", after, n, len(b.slices[0]), len(b.slices[1]), len(b.slices[2]))
			}
		}
	}
}

func TestAlternativesWithLevels(t *testing.T) {
	ns := map[string]float64{"BenchmarkA": 5000, "BenchmarkC": 5000}
	l := newLab(ns, ns)
	s := &session{o: &Options{Bench: "A/x|C/y", Now: l.clock, Budget: time.Minute}, runner: l, res: &Result{}, progress: func(Event) {}, deadline: l.now.Add(time.Minute)}
	_, _ = s.list(context.Background(), sideOld)
	if want := []string{"^BenchmarkA$/x", "^BenchmarkC$/y"}; !slices.Equal(l.patterns, want) {
		t.Errorf("ran %q, want %q", l.patterns, want)
	}
}

// One slow process is no growth: the doubt is settled by running again.
func TestDisturbedCalibrationIsNoGrowth(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 1000}, map[string]float64{"BenchmarkA": 1000})
	disturbed := false
	l.ns[sideOld]["BenchmarkA"] = func(n int64) float64 {
		if n > 90_000 && !disturbed {
			disturbed = true
			return 3000
		}
		return 1000
	}
	s, err := l.prove(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !disturbed || warned(s.res, "grows") {
		t.Errorf("disturbed %v, warnings = %q", disturbed, s.res.Warnings)
	}
}
