package schedule

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// ms and s are moments as the tests write them.
const (
	ms = time.Millisecond
	s  = time.Second
)

func TestZero(t *testing.T) {
	for name, zero := range map[string]Schedule{
		"zero": {}, "constant": Constant(0), "negative": Constant(-1), "no number": Constant(math.NaN()), "ramp": Ramp(0, 0, s),
		"steps": Steps([]Step{{0, s}, {0, s}}), "no steps": Steps(nil), "poisson": Schedule{}.Poisson(1),
	} {
		a := zero.Arrivals(0, 1)
		if zero.Open() || zero.Random() || zero.At(0) != math.MaxInt64 || zero.Before(time.Hour) != 0 || zero.Rate(s) != 0 || zero.Span() != 0 ||
			a.Next() != math.MaxInt64 || zero.String() != "no arrivals" {
			t.Errorf("%s has arrivals: %v", name, zero)
		}
	}
}

// TestArithmetic: the due times of plans whose integrals are solved by hand.
func TestArithmetic(t *testing.T) {
	// From 0 to 10/s over 10 s: Λ(t) = t²/2, so arrival n is due at √(2n) s, and
	// arrival 50 at 10 s; from there on one each 100 ms.
	up := Ramp(0, 10, 10*s)
	// From 10/s to 0 over 10 s: what is left is (10−t)²/2, so arrival n is due at
	// 10 − √(2(50−n)) s, and there are 50 of them.
	down := Ramp(10, 0, 10*s)
	// From 10/s to 30/s over 4 s: Λ(t) = 10t + 2.5t², so 80 at 4 s and 30 at 2 s.
	both := Ramp(10, 30, 4*s)
	// 15 arrivals, a pause of 7 s, then 4/s.
	steps := Steps([]Step{{10, 1500 * ms}, {0, 7 * s}, {4, s}})
	for _, tc := range []struct {
		s    Schedule
		n    int64
		want time.Duration
	}{
		{Constant(5000), 0, 0}, {Constant(5000), 1, 200 * time.Microsecond}, {Constant(5000), 5000, s},
		{Constant(3), 1, 333333333}, {Constant(3), 2, 666666667}, {Constant(3), 3e9, 1e9 * s},
		{Constant(MaxRate), 1e15, 1e15}, {Constant(1e300), 17, 17}, {Constant(0.1), 7, 70 * s},
		{Constant(1.0 / 3600), 24, 24 * time.Hour}, {Constant(1e-9), math.MaxInt64, math.MaxInt64}, {Constant(1), -1, math.MaxInt64},
		{up, 0, 0}, {up, 2, 2 * s}, {up, 8, 4 * s}, {up, 18, 6 * s}, {up, 50, 10 * s}, {up, 51, 10100 * ms}, {up, 60, 11 * s},
		{down, 0, 0}, {down, 18, 2 * s}, {down, 32, 4 * s}, {down, 42, 6 * s}, {down, 48, 8 * s}, {down, 50, math.MaxInt64}, {down, 51, math.MaxInt64},
		{both, 30, 2 * s}, {both, 80, 4 * s}, {both, 110, 5 * s},
		{steps, 14, 1400 * ms}, {steps, 15, 8500 * ms}, {steps, 16, 8750 * ms}, {steps, 19, 9500 * ms}, {steps, 23, 10500 * ms},
		{Steps([]Step{{3, 500 * ms}, {1, s}}), 2, s}, // 1.5 arrivals in the first half second, the rest of the second in the next
	} {
		if got := tc.s.At(tc.n); got != tc.want {
			t.Errorf("%s: arrival %d is due at %s, want %s", tc.s, tc.n, got, tc.want)
		}
	}
}

