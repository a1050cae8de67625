package rounds

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

	"pgregory.net/rapid"

	"whet/internal/analyze/compare"
)

// lab is a runner whose figures are known. Its clock moves by what its slices
// and preparations take, and by nothing else.
type lab struct {
	now      time.Time
	rng      *rand.Rand
	ns       [][2]float64 // of each subject, by side
	turns    []int        // of each subject in a round; nil: 1
	spread   float64      // of the logarithm, uniform
	take     time.Duration
	prepare  time.Duration
	slow     float64 // factor on the clock
	fail     func(SliceRequest) error
	refuse   func(round int) error
	before   func() // called before each call
	requests []SliceRequest
	prepared []prepared
}

type prepared struct {
	round    int
	seed     uint64
	subjects []int
}

func newLab(ns ...[2]float64) *lab {
	return &lab{now: time.Unix(0, 0), rng: rand.New(rand.NewPCG(3, 4)), ns: ns, spread: 0.01, take: 100 * time.Millisecond, slow: 1}
}

func (l *lab) clock() time.Time { return l.now }

func (l *lab) pass(d time.Duration) { l.now = l.now.Add(time.Duration(float64(d) * l.slow)) }

func (l *lab) Prepare(ctx context.Context, round int, seed uint64, subjects []int) error {
	if l.before != nil {
		l.before()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.prepared = append(l.prepared, prepared{round, seed, slices.Clone(subjects)})
	l.pass(l.prepare)
	if l.refuse != nil {
		return l.refuse(round)
	}
	return nil
}

func (l *lab) Slice(ctx context.Context, r SliceRequest) (compare.Slice, error) {
	if l.before != nil {
		l.before()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.requests = append(l.requests, r)
	l.pass(l.take)
	if l.fail != nil {
		if err := l.fail(r); err != nil {
			return nil, err
		}
	}
	ns := l.ns[r.Benchmark][r.Side] * math.Exp(l.spread*(l.rng.Float64()-0.5))
	return compare.Slice{compare.NsPerOp: ns, "serial": float64(len(l.requests))}, nil
}

// subjects are as many as the lab has.
func (l *lab) subjects() []Benchmark {
	var out []Benchmark
	for i := range l.ns {
		out = append(out, Benchmark{
			Package: "example.org/p", Name: fmt.Sprintf("Benchmark%c", 'A'+i), Iterations: 100,
			Metrics: []compare.Metric{compare.MetricOf(compare.NsPerOp)},
			Slice:   [2]time.Duration{l.take, l.take},
		})
		if l.turns != nil {
			out[i].Turns = l.turns[i]
		}
	}
	return out
}

func (l *lab) measure(t *testing.T, ctx context.Context, change func(*Options)) *Outcome {
	t.Helper()
	o := Options{Seed: 5, Alpha: 0.005, Margin: 0.02, Budget: time.Minute, Run: 1, Prepare: l.prepare, Now: l.clock}
	if change != nil {
		change(&o)
	}
	out, err := Measure(ctx, l.subjects(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// say returns an outcome in short.
func say(out *Outcome) string {
	text := fmt.Sprintf("planned %d, looks %v, measured %d, partial %q, interrupted %v, trouble %v, failures %d;", out.Planned, out.Looks, out.Measured, out.Partial, out.Interrupted, out.Trouble, len(out.Failures))
	for i := range out.Series {
		s := &out.Series[i]
		text += fmt.Sprintf(" %s: %d rounds, %d earlier, run %d, ended %v, invalid %q;", s.Name, len(s.Rounds), s.Earlier, s.Run, s.Ended, s.Invalid)
	}
	for _, r := range out.Rows {
		text += fmt.Sprintf(" %s %s (%s) %.3f to %.3f;", r.Name, r.Verdict, r.Reason, r.RatioLow, r.RatioHigh)
	}
	return text
}

// own returns the rounds of this run.
func own(s *compare.Series) []compare.Round { return s.Rounds[s.Earlier:] }

func verdict(t *testing.T, out *Outcome, name string) compare.Verdict {
	t.Helper()
	for _, r := range out.Rows {
		if r.Name == name {
			return r.Verdict
		}
	}
	t.Fatalf("there is no row of %s: %s", name, say(out))
	return ""
}

// Whoever may have looked at the figures before the interrupt gets no last
// look; a budget does not look.
func TestInterruptWhileWatching(t *testing.T) {
	for _, watched := range []bool{false, true} {
		for _, interrupt := range []bool{false, true} {
			l := newLab([2]float64{1000, 500})
			ctx, cancel := context.WithCancel(context.Background())
			l.before = func() {
				if interrupt && len(l.requests) == 3*14 {
					cancel()
				}
			}
			out := l.measure(t, ctx, func(o *Options) {
				o.Watched = watched
				if !interrupt {
					l.slow = 12 // the plan is for many more rounds than there is time for
				}
			})
			cancel()
			last := !watched || !interrupt
			if out.Series[0].Ended != last || (verdict(t, out, "BenchmarkA") == compare.Faster) != last {
				t.Errorf("watched %v, interrupted %v: %s", watched, interrupt, say(out))
			}
		}
	}
}

func TestFindsWhatIsThere(t *testing.T) {
	l := newLab([2]float64{1000, 500}, [2]float64{1000, 1000}, [2]float64{1000, 1100})
	out := l.measure(t, context.Background(), nil)
	for name, want := range map[string]compare.Verdict{"BenchmarkA": compare.Faster, "BenchmarkB": compare.NoChange, "BenchmarkC": compare.Slower} {
		if got := verdict(t, out, name); got != want {
			t.Errorf("%s is %q, want %q: %s", name, got, want, say(out))
		}
	}
	if out.Partial != "" || out.Interrupted || out.Trouble != nil || len(out.Failures) != 0 {
		t.Error(say(out))
	}
}

// Every slice that was measured stands in exactly one place of one round, on
// the side that ran it, and in the round it was asked for.
func TestEverySliceCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(rt, "subjects")
		ns := make([][2]float64, n)
		for i := range ns {
			ns[i] = [2]float64{1000, rapid.SampledFrom([]float64{500, 1000, 1003, 1500}).Draw(rt, "new")}
		}
		l := newLab(ns...)
		l.prepare = time.Duration(rapid.IntRange(0, 2000).Draw(rt, "prepare")) * time.Millisecond
		budget := time.Duration(rapid.IntRange(0, 90).Draw(rt, "seconds")) * time.Second
		layouts := rapid.Bool().Draw(rt, "layouts")
		seed := rapid.Uint64().Draw(rt, "seed")
		turns := make([]int, n)
		for i := range turns {
			turns[i] = rapid.IntRange(1, 4).Draw(rt, "turns")
		}
		l.turns = turns
		out := l.measure(t, context.Background(), func(o *Options) { o.Budget, o.Layouts, o.Seed = budget, layouts, seed })
		want := make(map[float64]SliceRequest)
		for i, r := range l.requests {
			want[float64(i+1)] = r
		}
		for i := range out.Series {
			for j, r := range out.Series[i].Rounds {
				if got := len(r.Turns()); got > turns[i] || got < turns[i] && j < len(out.Series[i].Rounds)-1 {
					rt.Fatalf("round %d of %d has %d turns, want %d", j+1, i, got, turns[i])
				}
				for k, turn := range r.Turns() {
					if want := (r.AgainOf + compare.Side(k)) % compare.Sides; turn.AgainOf != want {
						rt.Fatalf("round %d of %d: %v is doubled in turn %d, want %v", j+1, i, turn.AgainOf, k+1, want)
					}
					for _, got := range []struct {
						side  compare.Side
						slice compare.Slice
					}{{compare.Old, turn.Old}, {compare.New, turn.New}, {turn.AgainOf, turn.Again}} {
						req, ok := want[got.slice["serial"]]
						if !ok || req.Benchmark != i || req.Side != got.side || req.Round != j+1 || req.Turn != k+1 || req.Doubled != (got.side == turn.AgainOf) || req.Seed != r.Layout || (r.Layout == 0) == layouts {
							rt.Fatalf("round %d of %d holds %v of %v as %v (layout %d)", j+1, i, got.slice, req, got.side, r.Layout)
						}
						delete(want, got.slice["serial"])
					}
				}
			}
		}
		if len(want) != 0 {
			rt.Fatalf("slices measured and not counted: %v", want)
		}
		for _, p := range l.prepared {
			ran := make(map[int]bool)
			for _, r := range l.requests {
				if r.Round == p.round {
					ran[r.Benchmark] = true
					if r.Seed != p.seed {
						rt.Fatalf("round %d was prepared with %d and ran with %d", p.round, p.seed, r.Seed)
					}
				}
			}
			for i := range ran {
				if !slices.Contains(p.subjects, i) {
					rt.Fatalf("round %d ran %d and was prepared for %v", p.round, i, p.subjects)
				}
			}
		}
	})
}

// The budget is kept, but for the first round and the turn under way.
func TestBudgetIsKept(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "subjects")
		l := newLab(slices.Repeat([][2]float64{{1000, 1001}}, n)...)
		l.prepare = time.Duration(rapid.IntRange(0, 3000).Draw(rt, "prepare")) * time.Millisecond
		l.slow = rapid.Float64Range(0.3, 4).Draw(rt, "slow")
		budget := time.Duration(rapid.IntRange(0, 60_000).Draw(rt, "ms")) * time.Millisecond
		out := l.measure(t, context.Background(), func(o *Options) { o.Budget = budget })
		scale := func(d time.Duration) time.Duration { return time.Duration(float64(d) * l.slow) }
		took, turn := l.now.Sub(time.Unix(0, 0)), scale(3*l.take)
		first := scale(l.prepare) + time.Duration(n)*turn
		// A round may be begun when its preparation is expected to fit, and a
		// turn while there is time: where both are slower than planned, one of
		// each is too much.
		if limit := max(first, budget+scale(l.prepare)+turn); took > limit {
			rt.Fatalf("a budget of %v took %v, more than %v", budget, took, limit)
		}
		if l.slow <= 1 && took > max(first, budget+turn) {
			rt.Fatalf("a budget of %v took %v on a machine as fast as planned", budget, took)
		}
		for i := range out.Series {
			if len(out.Series[i].Rounds) == 0 {
				rt.Fatalf("%d has no round: the first is measured whatever it takes", i)
			}
		}
		if out.Measured < out.Planned && !slices.ContainsFunc(out.Rows, func(r compare.Row) bool { return r.Verdict == compare.CannotTell }) {
			return // all have their verdict
		}
		if short := out.Measured < out.Planned; short != (out.Partial != "") {
			rt.Fatalf("%d of %d rounds, partial %q", out.Measured, out.Planned, out.Partial)
		}
	})
}

