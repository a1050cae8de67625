package knee

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/search"
	"whet/internal/stat"
)

// steady returns a service without noise: a throughput for each concurrency.
func steady(throughput func(n float64) float64) Measure {
	return func(_ context.Context, level float64, span time.Duration) (Point, error) {
		x := throughput(level)
		p := Point{Level: level, Throughput: x, Meets: true, Span: span, Took: span + time.Second, P50: 10 * time.Millisecond, P99: 20 * time.Millisecond}
		for range blocks {
			p.Blocks = append(p.Blocks, x)
		}
		return p, nil
	}
}

func runs(k *Knee) map[float64]int {
	out := make(map[float64]int)
	for _, l := range k.Levels {
		out[l.Level] = len(l.Runs)
	}
	return out
}

func warned(k *Knee, text string) bool { return strings.Contains(strings.Join(k.Warnings, "\n"), text) }

// Without noise every step can be followed: 1, 2, 4 … 32 rise, 64 and 128 do not,
// and the knee of 20 workers lies between 19, which give 95 %, and 20.
func TestClosedStepByStep(t *testing.T) {
	var order []float64
	plain := steady(func(n float64) float64 { return 100 * min(n, 20) })
	k, err := Find(context.Background(), Closed(), func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		order = append(order, level)
		return plain(ctx, level, span)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, 2, 4, 8, 16, 32, 64, 128}; !slices.Equal(order[:8], want) {
		t.Errorf("levels %v", order)
	}
	if !k.Found || !k.Complete || k.At != 20 || k.High != 20 || k.Low != 19 || k.Throughput != 2000 || k.From != 1 || k.To != 128 {
		t.Errorf("%s: %+v", k, k)
	}
	if k.Profile != (Range{8, 20}) {
		t.Errorf("profiles of %v", k.Profile)
	}
	for _, l := range k.Levels {
		if l.Good != (l.Level >= 20) {
			t.Errorf("%v clients: good %v", l.Level, l.Good)
		}
	}
	if n := runs(k); n[19] < 3 || n[20] < 3 || n[1] != 1 {
		t.Errorf("runs %v: both sides of the bracket three times, what is far from it once", n)
	}
	var spent time.Duration
	for _, n := range runs(k) {
		spent += time.Duration(n) * 3 * time.Second
	}
	if k.Spent != spent {
		t.Errorf("spent %v, the levels took %v", k.Spent, spent)
	}
	if got, want := k.String(), "the knee is at 20 clients: 2,000/s; the plateau is 2,000/s ± 0 %, and not reached at 19 clients"; got != want {
		t.Errorf("%s", got)
	}
}

// Past its peak a service that slows down leaves the plateau.
func TestRetrogradeStepByStep(t *testing.T) {
	k, err := Find(context.Background(), Closed(), steady(func(n float64) float64 { return 100 * min(n, 20) / (1 + 0.01*max(n-20, 0)) }))
	if err != nil || k.At != 20 || k.Low != 19 {
		t.Errorf("%v %s", err, k)
	}
	for _, l := range k.Levels {
		if l.Good && l.Level > 23 || l.Good && l.Level < 20 {
			t.Errorf("%v clients belong to the plateau", l.Level)
		}
	}
}

// A level brings its service times fifty times over, up to the longest span.
func TestSpan(t *testing.T) {
	for _, c := range []struct{ service, want time.Duration }{
		{time.Millisecond, 2 * time.Second}, {100 * time.Millisecond, 5 * time.Second}, {time.Second, 10 * time.Second},
	} {
		var longest time.Duration
		k, err := Find(context.Background(), Closed(), func(_ context.Context, level float64, span time.Duration) (Point, error) {
			longest = max(longest, span)
			return Point{Level: level, Throughput: min(level, 4), P50: c.service, Span: span, Took: span}, nil
		})
		if err != nil || longest != c.want {
			t.Errorf("service time %v: spans of up to %v, %v", c.service, longest, err)
		}
		if warned(k, "has too few requests to estimate its noise") != (c.service == time.Second) {
			t.Errorf("%q", k.Warnings)
		}
	}
}

