package knee

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/search"
)

func bounds(t *testing.T, text string) slo.Bounds {
	t.Helper()
	b, err := slo.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Of 298 answers all are below the 99th percentile with the probability
// 0.99²⁹⁸ = 0.0500, of 299 with 0.0495: the table of Wilks has 299 for 99 % and 59
// for 95 % of a population, both with 95 % confidence.
func TestEnough(t *testing.T) {
	for text, want := range map[string]int64{
		"p99<50ms": 299, "p95<=50ms": 59, "p99.9<1s": 2995, "p50<1s": 5, "service.p99<1s,p50<1s": 299,
		"p99>1ms": 0, "max<1s": 0, "mean<1s,errors<0.1%,throughput>5": 0, "p99.99999999999999<1s": 30_000_000_000_000_000,
	} {
		got := Enough(bounds(t, text))
		if want > 1e9 {
			want = max(min(got, want), 2e16) // as exact as its percentage
		}
		if got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// judged returns a load of an open loop whose answers take 1 ms but for some that take
// 100 ms and some that failed.
func judged(n, slow, failed int64, b slo.Bounds) Point {
	start := time.Unix(100, 0)
	r := &loadresult.Result{Start: start, End: start.Add(time.Second), Open: true, Requests: n + failed, Status: map[int]int64{200: n}, Errors: map[string]int64{loadresult.Refused: failed}}
	r.Response.RecordMany(1e6, n-slow)
	r.Response.RecordMany(100e6, slow)
	return PointOf(r, float64(n), b)
}

// One slow answer of 96 says nothing of p99, which is that of 299. Ten do: if a
// hundredth of all were slow, ten of 96 would be with a probability of 10⁻⁸.
func TestFewAnswers(t *testing.T) {
	p99, p95 := bounds(t, "p99<50ms,errors<1%"), bounds(t, "p95<50ms,p99<1s")
	for _, c := range []struct {
		name            string
		n, slow, failed int64
		bounds          slo.Bounds
		meets           bool
		needs           int64
	}{
		{"kept by few", 96, 0, 0, p99, true, 299},
		{"broken by one of few", 96, 1, 0, p99, false, 299},
		{"broken by many of few", 96, 10, 0, p99, false, 0},
		{"kept by enough", 299, 2, 0, p99, true, 0},
		{"broken by enough", 299, 4, 0, p99, false, 0},
		{"broken by errors", 96, 0, 4, p99, false, 0},
		{"one of two quantiles has enough", 100, 0, 0, p95, true, 299},
		{"the one that has enough is broken", 100, 20, 0, p95, false, 0},
		{"no quantile", 10, 5, 0, bounds(t, "errors<1%,max<1s"), true, 0},
	} {
		p := judged(c.n, c.slow, c.failed, c.bounds)
		if p.Meets != c.meets || p.Needs != c.needs || p.Answers != c.n {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// A rate of 10/s brings 299 answers in 29.9 s, of which a budget of ten minutes
// allows 30 and one of five minutes 15. Both sides of the bracket then have 150 a run
// and two runs, which together are enough; with a shorter budget they are not.
func TestLowRatesLast(t *testing.T) {
	for _, c := range []struct {
		budget, longest time.Duration
		undecided       bool
	}{
		{10 * time.Minute, 29900 * time.Millisecond, false},
		{5 * time.Minute, 15 * time.Second, false},
		{150 * time.Second, 7500 * time.Millisecond, true},
	} {
		o := Open()
		o.From, o.Budget, o.Answers = 10, c.budget, 299
		o.Most = 11
		spans := make(map[float64]time.Duration)
		k, err := Find(context.Background(), o, func(_ context.Context, rate float64, span time.Duration) (Point, error) {
			spans[rate] = span
			n := int64(rate * span.Seconds())
			return Point{Level: rate, Throughput: rate, Meets: rate < 10.5, Broken: "p99<50ms is broken: 100 ms", Answers: n, Needs: 299, Span: span, Took: span / 1000, P50: time.Millisecond}, nil
		})
		if err != nil || !k.Complete || spans[10] != c.longest {
			t.Errorf("budget %v: %v, %v, %q", c.budget, err, spans, k.Warnings)
		}
		if got := warned(k, "/s the bounds are undecided: 15") && warned(k, "which chance decides below 299"); got != c.undecided {
			t.Errorf("budget %v: undecided %v, %q", c.budget, got, k.Warnings)
		}
	}
	// A few requests come at the lowest rate too.
	o := Open()
	o.From, o.Most, o.Span, o.LongestSpan = 1, 1, 200*time.Millisecond, 200*time.Millisecond
	_, err := Find(context.Background(), o, func(_ context.Context, rate float64, span time.Duration) (Point, error) {
		if span != 5*time.Second {
			t.Errorf("%v/s lasts %v", rate, span)
		}
		return Point{Level: rate, Meets: true, Span: span, Took: span}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A service that takes 100,000/s, asked for 103,500, is behind by 3.4 % of the span
// at its end: with so many requests no chance is, although every bound is kept.
func TestGrowingBacklog(t *testing.T) {
	k, err := Find(context.Background(), Open(), func(_ context.Context, rate float64, span time.Duration) (Point, error) {
		return PointOf(limited(100_000, int64(rate), span), rate, bounds(t, "p99<1s,errors<0.1%")), nil
	})
	if err != nil || !k.Complete || k.At > 102_000 || k.At < 98_000 {
		t.Errorf("%v %s %q", err, k, k.Warnings)
	}
	for _, c := range []struct {
		answered int64
		span     time.Duration
		good     bool
	}{
		{99_689, 5 * time.Second, false}, {99_689, time.Second, false}, {103_500, 5 * time.Second, true}, {103_200, 5 * time.Second, true},
		// Of 4,140 requests in 40 ms 152 fewer may be chance, which is 2·√4140 and 1 %.
		{99_689, 4 * loadresult.Bin, true},
	} {
		p := PointOf(limited(c.answered, 103_500, c.span), 103_500, nil)
		s := &finder{o: Open(), Search: &search.Search[Point]{Levels: []*search.Level[Point]{{Level: 103_500, Runs: []Point{p}}}}}
		if s.good(p) != c.good {
			t.Errorf("%d of 103,500 a second come back over %v: good %v, %v later", c.answered, c.span, s.good(p), p.Growth)
		}
	}
}

// limited returns a load at a rate on a service that takes no more than a limit, whose
// answers the rest follows after the end.
func limited(limit, rate int64, span time.Duration) *loadresult.Result {
	start := time.Unix(100, 0)
	r := &loadresult.Result{Start: start, End: start.Add(span), Open: true, Requests: int64(float64(rate) * span.Seconds())}
	r.Status = map[int]int64{200: r.Requests}
	r.Response.RecordMany(1e6, r.Requests)
	left := r.Requests
	for i := range int64(span / loadresult.Bin) {
		upTo := func(i int64) int64 { return i * min(limit, rate) / int64(time.Second/loadresult.Bin) }
		n := upTo(i+1) - upTo(i)
		r.Answers = append(r.Answers, int32(n))
		left -= n
	}
	r.Answers[len(r.Answers)-1] += int32(left)
	return r
}

// The warning names the budget that ran out: that of all searches, or a part of it.
func TestBudgetIsNamed(t *testing.T) {
	for _, c := range []struct {
		of   time.Duration
		want string
	}{
		{0, "the budget of 20s ran out"}, {20 * time.Second, "the budget of 20s ran out"},
		{40 * time.Second, "this search's share of the budget (20s of 40s) ran out"},
	} {
		o := Closed()
		o.Budget, o.Of = 20*time.Second, c.of
		k, err := Find(context.Background(), o, steady(func(n float64) float64 { return n }))
		if err != nil || k.Complete || !strings.HasPrefix(strings.Join(k.Warnings, "\n"), c.want) {
			t.Errorf("of %v: %v %q", c.of, err, k.Warnings)
		}
	}
	o := Closed()
	o.Budget = 1
	if k, err := Find(context.Background(), o, steady(func(n float64) float64 { return n })); err != nil || k.String() != "no level was measured" {
		t.Errorf("%v %s", err, k)
	}
}

// The knee's first run is disturbed: it got two thirds of what 6 clients get, less
// than 5 and 7. It is measured again.
func TestDip(t *testing.T) {
	plain := steady(func(n float64) float64 { return 100 * min(n, 6) / (1 + 0.01*max(n-6, 0)) })
	runs := 0
	k, err := Find(context.Background(), Closed(), func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		p, err := plain(ctx, level, span)
		if level == 6 {
			if runs++; runs == 1 {
				p.Throughput *= 0.67
			}
		}
		return p, err
	})
	if err != nil || !k.Complete || k.At != 6 {
		t.Errorf("%v %s %q", err, k, k.Warnings)
	}
}

// The very first rate is disturbed once: lower ones are met, it is measured again, and
// the limit is looked for above it.
func TestFirstRateDisturbed(t *testing.T) {
	runs, o := 0, Open()
	o.From = 800
	plain := rates(990, 0)
	order, k := followed(t, o, func(ctx context.Context, rate float64, span time.Duration) (Point, error) {
		p, err := plain(ctx, rate, span)
		if runs++; runs == 1 {
			p.Meets, p.Broken = false, "p99<50ms is broken: 80 ms"
		}
		return p, err
	})
	if want := []float64{800, 640, 715.5, 756.6, 756.6, 800, 1000, 894.4}; !k.Complete || k.At != 986.2 || !slices.Equal(order[:len(want)], want) {
		t.Errorf("%v: %s %q", order, k, k.Warnings)
	}
}