// Whoever has a verdict is measured no more, from the look that gave it on, and
// keeps it; the others go on.
func TestDecidedSubjectsStop(t *testing.T) {
	l := newLab([2]float64{1000, 500}, [2]float64{1000, 1001})
	l.spread = 0.4 // of no margin, to the end
	out := l.measure(t, context.Background(), nil)
	a, b := len(out.Series[0].Rounds), len(out.Series[1].Rounds)
	if !slices.Contains(out.Looks, a) || a >= b {
		t.Errorf("the decided one has %d rounds, the other %d, looks %v", a, b, out.Looks)
	}
	if verdict(t, out, "BenchmarkA") != compare.Faster || out.Series[0].Ended || !out.Series[1].Ended {
		t.Error(say(out))
	}
	for _, p := range l.prepared {
		if slices.Contains(p.subjects, 0) != (p.round <= a) {
			t.Errorf("round %d was prepared for %v", p.round, p.subjects)
		}
	}
	// The time goes to the rest: more rounds than with both.
	if b <= out.Planned {
		t.Errorf("%d rounds, as many as were planned with both", b)
	}
}

// Cancelled anywhere, the run ends at once and keeps whole rounds only.
func TestCancelAnywhere(t *testing.T) {
	for after := range 60 {
		l := newLab([2]float64{1000, 1000}, [2]float64{1000, 1003})
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		l.before = func() {
			if calls++; calls > after {
				cancel()
			}
		}
		out := l.measure(t, ctx, nil)
		cancel()
		if done := len(l.requests) + len(l.prepared); done != after || calls != after+1 {
			t.Errorf("after %d calls, %d were made and %d done", after, calls, done)
		}
		if !out.Interrupted || !strings.HasPrefix(out.Partial, fmt.Sprintf("interrupted after %d of %d rounds", out.Measured, out.Planned)) {
			t.Errorf("after %d: %s", after, say(out))
		}
		whole := 0
		for i := range out.Series {
			for _, r := range out.Series[i].Rounds {
				if r.Old == nil || r.New == nil || r.Again == nil {
					t.Errorf("after %d: a round is incomplete: %+v", after, r)
				}
			}
			whole += 3 * len(out.Series[i].Rounds)
		}
		if lost := len(l.requests) - whole; lost < 0 || lost > 2 {
			t.Errorf("after %d: %d slices of %d are lost", after, lost, len(l.requests))
		}
	}
}

