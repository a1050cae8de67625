package benchmarks

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
	"whet/internal/prove"
)

func TestSessionFindsTheTruth(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 5000, "BenchmarkB/small": 1000, "BenchmarkB/large": 1000, "BenchmarkGone": 10},
		map[string]float64{"BenchmarkA": 500, "BenchmarkB/small": 1000, "BenchmarkB/large": 1100, "BenchmarkAdded/x": 10})
	l.packages[0].extra = []benchmark.Metric{{Unit: "MB/s", Value: 7}, {Unit: "rows/op", Value: 3}, {Unit: "rows/op", Value: 4}}
	s, err := l.prove(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res := s.Result
	for name, want := range map[string]struct {
		verdict compare.Verdict
		ratio   float64
	}{"BenchmarkA": {compare.Faster, 10}, "BenchmarkB/small": {compare.NoChange, 1}, "BenchmarkB/large": {compare.Slower, 1 / 1.1}} {
		for _, metric := range []string{compare.NsPerOp, compare.CPUNsPerOp} {
			r := row(t, res, name, metric)
			if r.Verdict != want.verdict || math.Abs(r.Ratio/want.ratio-1) > 0.01 || r.Package != "example.org/lab" {
				t.Errorf("%s %s: %s %v %q, want %v", name, metric, r.Verdict, r.Ratio, r.Reason, want)
			}
		}
		if a := row(t, res, name, compare.AllocsPerOp); a.Verdict != compare.Faster || *a.AllocsOld != 25 || *a.AllocsNew != 2 || a.Ratio != 12.5 {
			t.Errorf("%s allocs: %+v", name, a)
		}
		if r := row(t, res, name, "rows/op"); r.Old != 3 || r.New != 3 {
			t.Errorf("%s rows: %+v", name, r)
		}
	}
	// Two processors work on an operation of 5 µs. The noise is |N|·1 %, 0.8 % on average.
	if cpu := row(t, res, "BenchmarkA", compare.CPUNsPerOp); math.Abs(cpu.Old/10_000-1) > 0.02 || math.Abs(cpu.New/1_000-1) > 0.02 {
		t.Errorf("CPU time %v and %v", cpu.Old, cpu.New)
	}
	if !slices.Equal(res.OnlyOld, []string{"BenchmarkGone"}) || !slices.Equal(res.OnlyNew, []string{"BenchmarkAdded/x"}) {
		t.Errorf("only old %v, only new %v", res.OnlyOld, res.OnlyNew)
	}
	if res.ExitCode() != 1 || len(res.Warnings) != 0 || len(res.Disturbances) != 0 || res.Partial != "" || res.Run != 1 || res.Earlier != 0 || res.Layouts != 1 {
		t.Errorf("exit %d, warnings %q, partial %q", res.ExitCode(), res.Warnings, res.Partial)
	}
	if len(res.Benchmarks) != 3*6 {
		t.Errorf("%d rows", len(res.Benchmarks))
	}
	sameWork(t, l, s)
}

// sameWork checks that in every turn both sides ran the same number of
// iterations, three times in all, and a process of two iterations for either
// side in the first turn of a round, and for the doubled side in the others.
func sameWork(t *testing.T, l *lab, s *session) {
	t.Helper()
	for i, b := range s.subjects {
		series := s.outcome.Series[i]
		count := make(map[string]int)
		for _, run := range l.ran {
			count[run]++
		}
		turns, base := 0, [2]int{1, 1} // calibration measures it once
		for _, r := range series.Rounds {
			turns += len(r.Turns())
			base[compare.Old]++
			base[compare.New]++
			for _, turn := range r.More {
				base[turn.AgainOf]++
			}
		}
		slices := count[fmt.Sprintf("old %s %dx", b.name, b.n)] + count[fmt.Sprintf("new %s %dx", b.name, b.n)]
		// Calibration may have run the very same number once on each side.
		if turns == len(series.Rounds) || slices < 3*turns || slices > 3*turns+2 {
			t.Errorf("%s: %d slices of %d iterations in %d turns", b.name, slices, b.n, turns)
		}
		for side := range compare.Sides {
			if got := count[fmt.Sprintf("%v %s %dx", side, b.name, baseIterations)]; b.cost.cpu && got != base[side] {
				t.Errorf("%s: %d processes of %v with two iterations, want %d", b.name, got, side, base[side])
			}
		}
	}
}

