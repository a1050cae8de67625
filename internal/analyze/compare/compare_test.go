package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"whet/internal/stat"
)

var defaults = Options{Alpha: 0.005, Margin: 0.02}

func ptr(v float64) *float64 { return &v }

// series of one metric's worth: times are given, counts are fixed.
func series(old, again, new []float64) Series {
	s := Series{Package: "example.org/p", Name: "BenchmarkX", Iterations: 100}
	for i := range old {
		s.Rounds = append(s.Rounds, Round{Old: Slice{NsPerOp: old[i]}, Again: Slice{NsPerOp: again[i]}, New: Slice{NsPerOp: new[i]}})
	}
	return s
}

// counted gives every round the same times and the counts of f.
func counted(rounds int, f func(i int) (old, again, new *float64)) Series {
	s := Series{Name: "BenchmarkX"}
	for i := range rounds {
		old, again, new := f(i)
		s.Rounds = append(s.Rounds, Round{
			Old: Slice{NsPerOp: 100, AllocsPerOp: old, BytesPerOp: old}, Again: Slice{NsPerOp: 100, AllocsPerOp: again, BytesPerOp: again},
			New: Slice{NsPerOp: 100, AllocsPerOp: new, BytesPerOp: new},
		})
	}
	return s
}

func one(t *testing.T, s Series, planned int, o Options, metric string) Row {
	t.Helper()
	for _, r := range Compare([]Series{s}, planned, o) {
		if r.Metric == metric {
			return r
		}
	}
	t.Fatalf("no row for %s", metric)
	return Row{}
}

// repeat makes n values around v that alternate by ± spread.
func repeat(v, spread float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v * (1 + spread*float64(i%5-2)/2)
	}
	return out
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		old     float64
		new     float64
		spread  float64 // of new; old is steady
		rounds  int
		planned int
		want    Verdict
		within  bool
	}{
		{"twice as fast", 200, 100, 0.01, 20, 1, Faster, false},
		{"twice as slow", 100, 200, 0.01, 20, 1, Slower, false},
		{"half a percent faster", 100.5, 100, 0.002, 20, 1, Faster, true},
		{"half a percent slower", 100, 100.5, 0.002, 20, 1, Slower, true},
		{"the same", 100, 100, 0.005, 20, 1, NoChange, true},
		{"the same, noisy", 100, 100, 0.10, 20, 1, CannotTell, false},
		// 2·2⁻¹¹ = 0.00098 ≤ 0.005/3 < 2·2⁻¹⁰, 2·2⁻¹⁴ = 0.00012 ≤ 0.005/30 < 2·2⁻¹³
		{"fewest rounds for one", 200, 100, 0.01, 11, 1, Faster, false},
		{"one round fewer", 200, 100, 0.01, 10, 1, CannotTell, false},
		{"as many, of ten benchmarks", 200, 100, 0.01, 11, 10, CannotTell, false},
		{"fewest for ten", 200, 100, 0.01, 14, 10, Faster, false},
		{"one fewer for ten", 200, 100, 0.01, 13, 10, CannotTell, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := repeat(c.old, 0, c.rounds)
			r := one(t, series(old, old, repeat(c.new, c.spread, c.rounds)), c.planned, defaults, Time)
			if r.Verdict != c.want || r.WithinMargin != c.within {
				t.Errorf("got %+v", r)
			}
			if (r.Verdict == CannotTell) != (r.Reason != "") {
				t.Errorf("verdict %q with reason %q", r.Verdict, r.Reason)
			}
		})
	}
}

// The margin is a ratio: 2 % is as far as 1.02 above and 1/1.02 below.
func TestMarginBounds(t *testing.T) {
	c := comparison{o: defaults}
	for _, r := range []struct {
		low, high float64
		want      bool
	}{
		{0.9805, 1.0199, true}, {0.9803, 1.01, false}, {0.99, 1.0201, false}, {1 / 1.02, 1.02, true},
	} {
		if got := c.within(r.low, r.high); got != r.want {
			t.Errorf("%v to %v within 2 %%: %v", r.low, r.high, got)
		}
	}
}

