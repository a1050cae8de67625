package stat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

// exactCDF sums the binomial probabilities in rational numbers.
func exactCDF(k, n int, p *big.Rat) float64 {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	power := func(x *big.Rat, n int) *big.Rat {
		out := big.NewRat(1, 1)
		for range n {
			out.Mul(out, x)
		}
		return out
	}
	sum := new(big.Rat)
	for i := 0; i <= k; i++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		term.Mul(term, power(p, i))
		sum.Add(sum, term.Mul(term, power(q, n-i)))
	}
	f, _ := sum.Float64()
	return f
}

func TestBinomialAgainstRationals(t *testing.T) {
	for _, n := range []int{1, 2, 9, 40, 120} {
		for _, p := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 20), big.NewRat(9, 10)} {
			pf, _ := p.Float64()
			for _, k := range []int{0, 1, n / 20, n / 2, n - 1, n} {
				want := exactCDF(k, n, p)
				if got := BinomialCDF(k, n, pf); math.Abs(got-want) > 1e-10*want {
					t.Errorf("BinomialCDF(%d, %d, %v) = %v, want %v", k, n, pf, got, want)
				}
				below := 0.0
				if k > 0 {
					below = exactCDF(k-1, n, p)
				}
				near(t, "BinomialSurvival", BinomialSurvival(k, n, pf), 1-below, 1e-10)
				near(t, "BinomialPMF", BinomialPMF(k, n, pf), want-below, 1e-10)
			}
		}
	}
	// A small tail keeps its digits: 1 − P(B ≤ 39) of 40 heads is 2⁻⁴⁰.
	if got, want := BinomialSurvival(40, 40, 0.5), math.Exp2(-40); math.Abs(got/want-1) > 1e-10 {
		t.Errorf("P(40 of 40) = %v, want 2⁻⁴⁰ = %v", got, want)
	}
}

func TestBinomialEdges(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{BinomialCDF(-1, 5, 0.5), 0}, {BinomialCDF(5, 5, 0.5), 1}, {BinomialCDF(7, 5, 0.5), 1},
		{BinomialSurvival(0, 5, 0.5), 1}, {BinomialSurvival(6, 5, 0.5), 0},
		{BinomialPMF(0, 5, 0), 1}, {BinomialPMF(1, 5, 0), 0}, {BinomialPMF(5, 5, 1), 1}, {BinomialPMF(-1, 5, 0.5), 0},
		{BinomialCDF(2, 5, 1), 0}, {BinomialCDF(2, 5, 0), 1},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for _, got := range []float64{BinomialPMF(1, -1, 0.5), BinomialCDF(1, 3, 1.5), BinomialSurvival(1, 3, math.NaN())} {
		if !math.IsNaN(got) {
			t.Errorf("got %v, want NaN", got)
		}
	}
}