func TestClosedWarnings(t *testing.T) {
	o := Closed()
	o.Most = 100
	k, err := Find(context.Background(), o, steady(func(n float64) float64 { return n }))
	if err != nil || k.To != 100 || !warned(k, "still rose at 100 clients") {
		t.Errorf("%v: %q", err, k.Warnings)
	}
	k, err = Find(context.Background(), Closed(), steady(func(float64) float64 { return 0 }))
	if err != nil || k.Found || !warned(k, "no level had a successful answer") || !strings.HasPrefix(k.String(), "no knee between 1 client and") {
		t.Errorf("%v: %s %q", err, k, k.Warnings)
	}
	// One client is enough.
	k, err = Find(context.Background(), Closed(), steady(func(float64) float64 { return 7 }))
	if err != nil || k.At != 1 || k.Low != 0 || k.Profile != (Range{1, 2}) {
		t.Errorf("%v: %+v", err, k)
	}
	// The generator gives up at 32 clients.
	n := 0
	plain := steady(func(n float64) float64 { return min(n, 32) })
	k, err = Find(context.Background(), Closed(), func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		p, err := plain(ctx, level, span)
		if level >= 32 {
			p.Invalid = "the generator used 99 % of its processors"
		}
		return p, err
	})
	if err != nil || k.To > 32 || !strings.Contains(k.Invalid, "at 32 clients: the generator used 99 %") || !warned(k, "no more were tried") {
		t.Errorf("%v: to %v, %q %q", err, k.To, k.Invalid, k.Warnings)
	}
	// Once it was disturbed, and goes on.
	k, err = Find(context.Background(), Closed(), func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		p, err := plain(ctx, level, span)
		if level == 4 && n == 0 {
			n, p.Invalid = 1, "late"
		}
		return p, err
	})
	if err != nil || k.At != 32 || k.Invalid != "" || len(k.Warnings) > 1 {
		t.Errorf("%v: %s, %q %q", err, k, k.Invalid, k.Warnings)
	}
	// Runs that vary by ±10 % tell no 3 % apart: 1.96·0.1·√(2/12) is 8 %.
	n, o = 0, Closed()
	o.LongestSpan = o.Span
	k, err = Find(context.Background(), o, func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		n++
		p, err := steady(func(clients float64) float64 { return min(clients, 4) * (1 + 0.1*float64(n%2*2-1)) })(ctx, level, span)
		p.P50 = 100 * time.Millisecond // that few of them fit into a level is the same doubt
		return p, err
	})
	if err != nil || !warned(k, "runs of one level vary by 10.9 %: levels within 8.7 % of each other") || warned(k, "has too few requests to estimate its noise") {
		t.Errorf("%v: %q", err, k.Warnings)
	}
	// Failed requests are reported, and are in no throughput.
	plain = steady(func(n float64) float64 { return min(n, 4) })
	k, err = Find(context.Background(), Closed(), func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		p, err := plain(ctx, level, span)
		p.Errors = 0.02
		return p, err
	})
	if err != nil || k.Invalid != "" || !warned(k, "2.0 % of the requests failed at 4 clients") {
		t.Errorf("%v: %q", err, k.Warnings)
	}
}

// However a search ends, it has what was measured until then.
func TestEndsEarly(t *testing.T) {
	server := steady(func(n float64) float64 { return min(n, 20) })
	for _, open := range []bool{false, true} {
		o := Closed()
		if open {
			o = Open()
			server = rates(1000, 0)
		}
		full, err := Find(context.Background(), o, server)
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, n := range runs(full) {
			all += n
		}
		for stop := range all {
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			k, err := Find(ctx, o, func(ctx context.Context, level float64, span time.Duration) (Point, error) {
				if n++; n > stop {
					cancel()
				}
				return server(ctx, level, span)
			})
			cancel()
			got := 0
			for _, n := range runs(k) {
				got += n
			}
			// Of an open loop the runs that cool down are in no level.
			if err != nil || !k.Interrupted || k.Complete || got > stop || !open && got != stop || !warned(k, "interrupted") {
				t.Errorf("interrupted after %d: %v, %d runs, %q", stop, err, got, k.Warnings)
			}

			o := o
			o.Budget = max(full.Spent*time.Duration(stop)/time.Duration(all), 1)
			k, err = Find(context.Background(), o, server)
			if err != nil || k.Interrupted || k.Complete || k.Spent > o.Budget || !warned(k, "budget") {
				t.Errorf("budget for %d: %v, %v of %v spent, %q", stop, err, k.Spent, o.Budget, k.Warnings)
			}

			n = 0
			failure := errors.New("no such host")
			k, err = Find(context.Background(), o, func(ctx context.Context, level float64, span time.Duration) (Point, error) {
				if n++; n > stop/2 {
					return Point{}, failure
				}
				return server(ctx, level, span)
			})
			if k == nil || k.Complete || err != nil && !errors.Is(err, failure) {
				t.Errorf("failure after %d: %v", stop/2, err)
			}
		}
		if !full.Complete {
			t.Error("the whole search is not complete")
		}
	}
}