// The figures of a row, from values that can be read off: ratios 1 to 11 in
// disorder, and old against itself 0.5, 1 and 2.
func TestRowFigures(t *testing.T) {
	old := []float64{70, 30, 110, 10, 60, 20, 90, 50, 100, 40, 80}
	again := []float64{70, 30, 110, 10, 60, 20, 90, 50, 100, 40, 80}
	again[0], again[1] = 140, 15
	new := repeat(10, 0, 11)
	r := one(t, series(old, again, new), 1, defaults, Time)
	// 11 pairs at 1 − 0.005/3: 2·P(B ≤ 1) = 2·12/2048 > 0.0017 ≥ 2/2048, so the range.
	if r.Old != 60 || r.New != 10 || math.Abs(r.Ratio-6) > 1e-9 || math.Abs(r.RatioLow-1) > 1e-9 || math.Abs(r.RatioHigh-11) > 1e-9 {
		t.Errorf("row = %+v", r)
	}
	if math.Abs(r.Coverage-(1-2.0/2048)) > 1e-12 || r.Rounds != 11 || r.Iterations != 100 || r.AllocsOld != nil {
		t.Errorf("row = %+v", r)
	}
	// At 95 % the second smallest to the second largest of 0.5, 1 (nine times), 2.
	if r.NoiseRatio == nil || *r.NoiseRatio != 0 {
		t.Errorf("noise = %v", r.NoiseRatio)
	}
	again[2], again[3] = 220, 5
	r = one(t, series(old, again, new), 1, defaults, Time)
	if r.NoiseRatio == nil || math.Abs(*r.NoiseRatio-0.75) > 1e-9 { // (2 − 0.5)/2
		t.Errorf("noise = %v", r.NoiseRatio)
	}
	few := one(t, series(old[:5], again[:5], new[:5]), 1, defaults, Time)
	if few.NoiseRatio != nil {
		t.Errorf("noise of 5 rounds = %v: 6 are needed for 95 %%", *few.NoiseRatio)
	}
}

func TestSelfDifferenceForbidsVerdict(t *testing.T) {
	old, again, new := repeat(100, 0, 20), repeat(120, 0, 20), repeat(50, 0, 20)
	r := one(t, series(old, again, new), 1, defaults, Time)
	if r.Verdict != CannotTell || !strings.Contains(r.Reason, "against itself") {
		t.Errorf("row = %+v", r)
	}
}

func TestInvalidSeries(t *testing.T) {
	s := series(repeat(200, 0, 20), repeat(200, 0, 20), repeat(100, 0, 20))
	s.Invalid = "GOMAXPROCS differs"
	if r := one(t, s, 1, defaults, Time); r.Verdict != CannotTell || r.Reason != s.Invalid || r.Ratio != 2 {
		t.Errorf("row = %+v", r)
	}
}