func TestChoose(t *testing.T) {
	for n := range 50 {
		for k := range n + 1 {
			want := new(big.Int).Binomial(int64(n), int64(k))
			if got := Choose(n, k); got != float64(want.Int64()) {
				t.Fatalf("Choose(%d, %d) = %v, want %v", n, k, got, want)
			}
		}
	}
	if got := Choose(5000, 2500); !math.IsInf(got, 1) {
		t.Errorf("Choose(5000, 2500) = %v", got)
	}
	if Choose(3, 4) != 0 || Choose(3, -1) != 0 {
		t.Error("Choose outside its range is not 0")
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{3, 1, 4, 1, 5, 9, 2, 6} // sorted: 1 1 2 3 4 5 6 9
	for _, c := range []struct{ q, want float64 }{
		{0, 1}, {1, 9}, {0.5, 3.5},
		{0.25, 1.75}, // h = 7·0.25 = 1.75: 1 + 0.75·(2−1)
		{0.9, 6.9},   // h = 6.3: 6 + 0.3·(9−6)
	} {
		near(t, "Quantile", Quantile(x, c.q), c.want, 1e-12)
	}
	if !slices.Equal(x, []float64{3, 1, 4, 1, 5, 9, 2, 6}) {
		t.Error("Quantile reordered its argument")
	}
	if got := Median([]float64{7}); got != 7 {
		t.Errorf("Median of one = %v", got)
	}
	if got := Median([]float64{math.MaxFloat64, math.MaxFloat64}); got != math.MaxFloat64 {
		t.Errorf("Median overflowed: %v", got)
	}
	if got := Median([]float64{math.Inf(1), math.Inf(1), 1}); !math.IsInf(got, 1) {
		t.Errorf("Median with infinities = %v", got)
	}
	for _, got := range []float64{Median(nil), Quantile(x, -0.1), Quantile(x, 1.1), Quantile(x, math.NaN()), Median([]float64{1, math.NaN(), 2})} {
		if !math.IsNaN(got) {
			t.Errorf("got %v, want NaN", got)
		}
	}
}

// Ranks and coverages as tables of the sign test give them (for instance
// W. J. Conover, Practical Nonparametric Statistics, 3rd ed., table A3); the
// sums are 1 − 2·(C(n,0)+…+C(n,l−1))/2ⁿ.
func TestMedianRanks(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
		l          int
		coverage   float64
	}{
		{10, 0.95, 2, 1 - 2*11.0/1024},
		{15, 0.95, 4, 1 - 2*576.0/32768},            // 1+15+105+455
		{20, 0.95, 6, 1 - 2*21700.0/1048576},        // 1+20+190+1140+4845+15504
		{20, 0.995, 4, 1 - 2*1351.0/1048576},        // 1+20+190+1140
		{9, 0.995, 1, 1 - 2*1.0/512},                // the fewest for 0.995
		{8, 0.995, 1, 1 - 2*1.0/256},                // too few: coverage tells
		{6, 1 - 1.0/32, 1, 1 - 2*1.0/64},            // met exactly
		{1, 0.5, 1, 0},                              // one value covers nothing
		{2, 0.5, 1, 0.5},                            //
		{3, 0.01, 1, 1 - 2*1.0/8},                   // the middle value alone covers nothing
		{40, 0.995, 11, 1 - 2*1221246132.0/(1<<40)}, // C(40,0)+…+C(40,10)
	} {
		l, coverage := MedianRanks(c.n, c.confidence)
		if l != c.l || math.Abs(coverage-c.coverage) > 1e-9 {
			t.Errorf("MedianRanks(%d, %v) = %d, %v, want %d, %v", c.n, c.confidence, l, coverage, c.l, c.coverage)
		}
	}
	if l, c := MedianRanks(0, 0.95); l != 0 || c != 0 {
		t.Errorf("MedianRanks(0) = %d, %v", l, c)
	}
}

// benchmath widens its interval one side at a time and stops as soon as the
// confidence is reached: it is ours, or lacks one rank of ours on one side.
func TestMedianIntervalAgainstBenchmath(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	symmetric := 0
	for n := 2; n <= 30; n++ {
		for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99, 0.995, 0.9995} {
			values := make([]float64, n)
			for i := range values {
				values[i] = rng.ExpFloat64()
			}
			ours := MedianInterval(values, confidence)
			theirs := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), confidence)
			near(t, "center", ours.Center, theirs.Center, 1e-12)
			if math.IsInf(theirs.Lo, 0) || math.IsInf(theirs.Hi, 0) {
				if ours.Coverage >= confidence {
					t.Errorf("n=%d at %v: ours %+v, theirs %v..%v", n, confidence, ours, theirs.Lo, theirs.Hi)
				}
				continue
			}
			sameLow, sameHigh := ours.Low == theirs.Lo, ours.High == theirs.Hi
			switch {
			case sameLow && sameHigh:
				symmetric++
				near(t, "coverage", ours.Coverage, theirs.Confidence, 1e-9)
			case !sameLow && !sameHigh, ours.Low > theirs.Lo, ours.High < theirs.Hi, ours.Coverage <= theirs.Confidence:
				t.Errorf("n=%d at %v: ours %+v, theirs %v..%v at %v", n, confidence, ours, theirs.Lo, theirs.Hi, theirs.Confidence)
			}
		}
	}
	if symmetric < 40 {
		t.Errorf("only %d cases were the same interval: this compares too little", symmetric)
	}
}

