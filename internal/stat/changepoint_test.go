package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowArc returns the statistic again, from its definition in words: for every arc,
// the difference between its mean rank and that of the others, divided by the
// standard deviation that this difference has over all orders.
func slowArc(values []float64) float64 {
	n := float64(len(values))
	var ranks []float64
	for _, v := range values {
		below, equal := 0.0, 0.0
		for _, w := range values {
			if w < v {
				below++
			} else if w == v {
				equal++
			}
		}
		ranks = append(ranks, below+(equal+1)/2)
	}
	variance := 0.0 // of one rank drawn at random
	for _, r := range ranks {
		variance += (r - (n+1)/2) * (r - (n+1)/2) / n
	}
	if variance == 0 {
		return 0
	}
	best := 0.0
	for i := range values {
		for j := i + 1; j <= len(values); j++ {
			l := float64(j - i)
			before, behind := i, len(values)-j
			if j-i < 2 || n-l < 2 || before == 1 || behind == 1 {
				continue
			}
			in, out := 0.0, 0.0
			for k, r := range ranks {
				if k >= i && k < j {
					in += r / l
				} else {
					out += r / (n - l)
				}
			}
			// Drawing l of n without putting back: the mean has the variance
			// σ²/l·(n−l)/(n−1), and the difference of means is n/(n−l) of its
			// distance from the mean of all.
			sd := math.Sqrt(variance/l*(n-l)/(n-1)) * n / (n - l)
			best = max(best, math.Abs(in-out)/sd)
		}
	}
	return best
}

// ordersOf lists all orders of the values, each as often as it occurs.
func ordersOf(values []float64) [][]float64 {
	if len(values) == 0 {
		return [][]float64{nil}
	}
	var out [][]float64
	for i := range values {
		rest := slices.Delete(slices.Clone(values), i, i+1)
		for _, o := range ordersOf(rest) {
			out = append(out, append([]float64{values[i]}, o...))
		}
	}
	return out
}

// A p-value of few values is counted, so it has to be what a second
// implementation counts.
func TestArcTestAgainstCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 4; n <= 7; n++ {
		for range 6 {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(rng.IntN(n)) // with ties
			}
			observed := slowArc(values)
			if observed == 0 {
				continue
			}
			all, large := 0, 0
			for _, o := range ordersOf(values) {
				all++
				if slowArc(o) >= observed*(1-1e-9) {
					large++
				}
			}
			p, from, to := arcTest(values, 0.05, rng)
			if want := float64(large) / float64(all); math.Abs(p-want) > 1e-12 {
				t.Errorf("%v: p %v, counted %v", values, p, want)
			}
			scores := centredRanks(values)
			squares := 0.0
			for _, r := range scores {
				squares += r * r
			}
			if got, f, l := newArcs(n, squares).largest(scores); math.Abs(got-observed) > 1e-9 || f != from || l != to {
				t.Errorf("%v: T %v at %d:%d, want %v", values, got, f, l, observed)
			}
		}
	}
}

// The drawn p-value of more values is near the one that counting gives, which
// ten values still allow: 10!/(5!·5!) = 252 orders of two levels.
func TestDrawnOrders(t *testing.T) {
	values := []float64{0, 0, 1, 0, 0, 1, 1, 1, 0, 1}
	observed := slowArc(values)
	large, all := 0, 0
	for set := range 1 << 10 {
		var o []float64
		ones := 0
		for i := range 10 {
			o = append(o, float64(set>>i&1))
			ones += set >> i & 1
		}
		if ones == 5 {
			all++
			if slowArc(o) >= observed*(1-1e-9) {
				large++
			}
		}
	}
	if all != 252 {
		t.Fatalf("%d orders", all)
	}
	want := float64(large) / 252
	// 20 as large orders, so a relative standard error of about 1/√20 each; the
	// mean of 400 is 20 times closer. Besag and Clifford's h/l is (h−1)/(l−1) and
	// a little: at most 1/20 too large.
	mean := 0.0
	for seed := range 400 {
		p, _, _ := arcTest(values, 0.05, rand.New(rand.NewPCG(uint64(seed), 0)))
		mean += p / 400
	}
	if mean < want*0.96 || mean > want*1.1 {
		t.Errorf("drawn %v on average, counted %v", mean, want)
	}
}