// A cancelled context before anything is an interrupted run without rounds.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := newLab([2]float64{1, 1})
	if out := l.measure(t, ctx, nil); !out.Interrupted || out.Measured != 0 || len(l.requests) != 0 || len(out.Rows) != 0 {
		t.Error(say(out))
	}
}

func TestFailingSubjectDropsOut(t *testing.T) {
	boom := errors.New("boom")
	l := newLab([2]float64{1000, 1000}, [2]float64{1000, 1000})
	l.fail = func(r SliceRequest) error {
		if r.Benchmark == 1 && r.Side == compare.New && r.Round == 3 {
			return boom
		}
		return nil
	}
	out := l.measure(t, context.Background(), nil)
	if len(out.Failures) != 1 || out.Failures[0].Benchmark != 1 || out.Failures[0].Side != compare.New || out.Failures[0].Round != 3 || !errors.Is(out.Failures[0].Err, boom) {
		t.Errorf("failures %+v", out.Failures)
	}
	if s := out.Series[1]; len(s.Rounds) != 2 || s.Invalid != "it failed in round 3" || s.Ended {
		t.Error(say(out))
	}
	if out.Partial != "" || verdict(t, out, "BenchmarkA") != compare.NoChange || verdict(t, out, "BenchmarkB") != compare.CannotTell {
		t.Error(say(out))
	}
	for _, p := range l.prepared {
		if p.round > 3 && slices.Contains(p.subjects, 1) {
			t.Errorf("round %d was prepared for %v", p.round, p.subjects)
		}
	}
	// Where all fail, there is an end.
	l = newLab([2]float64{1000, 1000})
	l.fail = func(SliceRequest) error { return boom }
	if out := l.measure(t, context.Background(), nil); len(l.requests) != 1 || out.Measured != 0 || out.Partial != "" {
		t.Errorf("%d slices, %s", len(l.requests), say(out))
	}
}

