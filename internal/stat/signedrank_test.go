package stat

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func differences(d ...float64) Differences { return NewDifferences(d, NewSignedRanks(len(d))) }

// The largest value of the smaller rank sum at which a two-sided test rejects:
// F. Wilcoxon and R. A. Wilcox, Some Rapid Approximate Statistical Procedures,
// Lederle Laboratories 1964, table 2; the same figures follow from the tail
// probabilities of M. Hollander and D. A. Wolfe, Nonparametric Statistical
// Methods, 2nd ed., Wiley 1999, table A.4.
func TestCriticalValuesOfTheTables(t *testing.T) {
	for _, table := range []struct {
		alpha  float64
		first  int // n of the first value
		values []int
	}{
		{0.05, 6, []int{0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 29, 34, 40, 46, 52, 58, 65, 73, 81, 89}},
		{0.01, 8, []int{0, 1, 3, 5, 7, 9, 12, 15, 19, 23, 27, 32, 37, 42, 48, 54, 61, 68}},
	} {
		for i, want := range table.values {
			n := table.first + i
			s := NewSignedRanks(n)
			// The smaller sum is at most v exactly where the larger is at least N − v.
			if got := s.Most() - s.Critical(table.alpha/2); got != want {
				t.Errorf("n = %d, alpha = %v: %d, the table has %d (P = %.4f)", n, table.alpha, got, want, 2*s.AtLeast(s.Most()-want))
			}
		}
		s := NewSignedRanks(table.first - 1)
		if c := s.Critical(table.alpha / 2); c != s.Most()+1 {
			t.Errorf("n = %d, alpha = %v: %d rejects, and nothing can", table.first-1, table.alpha, c)
		}
	}
}

// All 2ⁿ choices of ranks, for every n that this is possible for.
func TestSignedRanksByEnumeration(t *testing.T) {
	for n := range 13 {
		s := NewSignedRanks(n)
		count := make([]int, s.Most()+1)
		for choice := range 1 << n {
			w := 0
			for c := uint(choice); c != 0; c &= c - 1 {
				w += bits.TrailingZeros(c) + 1
			}
			count[w]++
		}
		left := 1 << n
		for w, c := range count {
			if got, want := s.AtLeast(w), float64(left)/float64(int(1)<<n); got != want {
				t.Errorf("n = %d: P(W ≥ %d) = %v, want %v", n, w, got, want)
			}
			left -= c
		}
		if s.AtLeast(-1) != 1 || s.AtLeast(s.Most()+1) != 0 {
			t.Errorf("n = %d: the ends are %v and %v", n, s.AtLeast(-1), s.AtLeast(s.Most()+1))
		}
	}
}

// Floating point against whole numbers, where 2ⁿ is too many, down to the last
// probability.
func TestSignedRanksAgainstWholeNumbers(t *testing.T) {
	const n = 120
	s := NewSignedRanks(n)
	ways := make([]*big.Int, s.Most()+1)
	for w := range ways {
		ways[w] = new(big.Int)
	}
	ways[0].SetInt64(1)
	for rank := 1; rank <= n; rank++ {
		for w := s.Most(); w >= rank; w-- {
			ways[w].Add(ways[w], ways[w-rank])
		}
	}
	sum := new(big.Int)
	for w := s.Most(); w >= 0; w-- {
		sum.Add(sum, ways[w])
		want, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(sum), -n).Float64()
		if got := s.AtLeast(w); math.Abs(got/want-1) > 1e-12 {
			t.Fatalf("P(W ≥ %d) = %v, want %v", w, got, want)
		}
	}
}

