package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
)

// fixed is a lab whose slices are known: each stage has its value, and each
// slice is a little more than the one before. Its clock goes on by what a slice
// takes.
type fixed struct {
	values map[string]float64
	drift  float64 // of each slice, in place of the little more
	cost   time.Duration
	clock  *time.Time
	early  bool // getting ready takes a slice of everything
	busy   func(stage string) (share, bottleneck float64)
	broken string
	ran    []target
}

func (l *fixed) ready(ctx context.Context, g *group, _ time.Duration) (map[target]compare.Slice, error) {
	if !l.early {
		return nil, nil
	}
	had := make(map[target]compare.Slice)
	for _, r := range g.targets() {
		s, err := l.slice(ctx, r)
		if err != nil {
			return nil, err
		}
		had[r] = s
	}
	return had, nil
}

func (l *fixed) takes(target) time.Duration { return l.cost }

func (l *fixed) warnings() []string { return nil }

func (l *fixed) slice(_ context.Context, r target) (compare.Slice, error) {
	v, ok := l.values[r.stage]
	if !ok || r.stage == l.broken {
		return nil, fmt.Errorf("stage %s\nis broken", r.stage)
	}
	l.ran = append(l.ran, r)
	if l.clock != nil {
		*l.clock = l.clock.Add(l.cost)
	}
	if l.drift != 0 {
		v *= math.Exp(l.drift * float64(len(l.ran)))
	} else {
		v *= 1 + float64(len(l.ran)%11)/1000
	}
	s := compare.Slice{nsPerOp: v, bytesPerOp: math.Trunc(v), allocsPerOp: math.Trunc(v / 10), perSecond: 1e9 / v, cpuNs: v, wallNs: v, peakBytes: v}
	if l.busy != nil {
		s[generatorShare], s[bottleneck] = l.busy(r.stage)
	}
	return s, nil
}

// labs is a bench whose cases are measured by a lab, with a clock of its own.
func labs(budget time.Duration, l *fixed) (*bench, *time.Time) {
	clock := time.Unix(0, 0)
	l.clock = &clock
	return &bench{
		deadline: clock.Add(budget), now: func() time.Time { return clock },
		say: func(string, ...any) {}, lab: func(*group) lab { return l },
	}, &clock
}

func threeStages() study {
	return study{name: "x", stages: [3]string{"a", "b", "c"}, needs: map[kind]time.Duration{benchmarks: time.Second}, measures: []measure{
		{text: "head", bench: "BenchmarkH", unit: nsPerOp, published: 3, bar: 9, counts: true, allocs: new(10.0)},
		{text: "rate against", bench: "BenchmarkH", unit: perSecond, of: "c", against: "d"},
		{text: "bytes", bench: "BenchmarkH", unit: bytesPerOp, published: 2},
	}}
}

var fourValues = map[string]float64{"a": 1000, "b": 250, "c": 100, "d": 80}

func measured(t *testing.T, budget time.Duration, l *fixed) *row {
	t.Helper()
	b, _ := labs(budget, l)
	doc := newDocument(b.now())
	if err := b.measure(t.Context(), []study{threeStages()}, doc); err != nil || len(doc.Cases) != 1 {
		t.Fatalf("%v, %+v", err, doc.Cases)
	}
	return &doc.Cases[0]
}