func TestCounts(t *testing.T) {
	fixed := func(old, new float64) func(int) (*float64, *float64, *float64) {
		return func(int) (*float64, *float64, *float64) { return ptr(old), ptr(old), ptr(new) }
	}
	for _, c := range []struct {
		name   string
		s      Series
		want   Verdict
		ratio  float64
		exact  bool
		within bool
	}{
		{"fewer", counted(20, fixed(25, 2)), Faster, 12.5, true, false},
		{"more", counted(20, fixed(2, 4)), Slower, 0.5, true, false},
		{"one more, and bytes as little", counted(20, fixed(2, 3)), CannotTell, 2.0 / 3, true, false},
		{"one in a thousand more", counted(20, fixed(1000, 1001)), NoChange, 1000.0 / 1001, true, true},
		{"two in a thousand more", counted(20, fixed(1000, 1002)), Slower, 1000.0 / 1002, true, true}, // at most 1001/1002
		{"same", counted(20, fixed(7, 7)), NoChange, 1, true, false},
		{"same, many", counted(20, fixed(50, 50)), NoChange, 1, true, true}, // 51/50 is the margin
		{"none and none", counted(20, fixed(0, 0)), NoChange, 1, true, true},
		{"to none", counted(20, fixed(3, 0)), Faster, MaxRatio, true, false},
		{"from none", counted(20, fixed(0, 3)), Slower, 1 / MaxRatio, true, false},
		{"too few rounds", counted(3, fixed(25, 2)), CannotTell, 12.5, true, false}, // 2/C(9,3) = 0.0238
		{"four rounds", counted(4, fixed(25, 2)), CannotTell, 12.5, true, false},    // 2/C(12,4) = 0.0040 > 0.005/3
		{"five rounds", counted(5, fixed(25, 2)), Faster, 12.5, true, false},        // 2/C(15,5) = 0.00067
		{"varies, clearly fewer", counted(20, func(i int) (*float64, *float64, *float64) {
			return ptr(100 + float64(i%3)), ptr(100 + float64(i%3)), ptr(50)
		}), Faster, 101.0 / 50, false, false},
		{"varies, around the same", counted(20, func(i int) (*float64, *float64, *float64) {
			return ptr(1000 + float64(i%3)), ptr(1001), ptr(1000 + float64((i+1)%3))
		}), NoChange, 1, false, true},
		{"old varies only between its own slices", counted(20, func(i int) (*float64, *float64, *float64) {
			return ptr(10), ptr(10 + float64(i%2)), ptr(8)
		}), Faster, 10.0 / 8, false, false},
		{"varies, and differs by no more than the rounding", counted(20, func(i int) (*float64, *float64, *float64) {
			return ptr(10), ptr(10 + float64(i%2)), ptr(9)
		}), CannotTell, 10.0 / 9, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := one(t, c.s, 1, defaults, Allocs)
			if r.Verdict != c.want || math.Abs(r.Ratio-c.ratio) > 1e-3*c.ratio || r.Exact != c.exact || r.WithinMargin != c.within {
				t.Errorf("row = %+v", r)
			}
			if r.AllocsOld == nil || r.AllocsNew == nil || *r.AllocsOld != r.Old || *r.AllocsNew != r.New {
				t.Errorf("allocs_old and allocs_new = %v, %v of %+v", r.AllocsOld, r.AllocsNew, r)
			}
			if bytes := one(t, c.s, 1, defaults, Bytes); bytes.AllocsOld == nil || bytes.Verdict != c.want {
				t.Errorf("bytes = %+v", bytes)
			}
		})
	}
}

func TestMissingFiguresHaveNoRow(t *testing.T) {
	s := series(repeat(1, 0, 12), repeat(1, 0, 12), repeat(1, 0, 12))
	if rows := Compare([]Series{s}, 1, defaults); len(rows) != 1 || rows[0].Metric != Time {
		t.Errorf("rows = %+v", rows)
	}
	if rows := Compare([]Series{{Name: "BenchmarkNever"}}, 1, defaults); len(rows) != 0 {
		t.Errorf("rows of no rounds = %+v", rows)
	}
	// A round without a figure is left out, not counted as zero.
	s.Rounds[3].New.NsPerOp = math.NaN()
	if r := one(t, s, 1, defaults, Time); r.Rounds != 11 {
		t.Errorf("rounds = %d, want 11", r.Rounds)
	}
}

func TestRatioBounds(t *testing.T) {
	for _, c := range []struct{ old, new, want float64 }{
		{0, 0, 1}, {5, 0, MaxRatio}, {0, 5, 1 / MaxRatio}, {1e300, 1e-300, MaxRatio}, {1e-300, 1e300, 1 / MaxRatio}, {6, 3, 2},
	} {
		if got := Ratio(c.old, c.new); got != c.want {
			t.Errorf("Ratio(%v, %v) = %v, want %v", c.old, c.new, got, c.want)
		}
	}
	// Times of zero (an empty loop) stay within the bounds too.
	r := one(t, series(repeat(0, 0, 20), repeat(0, 0, 20), repeat(5, 0, 20)), 1, defaults, Time)
	if r.Ratio < 1/MaxRatio || math.IsNaN(r.RatioLow) || r.Verdict != Slower {
		t.Errorf("row = %+v", r)
	}
}

// A machine as machines are: a base that drifts over the rounds, a long right
// tail within a slice, and now and then a slice that is hit hard. ratio is the
// truth: old's time over new's.
type machine struct {
	rng   *rand.Rand
	noise float64 // sigma of the logarithm
	drift float64 // step of a random walk of the base, a round
	hit   float64 // share of slices that take half as long again
}