// What cannot be prepared ends the run with what there is; the first round is
// an error.
func TestPrepareFails(t *testing.T) {
	full := errors.New("no space left on device")
	l := newLab([2]float64{1000, 1000})
	l.refuse = func(round int) error {
		if round == 4 {
			return full
		}
		return nil
	}
	out := l.measure(t, context.Background(), nil)
	if !errors.Is(out.Trouble, full) || out.Measured != 3 || !out.Series[0].Ended || !strings.HasPrefix(out.Partial, "ended after 3 of ") || out.Interrupted {
		t.Error(say(out))
	}
	l = newLab([2]float64{1000, 1000})
	l.refuse = func(int) error { return full }
	o := Options{Alpha: 0.005, Budget: time.Minute, Run: 1, Now: l.clock}
	if out, err := Measure(context.Background(), l.subjects(), l, o); out != nil || !errors.Is(err, full) || !strings.Contains(err.Error(), "prepare round 1") {
		t.Errorf("%+v, %v", out, err)
	}
}

// Between looks nothing reads the figures: whatever they are, as long as no
// series is decided, the requests are the same.
func TestNothingPeeks(t *testing.T) {
	var runs [2][]SliceRequest
	for i, ns := range []float64{1000, 1020} {
		l := newLab([2]float64{1000, ns}, [2]float64{ns, 1000})
		l.spread = 3 // no verdict whatever happens
		out := l.measure(t, context.Background(), nil)
		for _, r := range out.Rows {
			if r.Verdict != compare.CannotTell {
				t.Fatalf("row %+v", r)
			}
		}
		runs[i] = l.requests
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Error("the figures changed what was measured")
	}
}