// What is said of the smallest p-value is what counting finds for values that
// are apart in two groups.
func TestSmallestChangeP(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 4; n <= 8; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		if p, _, _ := arcTest(values, 0.05, rng); math.Abs(p-SmallestChangeP(n)) > 1e-12 {
			t.Errorf("%d values: counted %v, SmallestChangeP %v", n, p, SmallestChangeP(n))
		}
	}
	// C(10,5) = 252, and 2 + 2·2 = 6 sets; C(11,5) = 462 and 2·(2+3+2) = 14, less
	// (2+4·2)/6 for pairs.
	for n, want := range map[int]float64{3: 1, 10: 6.0 / 252, 11: (14 - 10.0/6) / 462} {
		if got := SmallestChangeP(n); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d values: %v, want %v", n, got, want)
		}
	}
	if n := FewestForChange(ChangeOptions{Alpha: 0.05}); n != 10 {
		t.Errorf("fewest for 5 %%: %d", n)
	}
	if n := FewestForChange(ChangeOptions{Alpha: 0.05, Series: 10}); SmallestChangeP(n) > 0.005 || SmallestChangeP(n-1) <= 0.005 {
		t.Errorf("fewest for 5 %% in ten series: %d", n)
	}
}

// benchmarkNoise is noise as benchmarks have it: bounded below, a long tail above, one
// in twenty disturbed by half as much again.
func benchmarkNoise(rng *rand.Rand) float64 {
	v := 100 + rng.ExpFloat64()*1.5
	if rng.IntN(20) == 0 {
		v *= 1.5
	}
	return v
}

// Noise without a change: the chance of naming any, over three series at a
// time, is at most alpha. 400 families at alpha 10 % may give up to 40 on
// average; more than 40 + 3·√(400·0.1·0.9) = 58 would be three standard errors
// beyond. As few as none would say that nothing is ever found: the test is
// nearly exact for a single series, and Bonferroni loses little.
func TestNoChangeInNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	false1 := 0
	for family := range 400 {
		any := false
		for range 3 {
			values := make([]float64, 24)
			for i := range values {
				values[i] = benchmarkNoise(rng)
			}
			any = any || len(Changes(values, ChangeOptions{Alpha: 0.1, Series: 3, Seed: uint64(family)})) > 0
		}
		if any {
			false1++
		}
	}
	if false1 > 58 || false1 < 10 {
		t.Errorf("%d of 400 families of noise show a change, want about 40", false1)
	}
}

// Planted changes of 8 % in noise of 1.5 % with a tail: found, where they are.
func TestPlantedChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	for _, tt := range []struct {
		name   string
		n      int
		levels map[int]float64 // from an index on
		want   []int
	}{
		{"one step", 40, map[int]float64{20: 1.08}, []int{20}},
		{"near the end", 40, map[int]float64{33: 1.08}, []int{33}},
		{"came and went", 44, map[int]float64{16: 1.08, 28: 1}, []int{16, 28}},
		{"a staircase", 45, map[int]float64{15: 1.08, 30: 1.16}, []int{15, 30}},
		{"faster", 40, map[int]float64{12: 0.92}, []int{12}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, uint64(len(tt.name))))
			const trials = 16
			found, extra := 0, 0
			for trial := range trials {
				level := 1.0
				values := make([]float64, tt.n)
				for i := range values {
					if l, ok := tt.levels[i]; ok {
						level = l
					}
					values[i] = benchmarkNoise(rng) * level
				}
				changes := Changes(values, ChangeOptions{Alpha: 0.05, Seed: uint64(trial)})
				near := 0
				for _, w := range tt.want {
					if slices.ContainsFunc(changes, func(c Change) bool { return c.At >= w-2 && c.At <= w+2 }) {
						near++
					}
				}
				if near == len(tt.want) {
					found++
				}
				extra += max(len(changes)-len(tt.want), 0)
				for _, c := range changes {
					if c.P > 0.05 || c.P <= 0 {
						t.Fatalf("%+v at alpha 5 %%", c)
					}
				}
			}
			if found < trials*3/4 {
				t.Errorf("all changes found within two places in %d of %d trials", found, trials)
			}
			// 5 % of trials may name one too many: 0.8, and three standard errors
			// (√(16·0.05·0.95) = 0.9) beyond.
			if extra > 3 {
				t.Errorf("%d changes too many in %d trials", extra, trials)
			}
		})
	}
}

// Without noise a change is where it is, and both its sides are one level.
func TestExactChange(t *testing.T) {
	for _, at := range []int{6, 10, 15} {
		var values []float64
		for i := range 20 {
			v := 5.0
			if i >= at {
				v = 4
			}
			values = append(values, v)
		}
		got := Changes(values, ChangeOptions{Alpha: 0.05})
		if len(got) != 1 || got[0].At != at {
			t.Errorf("a step at %d: %+v", at, got)
		}
		// Order is all that counts: any rising scale gives the same.
		for i := range values {
			values[i] = math.Exp(values[i] * 10)
		}
		if again := Changes(values, ChangeOptions{Alpha: 0.05}); !slices.Equal(got, again) {
			t.Errorf("rescaled: %+v, %+v", got, again)
		}
		slices.Reverse(values)
		if back := Changes(values, ChangeOptions{Alpha: 0.05}); len(back) != 1 || back[0].At != 20-at {
			t.Errorf("backwards: %+v", back)
		}
	}
}

