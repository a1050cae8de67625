package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/prove/rounds"
)

// fixed is a lab whose slices are known: each stage has its value, and each
// slice is a little more than the one before.
type fixed struct {
	values map[string]float64
	share  bool
	hads   map[string]float64
	ran    []string
}

func (l *fixed) ready(context.Context, *group, time.Duration) error { return nil }

func (l *fixed) had(stage string) rounds.Slice {
	if l.hads[stage] == 0 {
		return nil
	}
	return rounds.Slice{nsPerOp: l.hads[stage], perSecond: 1e9 / l.hads[stage], allocsPerOp: 3}
}

func (l *fixed) takes(*measure, string) time.Duration { return time.Millisecond }

func (l *fixed) shares() bool { return l.share }

func (l *fixed) warnings() []string { return nil }

func (l *fixed) slice(_ context.Context, m *measure, stage string) (rounds.Slice, error) {
	v, ok := l.values[stage]
	if !ok {
		return nil, fmt.Errorf("no stage %s", stage)
	}
	l.ran = append(l.ran, stage)
	v *= 1 + float64(len(l.ran)%7)/1000
	return rounds.Slice{nsPerOp: v, bytesPerOp: math.Trunc(v), allocsPerOp: math.Trunc(v / 10), perSecond: 1e9 / v}, nil
}

func measured(t *testing.T, l *fixed, s *study, fixed int) *row {
	t.Helper()
	var results []result
	for _, g := range groups(s) {
		var subjects []rounds.Subject
		for i := range g.comparisons {
			subjects = append(subjects, g.comparisons[i].subject(g.name, l))
		}
		clock := time.Unix(0, 0)
		out, err := rounds.Measure(t.Context(), subjects, &turns{lab: l, comparisons: g.comparisons}, rounds.Options{
			Seed: 1, Alpha: alpha, Margin: margin, Budget: time.Hour, Fixed: fixed, Run: 1, Now: func() time.Time { return clock },
		})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, resultsOf(&g, out)...)
	}
	return newRow(s, results)
}

var threeStages = &study{name: "x", stages: [3]string{"a", "b", "c"}, measures: []measure{
	{text: "head", bench: "BenchmarkH", unit: nsPerOp, published: 3, bar: 9, counts: true},
	{text: "rate against", bench: "BenchmarkH", unit: perSecond, of: "c", against: "d"},
}}

// The ratios are first over best and first over last where less is better, and
// the other way round where more is; intervals hold them, and a row that had
// its rounds is settled.
func TestRatios(t *testing.T) {
	l := &fixed{values: map[string]float64{"a": 1000, "b": 250, "c": 100, "d": 80}}
	r := measured(t, l, threeStages, 12)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("best", r.RatioBest, 10)
	near("last", r.RatioLastPublished, 4)
	near("low", r.RatioBestLow, 10)
	near("high", r.RatioBestHigh, 10)
	near("old", r.Old, 1003)
	near("last published", r.LastPublished, 250)
	near("more", r.More[0].RatioBest, 0.8)
	if !r.Settled || r.Rounds != 12 || r.NoiseRatio == nil || *r.NoiseRatio > 0.01 || *r.PublishedRatio != 3 || *r.BarRatio != 9 || r.Against != "a" {
		t.Errorf("%+v", r)
	}
	if !(r.RatioBestLow <= r.RatioBest && r.RatioBest <= r.RatioBestHigh && bounded(r.RatioBestLow, r.RatioBestHigh)) {
		t.Errorf("%v to %v around %v", r.RatioBestLow, r.RatioBestHigh, r.RatioBest)
	}
	if *r.AllocsOld != 100 || *r.AllocsBest != 10 || *r.BytesBest != 100 {
		t.Errorf("allocations %v, %v, bytes %v", *r.AllocsOld, *r.AllocsBest, *r.BytesBest)
	}
	if f := r.More[0]; f.Against != "d" || f.PublishedRatio != nil || f.BarRatio != nil || f.AllocsOld != nil || !f.Settled {
		t.Errorf("%+v", f)
	}
}

// One pair gives a number, and nothing that is settled.
func TestOnePair(t *testing.T) {
	r := measured(t, &fixed{values: map[string]float64{"a": 1000, "b": 250, "c": 100, "d": 80}}, threeStages, 1)
	if r.RatioBest < 9.8 || r.RatioBest > 10.2 || r.Settled || r.NoiseRatio != nil || bounded(r.RatioBestLow, r.RatioBestHigh) || r.Rounds != 1 {
		t.Errorf("%+v", r)
	}
}