// Stop is asked at looks only, and what it ends has no last look.
func TestStop(t *testing.T) {
	l := newLab([2]float64{1000, 1000}, [2]float64{1000, 1000})
	l.spread = 3
	var at []int
	out := l.measure(t, context.Background(), func(o *Options) {
		o.Stop = func(rows []compare.Row) bool {
			at = append(at, rows[0].Rounds)
			return true
		}
	})
	if len(at) != 1 || at[0] != out.Looks[0] || out.Measured != at[0] || out.Series[0].Ended || out.Partial != "" {
		t.Errorf("asked at %v: %s", at, say(out))
	}
}

// Earlier rounds stand before this run's, and are not counted as this run's.
func TestEarlierRounds(t *testing.T) {
	earlier := compare.Round{Turn: compare.Turn{Old: compare.Slice{compare.NsPerOp: 7}, New: compare.Slice{compare.NsPerOp: 7}, Again: compare.Slice{compare.NsPerOp: 7}}}
	l := newLab([2]float64{1000, 1000}, [2]float64{1000, 1000})
	out := l.measure(t, context.Background(), func(o *Options) {
		o.Fixed, o.Run, o.Runs = 4, 3, []int{3, 1}
		o.Earlier = [][]compare.Round{slices.Repeat([]compare.Round{earlier}, 9), nil}
	})
	a, b := &out.Series[0], &out.Series[1]
	if a.Run != 3 || b.Run != 1 || a.Earlier != 9 || b.Earlier != 0 || len(own(a)) != 4 || len(own(b)) != 4 || out.Measured != 4 {
		t.Error(say(out))
	}
	if a.Rounds[8].Old[compare.NsPerOp] != 7 || a.Rounds[9].Old[compare.NsPerOp] == 7 {
		t.Error("the earlier rounds are not the first")
	}
}

func TestProgress(t *testing.T) {
	l := newLab([2]float64{1000, 1000}, [2]float64{1000, 1000})
	l.prepare = time.Second
	var plans int
	last := time.Duration(math.MaxInt64)
	out := l.measure(t, context.Background(), func(o *Options) {
		o.Progress = func(e Event) {
			if e.Plan != "" {
				plans++
				if !strings.Contains(e.Plan, " rounds of 3 slices each") {
					t.Errorf("plan %q", e.Plan)
				}
			}
			if e.Left > last || e.Left < 0 || e.Left > time.Minute {
				t.Errorf("%v are left after %v", e.Left, last)
			}
			if e.Round > e.Rounds || e.Measured < 1 || e.Measured > 2 {
				t.Errorf("event %+v", e)
			}
			last = e.Left
		}
	})
	if plans != 1 || out.Measured == 0 {
		t.Errorf("%d plans, %s", plans, say(out))
	}
}

func TestBadOptions(t *testing.T) {
	l := newLab([2]float64{1, 1})
	good := Options{Alpha: 0.005, Budget: time.Minute, Run: 1, Now: l.clock}
	for name, c := range map[string]struct {
		subjects []Benchmark
		spoil    func(*Options)
	}{
		"no clock":              {l.subjects(), func(o *Options) { o.Now = nil }},
		"no subjects":           {nil, func(*Options) {}},
		"another's rounds":      {l.subjects(), func(o *Options) { o.Earlier = make([][]compare.Round, 2) }},
		"another's runs":        {l.subjects(), func(o *Options) { o.Runs = []int{1, 1} }},
		"no number of this run": {l.subjects(), func(o *Options) { o.Run = 0 }},
	} {
		o := good
		c.spoil(&o)
		if out, err := Measure(context.Background(), c.subjects, l, o); err == nil || out != nil || !strings.HasPrefix(err.Error(), "measure rounds: ") {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}