func TestMedianValues(t *testing.T) {
	// 2·2⁻ⁿ ≤ 0.005 needs n ≥ 1 + log₂ 200 = 8.64; a tenth of that n ≥ 11.97.
	for confidence, want := range map[float64]int{0.995: 9, 0.9995: 12, 0.95: 6, 0.5: 2, 0: 1, 1: math.MaxInt} {
		if got := MedianValues(confidence); got != want {
			t.Errorf("MedianValues(%v) = %d, want %d", confidence, got, want)
		}
		if want == math.MaxInt || want < 2 {
			continue
		}
		if _, c := MedianRanks(want, confidence); c < confidence-1e-12 {
			t.Errorf("%d values cover %v, not %v", want, c, confidence)
		}
		if _, c := MedianRanks(want-1, confidence); c >= confidence {
			t.Errorf("%d values cover %v already", want-1, c)
		}
	}
}

func TestMedianIntervalOfNothing(t *testing.T) {
	for _, values := range [][]float64{nil, {1, math.NaN()}} {
		if iv := MedianInterval(values, 0.95); !math.IsNaN(iv.Center) || !math.IsNaN(iv.Low) || iv.Coverage != 0 {
			t.Errorf("MedianInterval(%v) = %+v", values, iv)
		}
	}
}

func TestRatioInterval(t *testing.T) {
	old := []float64{2, 4, 8, 3, 5, 6}
	new := []float64{1, 1, 1, 3, 10, 2}
	// The ratios sorted are 1/2, 1, 2, 3, 4, 8: the middle is √(2·3), the
	// range covers 1 − 2/64.
	iv := RatioInterval(old, new, 0.95)
	near(t, "center", iv.Center, math.Sqrt(6), 1e-12)
	near(t, "low", iv.Low, 0.5, 1e-12)
	near(t, "high", iv.High, 8, 1e-12)
	near(t, "coverage", iv.Coverage, 0.96875, 1e-12)
	back := RatioInterval(new, old, 0.95)
	near(t, "reciprocal center", back.Center*iv.Center, 1, 1e-12)
	near(t, "reciprocal low", back.Low*iv.High, 1, 1e-12)
	near(t, "reciprocal high", back.High*iv.Low, 1, 1e-12)
	for _, bad := range [][2][]float64{{{1}, {}}, {{}, {}}, {{0}, {1}}, {{1}, {-1}}, {{math.NaN()}, {1}}, {{1}, {math.Inf(1)}}} {
		if iv := RatioInterval(bad[0], bad[1], 0.95); !math.IsNaN(iv.Center) || iv.Coverage != 0 {
			t.Errorf("RatioInterval(%v, %v) = %+v", bad[0], bad[1], iv)
		}
	}
}

// The smallest p-values of the U test: 2/C(2n,n) for n = 3 to 9, as the table
// in golang.org/x/perf/benchmath lists them.
func TestSeparationP(t *testing.T) {
	for n, want := range map[int]float64{
		1: 1, 2: 0.3333333333333333, 3: 0.1, 4: 0.02857142857142857, 5: 0.007936507936507936, 6: 0.0021645021645021645, 9: 4.113533525298231e-05,
	} {
		near(t, "SeparationP", SeparationP(n, n), want, 1e-15)
	}
	near(t, "unequal", SeparationP(4, 8), 2.0/495, 1e-15) // C(12, 4) = 495
	near(t, "unequal the other way", SeparationP(8, 4), 2.0/495, 1e-15)
	if SeparationP(0, 3) != 1 || SeparationP(5000, 5000) != 0 {
		t.Error("SeparationP outside its table")
	}
}

// Coverage by simulation, of skewed values: exponential ones, whose median is
// ln 2. The interval must hold it as often as it says, within four standard
// errors of the simulation.
func TestMedianIntervalCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	const runs = 20000
	for _, c := range []struct {
		n          int
		confidence float64
	}{{10, 0.95}, {21, 0.995}, {40, 0.95}, {5, 0.995}} {
		values := make([]float64, c.n)
		held, coverage := 0, 0.0
		for range runs {
			for i := range values {
				values[i] = rng.ExpFloat64()
			}
			iv := MedianInterval(values, c.confidence)
			coverage = iv.Coverage
			if iv.Low <= math.Ln2 && math.Ln2 <= iv.High {
				held++
			}
		}
		se := math.Sqrt(coverage*(1-coverage)/runs) + 1e-9
		near(t, "simulated coverage", float64(held)/runs, coverage, 4*se)
	}
}