// Long slices of the first stage serve both comparisons of a round, never two
// times the same one, and never in another round.
func TestShared(t *testing.T) {
	runs := func(share bool) (first, all int) {
		l := &fixed{values: map[string]float64{"a": 1000, "b": 250, "c": 100}, share: share}
		measured(t, l, &study{name: "x", stages: threeStages.stages, measures: threeStages.measures[:1]}, 40)
		for _, stage := range l.ran {
			if stage == "a" {
				first++
			}
		}
		return first, len(l.ran)
	}
	alone, all := runs(false)
	if all != 40*6 {
		t.Errorf("%d slices without sharing, want %d", all, 40*6)
	}
	// A comparison wants the first stage once or twice a round; shared it is run
	// as often as the one that wants it more.
	shared, rest := runs(true)
	if shared < 40 || shared > 80 || shared >= alone || rest-shared != all-alone {
		t.Errorf("%d runs of the first stage where they are shared, %d where not; %d and %d of the others", shared, alone, rest-shared, all-alone)
	}
	tt := &turns{lab: &fixed{values: map[string]float64{"a": 1, "b": 1, "c": 1}, share: true}, comparisons: groups(threeStages)[0].comparisons[:2]}
	var got []float64
	for round := 1; round <= 2; round++ {
		tt.Prepare(t.Context(), round, 0, nil)
		for _, subject := range []int{0, 1, 1, 0} {
			s, err := tt.Slice(t.Context(), rounds.Request{Subject: subject, Side: rounds.Old, Round: round})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s[nsPerOp])
		}
	}
	if want := []float64{1.001, 1.001, 1.002, 1.002, 1.003, 1.003, 1.004, 1.004}; !slices.Equal(got, want) {
		t.Errorf("slices %v, want %v", got, want)
	}
}

// Where no round fits, the slices that getting ready took are the pair.
func TestPairOf(t *testing.T) {
	l := &fixed{hads: map[string]float64{"a": 1000, "b": 250, "c": 100, "d": 80}}
	g := groups(threeStages)
	r := newRow(threeStages, pairOf(&g[0], l))
	if r.RatioBest != 10 || r.RatioLastPublished != 4 || r.Settled || r.Rounds != 1 || r.NoiseRatio != nil || bounded(r.RatioBestLow, r.RatioBestHigh) || bounded(r.RatioLastPublishedLow, r.RatioLastPublishedHigh) {
		t.Errorf("%+v", r)
	}
	if r.Old != 1000 || r.Best != 100 || r.LastPublished != 250 || r.More[0].RatioBest != 0.8 || *r.AllocsOld != 3 || r.BytesOld != nil {
		t.Errorf("%+v", r)
	}
	delete(l.hads, "b")
	if got := pairOf(&g[0], l); got != nil {
		t.Errorf("%+v without a slice of one stage", got)
	}
}

// A command's output is that of all its stages, or it fails; its peak of memory
// is known where it is larger than our own.
func TestCommands(t *testing.T) {
	t.Setenv(asCommand, "3")
	l := &commands{name: "x", program: os.Args[0]}
	g := &group{name: "x", comparisons: []comparison{{measures: []*measure{{}}, old: "same", new: "alike"}}}
	if err := l.ready(t.Context(), g, 0); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"same", "alike"} {
		s := l.had(stage)
		if s[wallNs] <= 0 || s[cpuNs] <= 0 || l.takes(nil, stage) != time.Duration(s[wallNs]) {
			t.Errorf("%s: %v", stage, s)
		}
		// It touches 256 MiB.
		if peak, ok := s[peakBytes]; runtime.GOOS == "linux" && (peak < 256<<20 || l.unknown) || ok != (runtime.GOOS == "linux") {
			t.Errorf("%s: peak %v, %t", stage, peak, ok)
		}
	}
	if _, err := l.slice(t.Context(), nil, "other"); err == nil || !strings.Contains(err.Error(), `it printed "other\n", and the first that was run "same\n"`) {
		t.Error(err)
	}
	t.Setenv(asCommand, "fail")
	if _, err := l.slice(t.Context(), nil, "same"); err == nil || !strings.Contains(err.Error(), "run stage same: exit status 3: same; it fails") {
		t.Error(err)
	}
}

func TestMedian(t *testing.T) {
	if median(nil) != nil {
		t.Error("the median of nothing is something")
	}
	for _, tt := range []struct {
		v    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 9, 2, 4}, 3}} {
		if got := *median(tt.v); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.v, got, tt.want)
		}
	}
}