func (m *machine) series(rounds int, ratio float64) Series {
	s := Series{Name: "BenchmarkX"}
	base := 1000.0
	slice := func(ns float64) Slice {
		v := ns * math.Exp(m.noise*math.Abs(m.rng.NormFloat64()))
		if m.rng.Float64() < m.hit {
			v *= 1.5
		}
		return Slice{NsPerOp: v}
	}
	for range rounds {
		base *= math.Exp(m.drift * m.rng.NormFloat64())
		s.Rounds = append(s.Rounds, Round{Old: slice(base), Again: slice(base), New: slice(base / ratio)})
	}
	return s
}

func newMachine(seed uint64) *machine {
	return &machine{rng: rand.New(rand.NewPCG(seed, 77)), noise: 0.03, drift: 0.02, hit: 0.05}
}

// Over thousands of comparisons of a thing with itself, hardly any is called
// different: at most alpha, with the Clopper-Pearson bound at 99.9 % on what
// was seen.
func TestFalsePositives(t *testing.T) {
	m := newMachine(1)
	o := Options{Alpha: 0.05, Margin: 0.02} // ten times the default, to see any
	const runs = 4000
	wrong, missed := 0, 0
	for range runs {
		r := one(t, m.series(20, 1), 1, o, Time)
		if r.Verdict == Faster || r.Verdict == Slower {
			wrong++
		}
		if r.RatioLow > 1 || r.RatioHigh < 1 {
			missed++
		}
	}
	if low := stat.ClopperPearson(wrong, runs, 0.998).Low; low > o.Alpha {
		t.Errorf("%d of %d equal pairs were called different: more than alpha %v", wrong, runs, o.Alpha)
	}
	if low := stat.ClopperPearson(missed, runs, 0.998).Low; low > o.Alpha {
		t.Errorf("the interval missed the truth in %d of %d", missed, runs)
	}
	if missed == 0 {
		t.Error("the interval never missed: the simulation does not test it")
	}
}

// The same for families of ten benchmarks: the chance of any false verdict in
// a run is at most alpha.
func TestFamilyFalsePositives(t *testing.T) {
	m := newMachine(2)
	o := Options{Alpha: 0.05, Margin: 0.02}
	const runs = 1000
	wrong := 0
	for range runs {
		family := make([]Series, 10)
		for i := range family {
			family[i] = m.series(20, 1)
		}
		for _, r := range Compare(family, 10, o) {
			if r.Verdict == Faster || r.Verdict == Slower {
				wrong++
				break
			}
		}
	}
	if low := stat.ClopperPearson(wrong, runs, 0.998).Low; low > o.Alpha {
		t.Errorf("%d of %d families had a false verdict: more than alpha %v", wrong, runs, o.Alpha)
	}
}

// The interval holds the true ratio as often as it says, also where there is
// a difference.
func TestCoverage(t *testing.T) {
	m := newMachine(3)
	o := Options{Alpha: 0.05, Margin: 0.02}
	const runs = 3000
	for _, ratio := range []float64{0.9, 9} {
		held := 0
		for range runs {
			if r := one(t, m.series(20, ratio), 1, o, Time); r.RatioLow <= ratio && ratio <= r.RatioHigh {
				held++
			}
		}
		if high := stat.ClopperPearson(held, runs, 0.998).High; high < 1-o.Alpha {
			t.Errorf("the interval held the ratio %v in %d of %d", ratio, held, runs)
		}
	}
}

// A tenth is found nearly always with the rounds that a plan gives, at the
// default alpha and also among ten benchmarks.
func TestPower(t *testing.T) {
	m := newMachine(4)
	const runs = 500
	for _, planned := range []int{1, 10} {
		for ratio, want := range map[float64]Verdict{1.1: Faster, 1 / 1.1: Slower} {
			found := 0
			for range runs {
				if one(t, m.series(MaxPlanned, ratio), planned, defaults, Time).Verdict == want {
					found++
				}
			}
			if found < runs*99/100 {
				t.Errorf("of %d benchmarks, a ratio of %.3f was found in %d of %d runs", planned, ratio, found, runs)
			}
		}
	}
}

// MaxPlanned is the number of rounds a plan makes when the budget allows it.
const MaxPlanned = 40