// Where the normal distribution takes over, it errs on the safe side and not by
// much, as far out as tests at small levels look.
func TestNormalTakesOver(t *testing.T) {
	exact, normal := NewSignedRanks(exactPairs), &SignedRanks{n: exactPairs}
	if NewSignedRanks(exactPairs+1).below != nil {
		t.Error("one pair more is counted out as well")
	}
	for _, a := range []float64{0.1, 0.05, 0.01, 0.001, 1e-4, 1e-5, 1e-6} {
		w := exact.Critical(a)
		e, n := exact.AtLeast(w), normal.AtLeast(w)
		if n < e*(1-2e-3) || a <= 0.01 && n < e || a >= 0.001 && n > 1.04*e || n > 1.3*e {
			t.Errorf("P(W ≥ %d): exactly %v, %v by the normal distribution", w, e, n)
		}
	}
	if got, want := normal.AtLeast(normal.Most()/2+1), 0.5; math.Abs(got-want) > 1e-3 {
		t.Errorf("the middle has %v", got)
	}
}

// midranks returns the usual test, conditional on the sizes: ranks of equal sizes are
// averaged, zeros left in with the lowest ranks and no sign (J. W. Pratt, JASA 54
// (1959), 655–667), and the tail of the sum of the positive ones is counted out
// over all signs of the others. Ranks are doubled, so that they are whole.
func midranks(d []float64) (doubled []int, w int) {
	order := slices.Clone(d)
	slices.SortFunc(order, func(a, b float64) int {
		switch a, b := math.Abs(a), math.Abs(b); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	for i := 0; i < len(order); {
		k := i
		for k < len(order) && math.Abs(order[k]) == math.Abs(order[i]) {
			k++
		}
		for _, v := range order[i:k] {
			if v != 0 {
				doubled = append(doubled, i+1+k)
			}
			if v > 0 {
				w += i + 1 + k
			}
		}
		i = k
	}
	return doubled, w
}

func midrankP(d []float64) float64 {
	doubled, w := midranks(d)
	p := []float64{1}
	for _, rank := range doubled {
		p = append(p, make([]float64, rank)...)
		for v := len(p) - 1; v >= 0; v-- {
			p[v] /= 2
			if v >= rank {
				p[v] += p[v-rank] / 2
			}
		}
	}
	tail := 0.0
	for v := len(p) - 1; v >= w; v-- {
		tail += p[v]
	}
	return min(tail, 1)
}

// Without ties the p-value is that of the ranks. With ties and zeros it is the
// chance, over all signs, that would be had with the ties broken against the
// question, and never smaller than how often the statistic comes out as large.
func TestSignedRankByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	tied := 0
	for range 300 {
		n := 1 + rng.IntN(12)
		step := []float64{0, 1, 0.25}[rng.IntN(3)]
		d := make([]float64, n)
		for i := range d {
			d[i] = rng.NormFloat64() + 0.3
			if step > 0 {
				d[i] = math.Round(d[i]/step) * step
			}
		}
		statistic := func(d []float64) (w int) {
			for i := range d {
				for k := range i + 1 {
					if d[i]+d[k] > 0 {
						w++
					}
				}
			}
			return w
		}
		seen, atLeast := statistic(d), 0
		signed := make([]float64, n)
		for signs := range 1 << n {
			for i := range d {
				signed[i] = d[i]
				if signs>>i&1 == 1 {
					signed[i] = -d[i]
				}
			}
			if statistic(signed) >= seen {
				atLeast++
			}
		}
		exact := float64(atLeast) / float64(int(1)<<n)
		got := differences(d...).Greater(0)
		ties := slices.Contains(d, 0)
		for i := range d {
			for k := range i {
				ties = ties || math.Abs(d[i]) == math.Abs(d[k])
			}
		}
		switch {
		case got < exact:
			t.Fatalf("%v: p = %v, and %v of the signs are as extreme", d, got, exact)
		case !ties && (got != exact || math.Abs(got-midrankP(d)) > 1e-12):
			t.Fatalf("%v: p = %v, want %v (midranks: %v)", d, got, exact, midrankP(d))
		}
		if ties {
			tied++
		}
	}
	if tied < 50 {
		t.Errorf("only %d had ties", tied)
	}
}

// Against the usual test: rejecting at the same level, ours rejects no equal
// sides that midranks would not, and what it loses by ties of a twentieth of
// the spread is little.
func TestTiesCostLittle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	ours, usual, only := 0, 0, 0
	const runs = 2000
	for range runs {
		d := make([]float64, 20)
		for i := range d {
			d[i] = math.Round(20*(rng.NormFloat64()+0.8)) / 20
		}
		a, b := differences(d...).Greater(0) <= 0.005, midrankP(d) <= 0.005
		if a {
			ours++
		}
		if b {
			usual++
		}
		if a && !b {
			only++
		}
	}
	// Midranks are discrete in another way: now and then their p is a little larger.
	if only > runs/200 || usual-ours > runs/40 || usual < runs/2 {
		t.Errorf("of %d, ours rejects %d, midranks %d; %d only ours", runs, ours, usual, only)
	}
}

