package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
)

// pace is a lab of known pace: the coarse stages take it 4 s.
type pace struct{ fixed }

func (l *pace) takes(r target) time.Duration {
	if r.bench == "Coarse" {
		return 4 * time.Second
	}
	return 50 * time.Millisecond
}

func (l *pace) slice(ctx context.Context, r target) (compare.Slice, error) {
	l.cost = l.takes(r)
	return l.fixed.slice(ctx, r)
}

// Where a group's rounds take longer than was thought it takes what those after
// it do not need.
func TestBudgetOfASlowMachine(t *testing.T) {
	coarse, fine := threeStages(), threeStages()
	for i := range coarse.measures {
		coarse.measures[i].bench = "Coarse"
	}
	fine.needs = map[kind]time.Duration{benchmarks: 5 * time.Second}
	coarse.name, coarse.needs = "coarse", map[kind]time.Duration{benchmarks: 30 * time.Second}
	l := &pace{fixed{values: fourValues}}
	b, clock := labs(400*time.Second, &l.fixed)
	b.lab = func(*group) lab { return l }
	doc := newDocument(b.now())
	if err := b.measure(t.Context(), []study{coarse, fine}, doc); err != nil || !doc.Cases[0].Settled || !doc.Cases[1].Settled || clock.Sub(time.Unix(0, 0)) > 400*time.Second {
		t.Errorf("%v, %v, %+v", err, clock, doc.Cases)
	}
}

// like is a lab whose slices take what those of the real ones do, on the machine
// of the README's table.
type like struct {
	fixed
	kind kind
	span time.Duration
}

func (l *like) ready(ctx context.Context, g *group, within time.Duration) (map[target]compare.Slice, error) {
	l.early = l.kind == command
	switch n := len(g.targets()); l.kind {
	case benchmarks:
		l.span = sliceOf(within, n, start, shortestSlice, longestSlice) + start
		*l.clock = l.clock.Add(time.Duration(n) * (shortestSlice + start))
	case service:
		l.span = sliceOf(within, n, pictures.warmUp+standing, pictures.least, longestSpan) + pictures.warmUp + standing
	case uploads:
		l.span = sliceOf(within, n, standing, bodies.least, longestSpan) + standing
	}
	return l.fixed.ready(ctx, g, within)
}

func (l *like) takes(r target) time.Duration {
	if l.kind == command {
		return map[string]time.Duration{"original": 12600 * time.Millisecond, "cached": 1800 * time.Millisecond, "best": 200 * time.Millisecond}[r.stage]
	}
	return l.span
}

func (l *like) slice(ctx context.Context, r target) (compare.Slice, error) {
	l.cost = l.takes(r)
	return l.fixed.slice(ctx, r)
}

// Of the cases as they are, 45 seconds settle all benchmarks and give the others
// a pair; ten minutes settle all. The builds have had 6 seconds. Coarse cases
// come first, and a budget that is too short for anything is exceeded by no more
// than a pair of each takes.
func TestBudgetOfTheCases(t *testing.T) {
	for _, tt := range []struct {
		budget, over time.Duration
		open         string
	}{
		// 14.6 s of havlak, 4 slices of avatar, 3 of ingest's uploads, and less than 2 s
		// of benchmarks.
		{10 * time.Second, 16 * time.Second, "not settled: visits (2 of 2 rows), havlak (3 of 3 rows), stats (2 of 2 rows), avatar (2 of 2 rows), gateway (4 of 4 rows), ingest (6 of 6 rows): a longer -budget has more rounds for them"},
		{45 * time.Second, 0, "not settled: havlak (3 of 3 rows), avatar (2 of 2 rows), ingest (2 of 6 rows): a longer -budget has more rounds for them"},
		{10 * time.Minute, 0, ""},
	} {
		values := map[string]float64{
			"original": 1e4, "original, 20 MB": 1e4, "final": 2e3, "cached": 2e3, "pool": 2e3, "lrubytes": 2e3, "randbits": 2e3, "leaky": 2e3,
			"best": 100, "best, 20 MB": 100, "best, 100 KB": 100, constantStage: 100,
		}
		b, clock := labs(tt.budget, new(fixed))
		*clock = clock.Add(6 * time.Second)
		var order []string
		b.lab = func(g *group) lab {
			order = append(order, g.name)
			return &like{fixed: fixed{values: values, clock: clock}, kind: g.kind}
		}
		doc := newDocument(b.now())
		if err := b.measure(t.Context(), studies(), doc); err != nil || len(doc.Cases) != 6 {
			t.Fatalf("%v, %+v", err, doc.Cases)
		}
		if got := strings.Join(doc.Warnings, "\n"); got != tt.open {
			t.Errorf("%v: %q", tt.budget, got)
		}
		if over := clock.Sub(b.deadline); over > tt.over {
			t.Errorf("%v was exceeded by %v", tt.budget, over)
		}
		if want := []string{"havlak", "avatar", "ingest", "ingest", "gateway", "visits", "stats"}; !slices.Equal(order, want) {
			t.Errorf("the order was %q, want %q", order, want)
		}
	}
}