// Set-up that differs between the sides is in no figure of CPU time, and one
// that weighs more than the operations leaves none.
// A unit that nobody knows becomes higher or lower and decides nothing; a line
// "Unit … better=" of the benchmark says what is better.
func TestUnitsOfBenchmarks(t *testing.T) {
	both := func(m map[string]benchmark.Better) [2]map[string]benchmark.Better {
		return [2]map[string]benchmark.Better{m, m}
	}
	for _, c := range []struct {
		units   [2]map[string]benchmark.Better
		verdict compare.Verdict
		better  string
		ratio   float64
	}{
		{both(nil), compare.Higher, "", 0.5},
		{both(map[string]benchmark.Better{"rows": benchmark.Higher}), compare.Faster, "higher", 2},
		{both(map[string]benchmark.Better{"rows": benchmark.Lower}), compare.Slower, "lower", 0.5},
		{[2]map[string]benchmark.Better{{"rows": benchmark.Lower}, {"rows": benchmark.Higher}}, compare.Higher, "", 0.5},
	} {
		l := newLab(map[string]float64{"BenchmarkA": 1e5}, map[string]float64{"BenchmarkA": 1e5})
		p := l.packages[0]
		p.extra, p.faster, p.units, p.allocs = []benchmark.Metric{{Unit: "rows", Value: 7}, {Unit: "ns/op", Value: 1}}, 2, c.units, [2]float64{2, 2}
		res := l.mustProve(t, nil)
		r := row(t, res, "BenchmarkA", "rows")
		if r.Verdict != c.verdict || r.Better != c.better || math.Abs(r.Ratio-c.ratio) > 1e-9 || r.Gates || res.ExitCode() != 0 {
			t.Errorf("declared %v: %+v, exit code %d", c.units, r, res.ExitCode())
		}
		if warned(res, "different directions") != (len(c.units[0]) > 0 && c.units[0]["rows"] != c.units[1]["rows"]) {
			t.Errorf("declared %v: warnings %q", c.units, res.Warnings)
		}
	}
}

func TestSetUpIsNoCPUTime(t *testing.T) {
	times := map[string]float64{"BenchmarkA": 5000}
	// A slice of 52 ms and two processors has 104 ms of CPU time, which outweigh the
	// 30 ms before it; one of 300 ms has 600 ms, which do not outweigh 700.
	l := newLab(times, times)
	l.setUp = [2]time.Duration{0, 30 * time.Millisecond}
	if r := row(t, l.mustProve(t, nil), "BenchmarkA", compare.CPUNsPerOp); r.Verdict != compare.NoChange || math.Abs(r.New/10_000-1) > 0.02 {
		t.Errorf("CPU time %v and %v: %s %s", r.Old, r.New, r.Verdict, r.Reason)
	}
	l = newLab(times, times)
	l.setUp = [2]time.Duration{700 * time.Millisecond, 700 * time.Millisecond}
	for _, r := range l.mustProve(t, nil).Benchmarks {
		if r.Metric == compare.CPUNsPerOp {
			t.Errorf("row %+v", r)
		}
	}
}

// Packages are measured in one run, under names that tell them apart.
func TestManyPackages(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 5000, "BenchmarkGone": 5}, map[string]float64{"BenchmarkA": 5000})
	l.add("example.org/lab/other", map[string]float64{"BenchmarkA": 5000}, map[string]float64{"BenchmarkA": 500})
	l.add("example.org/lab/none", nil, nil)
	res := l.mustProve(t, nil)
	verdicts := make(map[string]compare.Verdict)
	for _, r := range res.Benchmarks {
		if r.Metric == compare.NsPerOp {
			verdicts[r.Package+" "+r.Name] = r.Verdict
		}
	}
	if len(verdicts) != 2 || verdicts["example.org/lab BenchmarkA"] != compare.NoChange || verdicts["example.org/lab/other BenchmarkA"] != compare.Faster {
		t.Errorf("verdicts %v", verdicts)
	}
	if !slices.Equal(res.OnlyOld, []string{"example.org/lab.BenchmarkGone"}) {
		t.Errorf("only old: %q", res.OnlyOld)
	}
}