// Equal sides with a round or two that differ are not different, and a value
// that all share is.
func TestZeros(t *testing.T) {
	zeros := make([]float64, 20)
	if p := twoSided(differences(zeros...), 0); p != 1 {
		t.Errorf("nothing differs: p = %v", p)
	}
	zeros[3], zeros[9] = 1, 2 // W = 19 + 20 of 210
	if p := twoSided(differences(zeros...), 0); p != 1 {
		t.Errorf("two of 20 differ: p = %v", p)
	}
	same := make([]float64, 20)
	for i := range same {
		same[i] = 0.5
	}
	d := differences(same...)
	if p := twoSided(d, 0); p != 2*math.Exp2(-20) {
		t.Errorf("all differ alike: p = %v", p)
	}
	if iv := d.Interval(0.99); iv.Low != 0.5 || iv.High != 0.5 || iv.Center != 0.5 {
		t.Errorf("all differ alike: %+v", iv)
	}
}

// sample draws differences, with ties and zeros in half of the cases.
func sample(rt *rapid.T) []float64 {
	value := rapid.Float64Range(-3, 3)
	if rapid.Bool().Draw(rt, "tied") {
		whole := rapid.IntRange(-4, 4)
		return rapid.SliceOfN(rapid.Map(whole, func(i int) float64 { return float64(i) / 2 }), 1, 40).Draw(rt, "d")
	}
	return rapid.SliceOfN(value, 1, 40).Draw(rt, "d")
}

// The test at a level and the interval at it say the same of every centre, to
// the last bit: of Walsh averages too, which are the bounds.
func TestTestAndIntervalAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := sample(rt)
		x := differences(d...)
		a := rapid.SampledFrom([]float64{0.4, 0.1, 0.025, 0.0025, 1e-4, math.Exp2(-5)}).Draw(rt, "a")
		i, k := rapid.IntRange(0, len(d)-1).Draw(rt, "i"), rapid.IntRange(0, len(d)-1).Draw(rt, "k")
		walsh := (d[i] + d[k]) / 2
		low, high := x.Low(a), x.High(a)
		for _, theta := range []float64{0, walsh, math.Nextafter(walsh, 9), math.Nextafter(walsh, -9), low, high, rapid.Float64Range(-4, 4).Draw(rt, "theta")} {
			if math.IsInf(theta, 0) {
				continue
			}
			if rejected := x.Greater(theta) <= a; rejected != (low > theta) {
				rt.Fatalf("p of at most %v is %v at level %v, and the bound %v", theta, x.Greater(theta), a, low)
			}
			if rejected := x.Less(theta) <= a; rejected != (high < theta) {
				rt.Fatalf("p of at least %v is %v at level %v, and the bound %v", theta, x.Less(theta), a, high)
			}
		}
		if c := x.Center(); a < 0.4 && !(low <= c && c <= high) {
			rt.Fatalf("%v lies outside of %v to %v", c, low, high)
		}
	})
}