func TestRate(t *testing.T) {
	plan := Steps([]Step{{10, s}, {0, s}, {4, s}})
	for _, tc := range []struct {
		s    Schedule
		at   time.Duration
		want float64
	}{
		{Constant(7), 0, 7}, {Constant(7), time.Hour, 7}, {Constant(7), -1, 0},
		{Ramp(10, 20, 10*s), 0, 10}, {Ramp(10, 20, 10*s), 5 * s, 15}, {Ramp(10, 20, 10*s), 10 * s, 20}, {Ramp(10, 20, 10*s), time.Hour, 20},
		{Ramp(20, 0, 10*s), 9 * s, 2}, {Ramp(20, 0, 10*s), 10 * s, 0},
		{plan, s - 1, 10}, {plan, s, 0}, {plan, 2*s - 1, 0}, {plan, 2 * s, 4}, {plan, 3 * s, 4}, {plan, 4 * s, 4},
	} {
		if got := tc.s.Rate(tc.at); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%s: rate %g at %s, want %g", tc.s, got, tc.at, tc.want)
		}
	}
}

// drawPlan draws a plan of up to five pieces within five days.
func drawPlan(t *rapid.T) Schedule {
	rate := rapid.Custom(func(t *rapid.T) float64 {
		if rapid.IntRange(0, 5).Draw(t, "none") == 0 {
			return 0
		}
		return math.Exp(rapid.Float64Range(math.Log(1e-3), math.Log(MaxRate)).Draw(t, "log rate"))
	})
	var legs []leg
	for range rapid.IntRange(1, 5).Draw(t, "pieces") {
		l := leg{from: rate.Draw(t, "from")}
		if l.to = l.from; rapid.Bool().Draw(t, "ramp") {
			l.to = rate.Draw(t, "to")
		}
		l.length = time.Duration(math.Exp(rapid.Float64Range(0, math.Log(float64(24*time.Hour))).Draw(t, "log length")))
		legs = append(legs, l)
	}
	return build(legs)
}

// integral is Λ in exact arithmetic: a second reckoning, of areas of trapezia.
func (s Schedule) integral(elapsed time.Duration) *big.Rat {
	sum := new(big.Rat)
	rat := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }
	sec := func(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Second)) }
	for i, p := range s.pieces {
		length := p.length
		if i == len(s.pieces)-1 {
			length = math.MaxInt64 - p.start
		}
		in := min(max(elapsed-p.start, 0), length)
		if in == 0 {
			continue
		}
		end := rat(p.from)
		if p.to != p.from {
			change := new(big.Rat).Sub(rat(p.to), rat(p.from))
			change.Mul(change, sec(in)).Quo(change, sec(p.length))
			end.Add(end, change)
		}
		mean := end.Add(end, rat(p.from))
		sum.Add(sum, mean.Mul(mean, sec(in)).Quo(mean, big.NewRat(2, 1)))
	}
	return sum
}

// TestExact checks what the package says of its errors against exact arithmetic:
// the exact t lies within 1 ns of At(n) for an n that is off by 2⁻⁵⁰ of the arrivals
// up to the end of its piece.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t)
		if !plan.Open() {
			return
		}
		all := min(plan.expected(plan.Span())*1.2+10, 1e15)
		n := int64(all * rapid.Float64Range(0, 1).Draw(t, "share"))
		at := plan.At(n)
		if at > 5*24*time.Hour {
			return // also of arrivals that the plan does not have
		}
		end := float64(n)
		if i := plan.holding(end); i < len(plan.pieces)-1 {
			end = plan.pieces[i+1].before
		}
		off := new(big.Rat).SetFloat64(end * 0x1p-50)
		want := new(big.Rat).SetInt64(n)
		if low := plan.integral(at - 1); low.Sub(low, off).Cmp(want) > 0 {
			t.Fatalf("%s: arrival %d at %d ns is too late", plan, n, at)
		}
		if high := plan.integral(at + 1); high.Add(high, off).Cmp(want) < 0 {
			t.Fatalf("%s: arrival %d at %d ns is too early", plan, n, at)
		}
	})
}