// A level has a fifteenth of the budget and what the options say at most, and a rate
// that is to be known finely a sixth.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		o                   Options
		budget              time.Duration
		span, longest, fine time.Duration
	}{
		{Closed(), 5 * time.Minute, 2 * time.Second, 10 * time.Second, 0},
		{Closed(), 60 * time.Second, 2 * time.Second, 4 * time.Second, 0},
		{Closed(), 15 * time.Second, time.Second, time.Second, 0},
		{Open(), 5 * time.Minute, 5 * time.Second, 5 * time.Second, 5 * time.Second},
		{Open(), 30 * time.Second, 2 * time.Second, 5 * time.Second, 5 * time.Second},
		{Open(), 15 * time.Second, time.Second, 2500 * time.Millisecond, 2500 * time.Millisecond},
		{Open(), time.Second, 250 * time.Millisecond, 250 * time.Millisecond, 250 * time.Millisecond},
	} {
		o := c.o.Within(c.budget)
		if err := o.Validate(); err != nil || o.Budget != c.budget || o.Span != c.span || o.LongestSpan != c.longest || o.Fine != c.fine {
			t.Errorf("open %v, budget %v: %v to %v, %v; %v", c.o.Open, c.budget, o.Span, o.LongestSpan, o.Fine, err)
		}
	}
}

// The search for a rate begins at four fifths of the plateau.
func TestRates(t *testing.T) {
	for best, want := range map[float64]float64{8000: 6400, 74_137: 59_310, 0.3: 1, 1e9: 1e6} {
		o := Rates(&Knee{Plateau: capacity.Plateau{Throughput: stat.Interval{Center: best}}})
		if err := o.Validate(); err != nil || o.From != want {
			t.Errorf("%v/s: from %v, %v", best, o.From, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"first <= most":    func(o *Options) { o.From = 0 },
		"least <= first":   func(o *Options) { o.Most = 0.5 },
		"whole numbers":    func(o *Options) { o.From = 1.5 },
		"the longest last": func(o *Options) { o.LongestSpan = time.Second },
		"more than 0, the": func(o *Options) { o.Span = 0 },
		"resolution NaN":   func(o *Options) { o.Resolution = math.NaN() },
		"tolerance 0":      func(o *Options) { o.Tolerance = 0 },
		"past the best":    func(o *Options) { o.Past = 0 },
		"runs of a level":  func(o *Options) { o.MostRuns = 2 },
		"confidence 1":     func(o *Options) { o.Confidence = 1 },
		"budget 0s":        func(o *Options) { o.Budget = 0 },
	} {
		o := Closed()
		change(&o)
		if k, err := Find(context.Background(), o, nil); err == nil || k != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := Open()
	o.Cool = 0
	if _, err := Find(context.Background(), o, nil); err == nil {
		t.Error("no cooling down")
	}
}

// Progress comes before every measurement, and what is left never exceeds the
// budget.
func TestProgress(t *testing.T) {
	o := Closed()
	var states []search.Progress
	o.Progress = func(p search.Progress) { states = append(states, p) }
	k, err := Find(context.Background(), o, steady(func(n float64) float64 { return min(n, 20) }))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, n := range runs(k) {
		all += n
	}
	if len(states) != all {
		t.Errorf("%d states of %d runs", len(states), all)
	}
	stages := []search.Stage{}
	for i, p := range states {
		if p.Runs != i || p.Spent+p.Left > o.Budget || i > 0 && p.Left <= 0 {
			t.Errorf("%d: %+v", i, p)
		}
		if len(stages) == 0 || stages[len(stages)-1] != p.Stage {
			stages = append(stages, p.Stage)
		}
	}
	if !slices.Equal(stages, []search.Stage{Growing, Refining, Deciding}) || states[len(states)-1].Best != 20 {
		t.Errorf("%v, %+v", stages, states[len(states)-1])
	}
}

// A search whose budget ends before it knows whether the first level is part of the
// plateau must not call it the knee: by the noise of this service, whose 8 workers
// answer 100 a second each, more or less a third, that takes many runs.
func TestUndecidedIsNoKnee(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many searches")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	server := func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		x := 100 * min(level, 8) * (1 + (2*rng.Float64()-1)/3)
		return steady(func(float64) float64 { return x })(ctx, level, span)
	}
	early, below := 0, 0
	for seconds := 10; seconds <= 300; seconds += 5 {
		o := Closed()
		o.Budget = time.Duration(seconds) * time.Second
		k, err := Find(context.Background(), o, server)
		if err != nil {
			t.Fatal(err)
		}
		if !k.Complete {
			early++
		}
		if strings.Contains(k.String(), " or below") {
			below++
			if k.Complete || k.Low != 0 {
				t.Errorf("with %d s, %+v: %s", seconds, k, k)
			}
		}
		highest := k.Levels[len(k.Levels)-1].Level
		if k.Found && highest >= 16 && k.At < 4 {
			t.Errorf("with %d s: %s", seconds, k)
		}
	}
	if early < 10 || below < 10 {
		t.Errorf("%d searches ended early, and %d do not know the lower side", early, below)
	}
}