// Estimate and bounds are what they are said to be of the list of all Walsh
// averages, and mirror images of each other.
func TestWalshAverages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := sample(rt)
		var walsh, minus []float64
		for i := range d {
			minus = append(minus, -d[i])
			for k := range i + 1 {
				walsh = append(walsh, (d[i]+d[k])/2)
			}
		}
		slices.Sort(walsh)
		x, y := differences(d...), differences(minus...)
		for k := range walsh {
			if got := x.walshRank(k + 1); got != walsh[k] {
				rt.Fatalf("average %d is %v, want %v", k+1, got, walsh[k])
			}
		}
		if got, want := x.Center(), Median(walsh); math.Abs(got-want) > 1e-15*(1+math.Abs(want)) {
			rt.Fatalf("centre %v, want %v", got, want)
		}
		if x.Center() != -y.Center() || x.Low(0.01) != -y.High(0.01) || x.High(0.2) != -y.Low(0.2) || twoSided(x, 0) != twoSided(y, 0) {
			rt.Fatalf("%v and its mirror image: centres %v, %v", d, x.Center(), y.Center())
		}
	})
}

// An example with its figures worked out: M. Hollander and D. A. Wolfe, 2nd
// ed., examples 3.1, 3.3 and 3.4, depression scores of nine patients before and
// after (Salsburg 1970). Their T⁺ for the drop is 40, the p-value 0.0195 by table
// A.4, the estimate 0.46, and the interval at 0.961 from 0.010 to 0.786.
func TestHollanderWolfeExample(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	d := make([]float64, len(before))
	for i := range d {
		d[i] = before[i] - after[i]
	}
	x := differences(d...)
	if w := x.walsh(0, false); w != 40 {
		t.Errorf("W = %d, want 40", w)
	}
	near(t, "p", x.Greater(0), 0.0195, 5e-5)
	near(t, "estimate", x.Center(), 0.46, 5e-3)
	iv := x.Interval(0.96)
	near(t, "low", iv.Low, 0.010, 5e-4)
	near(t, "high", iv.High, 0.786, 5e-4)
	near(t, "coverage", iv.Coverage, 0.961, 5e-4)
}

func TestTooFewDifferences(t *testing.T) {
	d := differences(1, 2, 3)
	if iv := d.Interval(0.95); !math.IsInf(iv.Low, -1) || !math.IsInf(iv.High, 1) || iv.Coverage != 1 || iv.Center != 2 {
		t.Errorf("three differences at 95 %%: %+v", iv)
	}
	if c := differences().Center(); !math.IsNaN(c) {
		t.Errorf("the centre of nothing is %v", c)
	}
	if p := twoSided(differences(), 0); p != 1 {
		t.Errorf("p of nothing is %v", p)
	}
}

// The interval holds the centre as often as it says, for skewed sums of two
// that are drawn by lot, and for large samples too.
func TestIntervalCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct{ n, runs int }{{8, 4000}, {25, 4000}, {exactPairs + 20, 600}} {
		null := NewSignedRanks(c.n)
		held := 0
		for range c.runs {
			d := make([]float64, c.n)
			for i := range d { // skewed, and as likely turned round
				d[i] = math.Exp(rng.NormFloat64()) - 1
				if rng.IntN(2) == 0 {
					d[i] = -d[i]
				}
				d[i] += 0.7
			}
			if iv := NewDifferences(d, null).Interval(0.9); iv.Low <= 0.7 && 0.7 <= iv.High {
				held++
			}
		}
		if high := ClopperPearson(held, c.runs, 0.998).High; high < 0.9 {
			t.Errorf("n = %d: held in %d of %d", c.n, held, c.runs)
		}
		if low := ClopperPearson(held, c.runs, 0.998).Low; low > 0.95 {
			t.Errorf("n = %d: held in %d of %d: wider than need be", c.n, held, c.runs)
		}
	}
}

// twoSided returns the p-value of the centre theta: twice the smaller of both.
func twoSided(d Differences, theta float64) float64 {
	return min(1, 2*min(d.Greater(theta), d.Less(theta)))
}
