package knee

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// rates returns a service that keeps its bounds up to a rate, and then fails requests
// for some runs more.
func rates(limit float64, sick int) Measure {
	left := 0
	return func(_ context.Context, rate float64, span time.Duration) (Point, error) {
		p := Point{Level: rate, Throughput: rate, Meets: rate <= limit, Span: span, Took: span, P50: time.Millisecond, P99: 2 * time.Millisecond}
		if left > 0 {
			left--
			p.Meets = false
		} else if !p.Meets {
			left = sick
		}
		if !p.Meets {
			p.Broken, p.Errors = "errors<0.1% is broken: 5.0 %", 0.05
		}
		return p, nil
	}
}

// Without noise, from 800, which is met: a quarter more is not, then the middle of
// 800 and 1000 on a logarithmic scale, and so on until the sides are within 10 %; both
// are measured twice, and again once they are within 2 %.
func TestOpenStepByStep(t *testing.T) {
	o := Open()
	o.From = 800
	order, k := followed(t, o, rates(990, 0))
	if want := []float64{800, 1000, 894.4, 945.7, 945.7, 1000, 972.5, 986.2, 986.2}; !slices.Equal(order, want) {
		t.Errorf("rates %v", order)
	}
	if !k.Found || !k.Complete || k.At != 986.2 || k.Low != 986.2 || k.High != 1000 || k.Unstable != nil {
		t.Errorf("%+v", k)
	}
	if k.Profile.High != 986.2 || !warned(k, "at 1,000/s: errors<0.1% is broken: 5.0 %") {
		t.Errorf("%v %q", k.Profile, k.Warnings)
	}
	if got, want := k.String(), "the bounds hold up to 986/s and not at 1,000/s"; got != want {
		t.Errorf("%s", got)
	}
	// Far above and far below the steps grow to a doubling.
	for _, c := range []struct {
		from float64
		want []float64
	}{
		{100, []float64{100, 125, 140, 175, 262.5, 525, 1050, 742.5}},
		{8000, []float64{8000, 6400, 4267, 2134, 1067, 533.5, 754.5}},
		// The second step up is short.
		{780, []float64{780, 975, 1092, 1032}},
	} {
		o.From = c.from
		order, k := followed(t, o, rates(990, 0))
		if !slices.Equal(order[:len(c.want)], c.want) || k.At > 990 || k.High <= 990 || k.High > k.At*1.02 {
			t.Errorf("from %v: %v, %s", c.from, order, k)
		}
	}
}

// followed returns a search and the rates that it tried, in turn.
func followed(t *testing.T, o Options, service Measure) (order []float64, k *Knee) {
	t.Helper()
	k, err := Find(context.Background(), o, func(ctx context.Context, level float64, span time.Duration) (Point, error) {
		if span == o.Span {
			order = append(order, level)
		}
		return service(ctx, level, span)
	})
	if err != nil {
		t.Fatal(err)
	}
	return order, k
}

func TestOpenEnds(t *testing.T) {
	o := Open()
	o.Least = 10
	k, err := Find(context.Background(), o, rates(5, 0))
	if err != nil || k.Found || k.At != 0 || !warned(k, "do not hold at 10/s, the lowest rate tried") || !strings.HasPrefix(k.String(), "no rate from 10/s to ") {
		t.Errorf("%v %s %q", err, k, k.Warnings)
	}
	o.Most = 1000
	k, err = Find(context.Background(), o, rates(5000, 0))
	if err != nil || !k.Found || k.At != 1000 || !math.IsInf(k.High, 1) || !warned(k, "the bounds hold at 1,000/s") || k.String() != "the bounds hold up to 1,000/s, the highest rate tried" {
		t.Errorf("%v %s %q", err, k, k.Warnings)
	}
	// A service that answers all, later and later, keeps its bounds and yet not up.
	k, err = Find(context.Background(), Open(), func(_ context.Context, rate float64, span time.Duration) (Point, error) {
		p := Point{Level: rate, Throughput: min(rate, 1000), Meets: true, Span: span, Took: span, P50: time.Millisecond}
		p.Growth = time.Duration(max(0, 1-1000/rate) * float64(span))
		return p, nil
	})
	if err != nil || off(k.At, 1000) > 0.06 || !warned(k, "the service falls behind") {
		t.Errorf("%v %s %q", err, k, k.Warnings)
	}
}

// A generator that is late once is forgiven; one that is late at either side of the
// bracket each time makes the figure its own, and one that is late elsewhere does
// not.
func TestOpenInvalid(t *testing.T) {
	for _, c := range []struct {
		late func(rate float64, n int) bool
		want string
	}{
		{func(_ float64, n int) bool { return n == 1 }, ""},
		{func(rate float64, _ int) bool { return rate < 850 }, ""},
		{func(rate float64, _ int) bool { return rate >= 1000 }, "at 1,000/s: late"},
	} {
		n, o := 0, Open()
		o.From = 800
		k, err := Find(context.Background(), o, func(ctx context.Context, rate float64, span time.Duration) (Point, error) {
			n++
			p, err := rates(990, 0)(ctx, rate, span)
			if c.late(rate, n) {
				p.Invalid, p.Meets = "late", p.Meets && n != 1
			}
			return p, err
		})
		if err != nil || k.At != 986.2 || k.Invalid != c.want {
			t.Errorf("%v %s: %q, want %q", err, k, k.Invalid, c.want)
		}
	}
}

// After a failed rate a low one is sent until the bounds hold again, so that the
// next rate is judged by itself.
func TestCoolsDown(t *testing.T) {
	k, err := Find(context.Background(), Open(), rates(1000, 3))
	if err != nil || off(k.At, 1000) > 0.02 || k.Unstable != nil {
		t.Errorf("%v %s %v", err, k, k.Unstable)
	}
	k, err = Find(context.Background(), Open(), rates(1000, 30))
	if err != nil || !warned(k, "the service did not recover") {
		t.Errorf("%v %q", err, k.Warnings)
	}
}

// A rate that broke before the search ended has broken, though it was not tried again.
func TestEndsBetweenTries(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var broke float64
	k, err := Find(ctx, Open(), func(ctx context.Context, rate float64, span time.Duration) (Point, error) {
		if rate == broke {
			cancel()
		}
		p, err := rates(1000, 0)(ctx, rate, span)
		if !p.Meets {
			broke = rate
		}
		return p, err
	})
	if err != nil || !k.Interrupted || k.High != broke || broke <= 1000 || !strings.Contains(k.String(), " and not at ") {
		t.Errorf("%v %s; %v/s broke, the other side is %v", err, k, broke, k.High)
	}
}

// Rates between 900 and 1100 hold every other time.
func TestUnstable(t *testing.T) {
	seen := make(map[float64]int)
	k, err := Find(context.Background(), Open(), func(_ context.Context, rate float64, span time.Duration) (Point, error) {
		seen[rate]++
		meets := rate < 900 || rate < 1100 && seen[rate]%2 == 1
		return Point{Level: rate, Throughput: rate, Meets: meets, Span: span, Took: span}, nil
	})
	if err != nil || k.Unstable == nil || k.Unstable.Low < 900 || k.Unstable.High > 1100 || k.Unstable.Low > k.Unstable.High || !warned(k, "unstable ") {
		t.Errorf("%v %s %v %q", err, k, k.Unstable, k.Warnings)
	}
	if k.At < 850 || k.At > 1100 {
		t.Errorf("%s", k)
	}
}