// Each round is linked anew, on the packages that are still measured only.
func TestLayouts(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 5000}, map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 5000})
	l.add("example.org/lab/other", map[string]float64{"BenchmarkA": 5000}, map[string]float64{"BenchmarkA": 500})
	l.link = time.Second
	s, err := l.prove(context.Background(), func(o *Options) { o.Rounds = 20 })
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]int)
	for _, link := range l.links[1:] { // the first was to find out how long it takes
		seen[link]++
	}
	if s.prepare != 2*time.Second {
		t.Errorf("preparing a round of two packages takes %v", s.prepare)
	}
	longest := 0 // of both benchmarks of the first package
	for i := range s.outcome.Series {
		n := len(s.outcome.Series[i].Rounds)
		if s.subjects[i].pkg == 0 {
			longest = max(longest, n)
		}
		for _, r := range s.outcome.Series[i].Rounds {
			if link := fmt.Sprintf("%d %d", s.subjects[i].pkg, r.Layout); seen[link] != 1 {
				t.Errorf("%q was linked %d times", link, seen[link])
			}
		}
	}
	if s.Result.Layouts < 10 || s.Result.Layouts != longest {
		t.Errorf("%d layouts in %d rounds", s.Result.Layouts, longest)
	}
	if want := longest + len(s.outcome.Series[2].Rounds); len(seen) != want {
		t.Errorf("%d links, want %d", len(seen), want)
	}
}

// Where the budget pays for too few rounds either way, layouts stay.
func TestLayoutsWhereNothingHelps(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 2e9}, map[string]float64{"BenchmarkA": 2e9})
	l.link = time.Second
	if res := l.mustProve(t, func(o *Options) { o.Budget = 40 * time.Second }); warned(res, "does not allow linking") || res.Layouts < 2 {
		t.Errorf("%d layouts, warnings %q", res.Layouts, res.Warnings)
	}
}

// Where the budget does not pay for links but for rounds, one layout is
// measured, and said.
func TestLayoutsBeyondTheBudget(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 5000}, map[string]float64{"BenchmarkA": 5000})
	l.link = 30 * time.Second
	res := l.mustProve(t, nil)
	if !warned(res, "does not allow linking both sides again") || res.Layouts != 1 || len(l.links) != 1 {
		t.Errorf("%d layouts, %d links, warnings %q", res.Layouts, len(l.links), res.Warnings)
	}
	if r := row(t, res, "BenchmarkA", compare.NsPerOp); r.Verdict != compare.NoChange {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

func TestLinkFails(t *testing.T) {
	full := errors.New("no space left on device")
	l := newLab(map[string]float64{"BenchmarkA": 5000}, map[string]float64{"BenchmarkA": 5000})
	l.link = time.Second
	l.linkFail = func(int, uint64) error {
		if len(l.links) == 4 {
			return full
		}
		return nil
	}
	s, err := l.prove(context.Background(), nil)
	if err != nil || s.Result.RoundsMeasured != 2 || !strings.Contains(s.Result.Trouble, "prepare round 3: link example.org/lab: no space left") || s.Result.ExitCode() != 3 {
		t.Errorf("%d rounds, trouble %q, error %v", s.Result.RoundsMeasured, s.Result.Trouble, err)
	}
	l = newLab(map[string]float64{"BenchmarkA": 5000}, map[string]float64{"BenchmarkA": 5000})
	l.link = time.Second
	l.linkFail = func(int, uint64) error { return full }
	if _, err := l.prove(context.Background(), nil); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

// The same seed runs the same slices in the same order.
func TestSeedRepeats(t *testing.T) {
	var runs [3][]string
	for i, seed := range []uint64{5, 5, 6} {
		l := newLab(map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 100}, map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 100})
		// Without noise the iterations are the same too.
		l.rng = rand.New(zero{})
		l.mustProve(t, func(o *Options) { o.Seed = seed })
		runs[i] = l.ran
	}
	if !slices.Equal(runs[0], runs[1]) || slices.Equal(runs[0], runs[2]) {
		t.Error("the order is not a function of the seed")
	}
}

type zero struct{}

func (zero) Uint64() uint64 { return 1 << 62 }