// The ratios are first over best and first over last where less is better, and
// the other way round where more is; intervals hold them, and a row that had
// its rounds is settled.
func TestRatios(t *testing.T) {
	r := measured(t, 100*time.Second, &fixed{values: fourValues, cost: time.Second})
	near := func(what string, got number, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 0.01*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("best", r.RatioBest, 10)
	near("last", r.RatioLastPublished, 4)
	near("low", r.RatioBestLow, 10)
	near("high", r.RatioBestHigh, 10)
	near("old", r.Old, 1005)
	near("last published", r.LastPublished, 250)
	near("more", r.More[0].RatioBest, 0.8)
	near("published bytes", r.More[1].RatioLastPublished, 4)
	// 100 s are 12 rounds of 8 slices.
	if !r.Settled || r.Reached == nil || !*r.Reached || r.Rounds < 12 || r.Rounds > 13 || !(r.NoiseRatio <= 0.01) || r.PublishedRatio != 3 || r.BarRatio != 9 || r.Against != "a" || r.Of != "c" || r.LastPublishedStage != "b" {
		t.Errorf("%+v", r)
	}
	if !(r.RatioBestLow <= r.RatioBest && r.RatioBest <= r.RatioBestHigh && bounded(r.RatioBestLow, r.RatioBestHigh)) {
		t.Errorf("%v to %v around %v", r.RatioBestLow, r.RatioBestHigh, r.RatioBest)
	}
	if r.AllocsOld != 100 || r.AllocsBest != 10 || r.BytesBest != 100 {
		t.Errorf("allocations %v, %v, bytes %v", r.AllocsOld, r.AllocsBest, r.BytesBest)
	}
	if f := r.More[0]; f.Against != "d" || f.PublishedRatio.known() || f.BarRatio.known() || f.Reached != nil || f.AllocsOld.known() || f.LastPublishedStage != "" || !f.Settled {
		t.Errorf("%+v", f)
	}
	if f := r.More[1]; f.PublishedRatio != 2 || f.LastPublishedStage != "b" {
		t.Errorf("%+v", f)
	}
}

// A row whose generator was the bottleneck in more than one of ten runs is not
// settled, and says so; more rounds would not help it. The runs of the last
// published stage count where it is shown.
func TestBottleneck(t *testing.T) {
	for _, tt := range []struct {
		slow string // the stage in whose runs the generator is too slow
		head bool   // whether that is said of the headline
		cell string
	}{
		{"", false, "25 % → 50 %"},
		{"b", true, "25 %% → 50 %%, the bottleneck in %d of %d runs"},
		{"c", true, "25 %% → 50 %%, the bottleneck in %d of %d runs"},
		{"d", false, "25 % → 50 %"},
	} {
		l := &fixed{values: fourValues, cost: time.Second, busy: func(stage string) (float64, float64) {
			share, slow := 0.25, 0.0
			if stage == "c" {
				share = 0.5
			}
			if stage == tt.slow {
				slow = 1
			}
			return share, slow
		}}
		b, _ := labs(100*time.Second, l)
		doc := newDocument(b.now())
		if err := b.measure(t.Context(), []study{threeStages()}, doc); err != nil {
			t.Fatal(err)
		}
		r := doc.Cases[0]
		g := r.Generator
		want := tt.cell
		if tt.head {
			want = fmt.Sprintf(tt.cell, r.Rounds, 3*r.Rounds)
		}
		if g == nil || g.Runs != 3*r.Rounds || g.Valid == tt.head || r.Settled == tt.head || (r.Reached == nil) != tt.head || g.String() != want {
			t.Errorf("%q slow: %+v, %s; settled %t, reached %v; want %s", tt.slow, g, g, r.Settled, r.Reached, want)
		}
		if f := r.More[0]; f.Generator.Runs != 2*f.Rounds || f.Generator.Valid == (tt.slow == "c" || tt.slow == "d") {
			t.Errorf("%q slow, against d: %+v", tt.slow, f.Generator)
		}
		if len(doc.Warnings) > 0 {
			t.Errorf("%q", doc.Warnings)
		}
	}
	// One run of ten is not yet too many, and nobody's generator is none.
	s := &compare.Series{Rounds: make([]compare.Round, 5)}
	for i := range s.Rounds {
		s.Rounds[i] = compare.Round{Turn: compare.Turn{Old: compare.Slice{bottleneck: 0}, New: compare.Slice{bottleneck: float64(1 - min(i, 1))}}}
	}
	if g := watch(s, nil); !g.Valid || g.Bottlenecks != 1 || g.Runs != 10 || g.String() != "unknown, the bottleneck in 1 of 10 runs" {
		t.Errorf("%+v, %s", g, g)
	}
	if g := watch(&compare.Series{Rounds: []compare.Round{{Turn: compare.Turn{Old: compare.Slice{nsPerOp: 1}}}}}, nil); g != nil {
		t.Errorf("%+v", g)
	}
}

// Where no round fits there is one pair, which is a number and nothing that is
// settled; slices that getting ready took are not taken again.
func TestOnePair(t *testing.T) {
	for _, early := range []bool{false, true} {
		l := &fixed{values: fourValues, cost: time.Second, early: early}
		r := measured(t, time.Second, l)
		if r.RatioBest < 9.8 || r.RatioBest > 10.2 || r.Settled || r.Reached != nil || r.NoiseRatio.known() || bounded(r.RatioBestLow, r.RatioBestHigh) || r.Rounds != 1 {
			t.Errorf("%+v", r)
		}
		if len(l.ran) != 4 {
			t.Errorf("%d slices of 4 stages, early %t: %v", len(l.ran), early, l.ran)
		}
	}
}

// In a round each thing that is compared runs twice, once in each block, and
// serves all comparisons that want it; the next round has slices of its own.
func TestTurns(t *testing.T) {
	l := &fixed{values: fourValues, early: true, cost: time.Second}
	s := threeStages()
	g := groups(&s)[0]
	had, err := l.ready(t.Context(), &g, 0)
	if err != nil {
		t.Fatal(err)
	}
	tt := newTurns(l, &g, had, rand.New(rand.NewPCG(1, 2)))
	if tt.takes() != 8*time.Second || tt.first() != 4*time.Second {
		t.Errorf("a round takes %v, and the first %v", tt.takes(), tt.first())
	}
	for round := 1; round <= 3; round++ {
		if err := tt.Prepare(t.Context(), round, 0, nil); err != nil {
			t.Fatal(err)
		}
		block := make(map[target]int)
		for i, r := range l.ran[8*(round-1):] {
			block[r]++
			if block[r] != 1+i/4 {
				t.Fatalf("round %d ran %v", round, l.ran[8*(round-1):])
			}
		}
		seen := make(map[string][]float64)
		for _, subject := range []int{0, 1, 0, 1} {
			got, err := tt.Slice(t.Context(), rounds.SliceRequest{Benchmark: subject, Side: compare.Old, Round: round})
			if err != nil {
				t.Fatal(err)
			}
			name := g.comparisons[subject].name()
			seen[name] = append(seen[name], got[nsPerOp])
		}
		for name, v := range seen {
			if len(v) != 2 || v[0] == v[1] || v[0] != tt.have[target{"BenchmarkH", "a"}][0][nsPerOp] {
				t.Errorf("%s had %v of %v", name, v, tt.have)
			}
		}
	}
	if len(l.ran) != 24 {
		t.Errorf("%d slices in 3 rounds of 4 stages", len(l.ran))
	}
	if _, err := tt.Slice(t.Context(), rounds.SliceRequest{Benchmark: 0, Side: compare.New, Round: 4}); err != nil {
		t.Error(err)
	}
	tt.clear()
	if _, err := tt.Slice(t.Context(), rounds.SliceRequest{Benchmark: 0, Side: compare.New, Round: 4}); err == nil || !strings.Contains(err.Error(), "was not measured in round 4") {
		t.Error(err)
	}
}

// Of stages that are equal neither looks better on a machine that becomes slower
// and slower, although comparisons share the first stage's slices.
func TestDriftIsFair(t *testing.T) {
	s := threeStages()
	g := groups(&s)[0]
	l := &fixed{values: map[string]float64{"a": 1, "b": 1, "c": 1, "d": 1}, drift: 0.01}
	tt := newTurns(l, &g, nil, rand.New(rand.NewPCG(3, 4)))
	out, err := rounds.Measure(t.Context(), []rounds.Benchmark{g.comparisons[0].benchmark("x"), g.comparisons[1].benchmark("x")}, tt, rounds.Options{
		Seed: 5, Alpha: alpha, Margin: margin, Budget: time.Hour, Fixed: 2000, Run: 1, OneLook: true, Now: func() time.Time { return time.Unix(0, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, series := range out.Series {
		n, sum, squares := 0.0, 0.0, 0.0
		for _, r := range series.Rounds {
			d := math.Log(r.Old[nsPerOp]) - math.Log(r.New[nsPerOp])
			n, sum, squares = n+1, sum+d, squares+d*d
		}
		// Five standard errors; first always before best would be about 40.
		if mean, limit := sum/n, 5*math.Sqrt(squares)/n; n != 2000 || math.Abs(mean) > limit {
			t.Errorf("%s: the mean difference of %v rounds is %v, and %v would be much", series.Name, n, mean, limit)
		}
	}
}

// cases are two cases of different cost.
func twoCases() []study {
	fine, coarse := threeStages(), threeStages()
	coarse.name, coarse.needs = "y", map[kind]time.Duration{benchmarks: time.Hour}
	return []study{fine, coarse}
}

// A case that failed has a row that says so, is among the warnings, makes the
// exit code, and leaves the README as it was; the others have their figures.
func TestFailedCase(t *testing.T) {
	l := &fixed{values: fourValues, cost: time.Second}
	b, _ := labs(100*time.Second, l)
	b.lab = func(g *group) lab {
		if g.name == "x" {
			return &fixed{values: fourValues, broken: "c", clock: l.clock}
		}
		return l
	}
	doc := newDocument(b.now())
	err := b.measure(t.Context(), twoCases(), doc)
	const want = "x: prepare round 1: stage c; is broken"
	if err == nil || oneLine(err) != want || len(doc.Cases) != 2 || doc.Warnings[0] != want {
		t.Fatalf("%v, %q, %+v", err, doc.Warnings, doc.Cases)
	}
	if r := doc.Cases[0]; r.Case != "x" || r.Missing != want || r.Settled || r.Reached != nil || r.RatioBest.known() || len(r.More) != 2 || r.More[0].Missing != want {
		t.Errorf("%+v", r)
	}
	if r := doc.Cases[1]; r.Case != "y" || r.Missing != "" || r.RatioBest < 9 {
		t.Errorf("%+v", r)
	}
	name := filepath.Join(t.TempDir(), "README.md")
	text := beginMark + "\n" + endMark + "\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := finish(doc, err, options{readme: name}, &stdout, &stderr)
	if code != failed || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "table: "+want+"; write the table into ") || !strings.Contains(stdout.String(), "missing: "+want) {
		t.Errorf("exit status %d, %s\n%s", code, &stderr, &stdout)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != text {
		t.Errorf("the file became %q, %v", now, err)
	}
	var json bytes.Buffer
	if err := doc.writeJSON(&json); err != nil || !strings.Contains(json.String(), `"ratio_best": null`) {
		t.Errorf("%v, %s", err, &json)
	}
}

// Two cases that fail are one line.
func TestFailuresOnOneLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	err := errors.Join(errors.New("visits: a\nb"), errors.New("stats: c"))
	if code := finish(newDocument(time.Now()), err, options{}, &stdout, &stderr); code != failed || stderr.String() != "table: visits: a; b; stats: c\n" {
		t.Errorf("exit status %d, %q", code, &stderr)
	}
}

// What fails later leaves the rounds before it.
func TestFailsLater(t *testing.T) {
	l := &fixed{values: fourValues, cost: time.Second}
	b, clock := labs(100*time.Second, l)
	now := b.now
	b.now = func() time.Time {
		if clock.Sub(time.Unix(0, 0)) >= 16*time.Second {
			l.broken = "d"
		}
		return now()
	}
	doc := newDocument(b.now())
	err := b.measure(t.Context(), []study{threeStages()}, doc)
	if err == nil || len(doc.Cases) != 1 || doc.Cases[0].Rounds != 2 || doc.Cases[0].Missing != "" || len(doc.Warnings) < 1 || !strings.Contains(doc.Warnings[0], "prepare round 3") {
		t.Errorf("%v, %q, %+v", err, doc.Warnings, doc.Cases)
	}
}

// A command's output is that of all its stages, or it fails; its peak of memory
// is known where it is larger than our own.
func TestCommands(t *testing.T) {
	t.Setenv(asCommand, "3")
	l := &commands{name: "x", program: os.Args[0]}
	g := &group{name: "x", comparisons: []comparison{{measures: []*measure{{}}, old: "same", new: "alike"}}}
	had, err := l.ready(t.Context(), g, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"same", "alike"} {
		s := had[target{stage: stage}]
		if s[wallNs] <= 0 || s[cpuNs] <= 0 || l.takes(target{stage: stage}) != time.Duration(s[wallNs]) {
			t.Errorf("%s: %v", stage, s)
		}
		// It touches 96 MiB.
		if peak, ok := s[peakBytes]; runtime.GOOS == "linux" && (peak < 96<<20 || l.unknown) || ok != (runtime.GOOS == "linux") {
			t.Errorf("%s: peak %v, %t", stage, peak, ok)
		}
	}
	if _, err := l.slice(t.Context(), target{stage: "other"}); err == nil || !strings.Contains(err.Error(), `it printed "other\n", and the first that was run "same\n"`) {
		t.Error(err)
	}
	t.Setenv(asCommand, "fail")
	if _, err := l.slice(t.Context(), target{stage: "same"}); err == nil || !strings.Contains(err.Error(), "run stage same: exit status 3: same; it fails") {
		t.Error(err)
	}
}

// A row is settled when its rounds answer what is asked, and where nothing is,
// when there is a verdict.
func TestSettled(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		ratio, low, high, bar float64
		verdict               bool
		allocs, most          number
		settled               bool
		reached               *bool
	}{
		{47.4, 30.7, 69.4, 38, true, 0, unknown, false, nil},
		{47.4, 32.4, 69.4, 38, true, 0, unknown, true, &yes},
		{34, 32.4, 36, 38, true, 0, unknown, false, nil}, // 0.9 of the figure are 34.2
		{33, 32.4, 34.1, 38, true, 0, unknown, true, &no},
		{1.01, 0.9, 1.1, 0.95, false, 0, unknown, true, &yes}, // nothing is known of a difference
		{1.01, 0.8, 1.1, 0.95, false, 0, unknown, false, nil},
		{12, 1e-6, 1e6, 9, false, 0, unknown, false, nil},
		{12, 11, 13, 9, true, 1, 0, true, &no},
		{12, 11, 13, 9, true, 0, 0, true, &yes},
		{12, 1e-6, 1e6, 9, false, 0, 0, false, nil},
		{3, 2, 4, 0, true, 2, 2, true, &yes},
		{3, 2, 4, 0, true, 3, 2, true, &no},
		{3, 2, 4, 0, true, unknown, 2, true, &no},
		{3, 2, 4, 0, true, 0, unknown, true, nil},
		{1, 0.9, 1.1, 0, false, 0, unknown, false, nil},
		{1e6, 25, 1e6, 0, true, 0, unknown, true, nil}, // a count that fell to none
	} {
		f := figure{Unit: nsPerOp, RatioBest: number(tt.ratio), RatioBestLow: number(tt.low), RatioBestHigh: number(tt.high), BarRatio: asked(tt.bar), AllocsBest: tt.allocs, AllocsBar: tt.most}
		f.judge(tt.verdict)
		if f.Settled != tt.settled || (f.Reached == nil) != (tt.reached == nil) || f.Reached != nil && *f.Reached != *tt.reached {
			t.Errorf("%+v: settled %t, reached %v", tt, f.Settled, f.Reached)
		}
	}
	for _, verdict := range []bool{false, true} {
		f := figure{Unit: allocsPerOp, RatioBest: 72, RatioBestLow: 61, RatioBestHigh: 73, BarRatio: 3, AllocsBar: unknown}
		if f.judge(verdict); f.Settled != verdict || (f.Reached != nil) != verdict {
			t.Errorf("a count with a verdict, %t: settled %t, reached %v", verdict, f.Settled, f.Reached)
		}
	}
}