func TestNothingToChange(t *testing.T) {
	constant := slices.Repeat([]float64{3}, 50)
	withNaN := append(slices.Repeat([]float64{1}, 10), append(slices.Repeat([]float64{2}, 10), math.NaN())...)
	for name, values := range map[string][]float64{
		"none": nil, "one": {1}, "two levels of two": {1, 1, 2, 2}, "constant": constant, "not a number": withNaN,
	} {
		if got := Changes(values, ChangeOptions{Alpha: 0.05}); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Changes([]float64{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}, ChangeOptions{}); len(got) != 0 {
		t.Errorf("at alpha 0: %+v", got)
	}
}

func TestEachOrder(t *testing.T) {
	seen := map[string]int{}
	eachOrder([]float64{1, 2, 3, 4}, 4, func(o []float64) { seen[fmt.Sprint(o)]++ })
	if len(seen) != 24 {
		t.Errorf("%d orders of 4, want 24", len(seen))
	}
}

func BenchmarkChanges(b *testing.B) {
	for _, n := range []int{50, 300} {
		rng := rand.New(rand.NewPCG(1, 1))
		values := make([]float64, n)
		for i := range values {
			values[i] = benchmarkNoise(rng)
			if i >= n/2 {
				values[i] *= 1.05
			}
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Changes(values, ChangeOptions{Alpha: 0.05, Series: 20})
			}
		})
	}
}

// A stretch of half of a series has half of the error, and of two series a
// quarter: eight values in two groups have the p-value 4/70, as counted.
func TestShares(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0}
	for series, want := range map[int]float64{1: 2 * 4.0 / 70, 2: 4 * 4.0 / 70} {
		s := segmenter{values: values, alpha: 0.5, share: 1 / float64(series), rng: rand.New(rand.NewPCG(1, 1))}
		if p, _, _ := s.ask(0, 8); math.Abs(p-want) > 1e-12 {
			t.Errorf("%d series: adjusted p %v, want %v", series, p, want)
		}
	}
}

// What was cut too often or in the wrong place is put right in the end.
func TestConfirm(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var values []float64
	for i := range 36 {
		v := 100 + rng.Float64()
		if i >= 14 {
			v += 10
		}
		values = append(values, v)
	}
	for name, found := range map[string][]Change{
		"one too many":       {{At: 14, P: 0.001}, {At: 25, P: 0.001}},
		"one before":         {{At: 7, P: 0.001}, {At: 14, P: 0.001}},
		"in a wrong place":   {{At: 16, P: 0.001}},
		"wrong and too many": {{At: 12, P: 0.001}, {At: 27, P: 0.001}, {At: 31, P: 0.001}},
	} {
		s := segmenter{values: values, alpha: 0.05, share: 1, rng: rng, found: found}
		if s.confirm(); len(s.found) != 1 || s.found[0].At != 14 || s.found[0].P > 0.05 || s.found[0].P < 0.001 {
			t.Errorf("%s: %+v, want one change at 14", name, s.found)
		}
	}
}

// Among staircases are some where the search alone cuts too often; Changes has
// put those right.
func TestChangesAreConfirmed(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	rng := rand.New(rand.NewPCG(2, 5))
	cut, left := 0, 0
	for trial := range 12 {
		values := make([]float64, 60)
		for i := range values {
			values[i] = benchmarkNoise(rng) * (1 + 0.08*float64(i/20))
		}
		s := segmenter{values: values, alpha: 0.05, share: 1, rng: rand.New(rand.NewPCG(uint64(trial), 0x63686e67))}
		s.search(0, len(values), 0)
		cut += len(s.found)
		left += len(Changes(values, ChangeOptions{Alpha: 0.05, Seed: uint64(trial)}))
	}
	if left >= cut || left < 18 {
		t.Errorf("the search finds %d changes, %d of them are left; 24 were planted", cut, left)
	}
}

// Of an arc inside, that end is the cut which has more values to show it.
func TestCutOf(t *testing.T) {
	levels := func(a, b, c int) []float64 {
		return slices.Concat(slices.Repeat([]float64{1}, a), slices.Repeat([]float64{2}, b), slices.Repeat([]float64{1}, c))
	}
	for _, tt := range []struct{ a, b, c, want int }{{10, 5, 3, 10}, {3, 5, 10, 8}, {0, 5, 10, 5}, {10, 5, 0, 10}} {
		if got := cutOf(levels(tt.a, tt.b, tt.c), tt.a, tt.a+tt.b); got != tt.want {
			t.Errorf("%d, %d and %d values: cut at %d, want %d", tt.a, tt.b, tt.c, got, tt.want)
		}
	}
}