func TestBudgetEndsTheRounds(t *testing.T) {
	times := map[string]float64{"BenchmarkA": 1000}
	l := newLab(times, times)
	res := l.mustProve(t, func(o *Options) {
		o.Budget = 10 * time.Second
		o.Progress = func(e prove.Event) {
			if e.Stage == "plan" {
				l.slow = 12 // the machine slows down once the plan is made
			}
		}
	})
	said := fmt.Sprintf("the budget ended after %d of %d rounds", res.RoundsMeasured, res.RoundsPlanned)
	if res.RoundsMeasured >= res.RoundsPlanned || res.RoundsMeasured < 3 || res.Partial != said || !warned(res, "slower than when the plan was made") {
		t.Errorf("%d rounds of %d, partial %q, warnings %q", res.RoundsMeasured, res.RoundsPlanned, res.Partial, res.Warnings)
	}
	// One turn is three slices and two short processes: 12·(3·25+2·5) ms.
	if took := l.now.Sub(time.Unix(1e9, 0)); took > 12*time.Second {
		t.Errorf("a budget of 10s took %v", took)
	}
}

func TestTooSmallBudgetSaysSo(t *testing.T) {
	times := map[string]float64{"BenchmarkA": 2e9}
	l := newLab(times, times)
	res := l.mustProve(t, func(o *Options) { o.Budget = 40 * time.Second })
	if r := row(t, res, "BenchmarkA", compare.NsPerOp); r.Verdict != compare.CannotTell || r.Iterations != 1 {
		t.Errorf("%s, %d iterations", r.Verdict, r.Iterations)
	}
	if !warned(res, "-budget 1m25s would suffice, or choose fewer benchmarks") || res.ExitCode() != 4 {
		t.Errorf("exit %d, warnings %q", res.ExitCode(), res.Warnings)
	}
	// Not even enough to look at every benchmark.
	l = newLab(times, times)
	if _, err := l.prove(context.Background(), func(o *Options) { o.Budget = time.Second }); err == nil || !strings.Contains(err.Error(), "the budget of 1s ran out before every benchmark ran once") {
		t.Errorf("error %v", err)
	}
}

// Calibrating thirty benchmarks takes longer than the budget: those that it
// does not reach are left out and said, and the rest has its figures.
func TestBudgetEndsWhileCalibrating(t *testing.T) {
	times := make(map[string]float64)
	for i := range 30 {
		times[fmt.Sprintf("BenchmarkAll/%02d", i)] = 1000
	}
	l := newLab(times, times)
	began := l.now
	res := l.mustProve(t, func(o *Options) { o.Budget = time.Second })
	rows := len(res.Series)
	if rows == 0 || rows >= 30 {
		t.Fatalf("%d benchmarks were measured within a second", rows)
	}
	want := fmt.Sprintf("the budget of 1s ran out before calibrating %d benchmarks of 30", 30-rows)
	if !slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.HasPrefix(w, want) }) {
		t.Errorf("the warnings %q do not say %q", res.Warnings, want)
	}
	// One calibration and one round may begin before the budget's end.
	if took := l.now.Sub(began); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestDifferentProcessorsAreNotCompared(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 3000, "BenchmarkB": 30}, map[string]float64{"BenchmarkA": 300, "BenchmarkB": 30})
	l.packages[0].procs[compare.New] = 4
	s, err := l.prove(context.Background(), nil)
	if err == nil || !strings.Contains(err.Error(), "GOMAXPROCS differs: 2 for old, 4 for new") || len(s.Result.Benchmarks) != 0 || s.Result.ExitCode() != 3 {
		t.Errorf("error %v, exit %d", err, s.Result.ExitCode())
	}
}