// TestInverse: Before counts just those whose At lies before, At never goes
// back, and Arrivals says what At says.
func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t)
		if !plan.Open() {
			return
		}
		elapsed := time.Duration(rapid.Int64Range(-10, int64(plan.Span())*2+int64(s)).Draw(t, "elapsed"))
		if rapid.Bool().Draw(t, "at an arrival") {
			elapsed = plan.At(plan.Before(elapsed)) + time.Duration(rapid.IntRange(-1, 1).Draw(t, "beside"))
			if elapsed < 0 { // after the last there is
				return
			}
		}
		n := plan.Before(elapsed)
		if n > 0 && plan.At(n-1) >= elapsed {
			t.Fatalf("%s: %d are due before %d, but the last of them at %d", plan, n, elapsed, plan.At(n-1))
		}
		if plan.At(n) < elapsed {
			t.Fatalf("%s: %d are due before %d, but the next one at %d", plan, n, elapsed, plan.At(n))
		}
		step := rapid.Int64Range(1, 1000).Draw(t, "step")
		first := max(0, n-2*step)
		a := plan.Arrivals(first, step)
		last := time.Duration(0)
		for i := range int64(5) {
			at := a.Next()
			if at != plan.At(first+i*step) || at < last {
				t.Fatalf("%s: Arrivals has arrival %d at %d, At at %d, the one before was at %d", plan, first+i*step, at, plan.At(first+i*step), last)
			}
			last = at
		}
	})
}

// TestInverseAtTheLimit: also where there are so many arrivals that float64 is
// off by some of them.
func TestInverseAtTheLimit(t *testing.T) {
	for _, plan := range []Schedule{Constant(MaxRate), Ramp(0.7*MaxRate, MaxRate, 400*time.Hour), Ramp(MaxRate, 1, 2000*time.Hour)} {
		for i := range int64(2000) {
			elapsed := 390*time.Hour + time.Duration(i*i*i)
			n := plan.Before(elapsed)
			if plan.At(n-1) >= elapsed || plan.At(n) < elapsed {
				t.Fatalf("%s: %d are due before %d, but %d at %d and %d at %d", plan, n, elapsed, n-1, plan.At(n-1), n, plan.At(n))
			}
		}
	}
}

// TestLastOfFalling: the last arrival of a rate that falls to nothing, where
// rounding has the root of what is just below 0, is due by the end of the ramp.
func TestLastOfFalling(t *testing.T) {
	for length := 7 * ms; length < 100*ms; length += 13 * ms {
		for n := range int64(2000) {
			plan := Ramp(2*float64(n+1)/length.Seconds(), 0, length)
			if last := math.Ceil(plan.pieces[1].before) - 1; plan.At(int64(last)) > length {
				t.Fatalf("%s plans %g arrivals, and the last one is due at %d", plan, plan.pieces[1].before, plan.At(int64(last)))
			}
		}
	}
}

// TestSplit: several loops that share a plan make together the arrivals of one,
// to the nanosecond, however many loops there are.
func TestSplit(t *testing.T) {
	for name, plan := range map[string]Schedule{
		"constant": Constant(777), "ramp": Ramp(5, 500, 10*s), "steps": Steps([]Step{{100, s}, {0, s}, {30, s}}),
		"poisson": Constant(777).Poisson(1), "poisson ramp": Ramp(500, 5, 10*s).Poisson(2), "poisson steps": Steps([]Step{{100, s}, {0, s}, {30, s}}).Poisson(3),
	} {
		for loops := int64(1); loops <= 7; loops++ {
			parts := make([]Arrivals, loops)
			for k := range loops {
				parts[k] = plan.Arrivals(k, loops)
			}
			whole := plan.Arrivals(0, 1)
			for n := range int64(3000) {
				if got, want := parts[n%loops].Next(), whole.Next(); got != want {
					t.Fatalf("%s: arrival %d of %d loops is due at %d, of one at %d", name, n, loops, got, want)
				}
			}
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	for _, plan := range []Schedule{Constant(5000), Ramp(1, 1000, s), Ramp(1, 1000, s).Poisson(1)} {
		a := plan.Arrivals(1, 3)
		if n := testing.AllocsPerRun(1000, func() { a.Next() }); n != 0 {
			t.Errorf("%s: %g allocations in Next", plan, n)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for name, plan := range map[string]Schedule{"constant": Constant(1e5), "ramp": Ramp(1, 1e5, time.Hour), "poisson": Constant(1e5).Poisson(1)} {
		b.Run(name, func(b *testing.B) {
			a := plan.Arrivals(0, 1)
			for b.Loop() {
				a.Next()
			}
		})
	}
}