func TestFailures(t *testing.T) {
	boom := &gobench.Error{Kind: gobench.KindPanic, Text: "it panicked"}
	times := map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 5000}
	for side := range compare.Sides {
		t.Run("at the first look, of "+side.String(), func(t *testing.T) {
			l := newLab(times, times)
			l.fail = func(r processSpec, _ int) error {
				if r.side == side && r.bench == "BenchmarkA" {
					return boom
				}
				return nil
			}
			res := l.mustProve(t, nil)
			if len(res.Failures) != 1 || res.Failures[0] != (compare.Failure{Name: "BenchmarkA", Side: side.String(), Text: "it panicked"}) {
				t.Errorf("failures = %+v", res.Failures)
			}
			if row(t, res, "BenchmarkB", compare.NsPerOp).Verdict != compare.NoChange || len(res.OnlyOld)+len(res.OnlyNew) != 0 || res.ExitCode() != 3 {
				t.Errorf("only old %q, only new %q, exit %d", res.OnlyOld, res.OnlyNew, res.ExitCode())
			}
		})
	}
	t.Run("in a round", func(t *testing.T) {
		l := newLab(times, times)
		seen := 0
		l.fail = func(r processSpec, _ int) error {
			if r.side == compare.Old && r.bench == "BenchmarkA" && r.n > baseIterations {
				if seen++; seen == 6 {
					return boom
				}
			}
			return nil
		}
		res := l.mustProve(t, nil)
		r := row(t, res, "BenchmarkA", compare.NsPerOp)
		if r.Verdict != compare.CannotTell || !strings.Contains(r.Reason, "failed in round") {
			t.Errorf("%s: %s", r.Verdict, r.Reason)
		}
		if row(t, res, "BenchmarkB", compare.NsPerOp).Verdict != compare.NoChange || res.ExitCode() != 3 || len(res.Failures) != 1 {
			t.Errorf("exit %d, failures %v", res.ExitCode(), res.Failures)
		}
	})
	t.Run("another number of iterations", func(t *testing.T) {
		l := newLab(times, times)
		s := l.session(nil)
		b := &benchmarkPair{name: "BenchmarkA"}
		l.packages[0].ns[compare.Old]["BenchmarkA"] = func(int64) float64 { return 1 }
		if _, err := s.attempt(context.Background(), b, compare.Old, 7, 0); err != nil {
			t.Errorf("error %v", err)
		}
		s.runner = overcountingRunner{s.runner}
		if _, err := s.attempt(context.Background(), b, compare.Old, 7, 0); err == nil || !strings.Contains(err.Error(), "it ran 8 iterations instead of 7") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("everywhere", func(t *testing.T) {
		l := newLab(times, times)
		l.fail = func(processSpec, int) error { return boom }
		s, err := l.prove(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), "it panicked") || s.Result.ExitCode() != 3 {
			t.Errorf("error %v, exit %d", err, s.Result.ExitCode())
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
		if _, err := l.prove(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "new side: new has no benchmarks") {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("no time", func(t *testing.T) {
		l := newLab(times, times)
		l.packages[0].noTime = []string{"BenchmarkA"}
		res := l.mustProve(t, nil)
		if !warned(res, "BenchmarkA (old) reports no time per operation") || row(t, res, "BenchmarkB", compare.NsPerOp).Verdict != compare.NoChange {
			t.Errorf("warnings %q", res.Warnings)
		}
	})
}

// overcountingRunner runs one iteration too many.
type overcountingRunner struct{ runner }

func (l overcountingRunner) run(ctx context.Context, r processSpec) (processResult, error) {
	r.n++
	return l.runner.run(ctx, r)
}

// Interrupted after any number of processes, a session ends at once, keeps
// whole rounds only, and says so.
func TestInterrupt(t *testing.T) {
	times := map[string]float64{"BenchmarkA": 5000, "BenchmarkB": 5000}
	for _, after := range []int{0, 1, 3, 5, 9, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 40, 100} {
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
		if !s.Result.Interrupted || s.Result.ExitCode() != 130 || s.Result.Verdict.Kind != "interrupted" || len(s.Result.Failures) != 0 {
			t.Errorf("after %d: exit %d, verdict %v, failures %v", after, s.Result.ExitCode(), s.Result.Verdict, s.Result.Failures)
		}
		want := "interrupted before the first round"
		if s.outcome != nil {
			want = fmt.Sprintf("interrupted after %d of %d rounds", s.Result.RoundsMeasured, s.Result.RoundsPlanned)
		}
		if s.Result.Partial != want || !strings.HasPrefix(s.Result.Verdict.Text, want+": ") {
			t.Errorf("after %d: partial %q, verdict %q, want %q", after, s.Result.Partial, s.Result.Verdict.Text, want)
		}
	}
}

func TestAlternativesWithLevels(t *testing.T) {
	ns := map[string]float64{"BenchmarkA": 5000, "BenchmarkC": 5000}
	l := newLab(ns, ns)
	s := l.session(func(o *Options) { o.Bench = "A/x|C/y" })
	_, _ = s.list(context.Background(), 0, compare.Old)
	var patterns []string
	for _, r := range l.requests {
		patterns = append(patterns, r.pattern)
	}
	if want := []string{"^BenchmarkA$/x", "^BenchmarkC$/y"}; !slices.Equal(patterns, want) {
		t.Errorf("ran %q, want %q", patterns, want)
	}
}
