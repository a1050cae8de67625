package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Written out: five points at x = 1 … 5. The ten slopes, sorted:
// −0.15, −0.13, −0.08, −0.07, −0.0575, −0.055, −0.045, −0.0333, 0.01, 0.04.
// Their median is −0.05625; two rise and eight fall, so tau is −0.6.
// V = 5·4·15/18 = 16.67. At 80 %, z = 1.2816 and C = 5.232: from rank
// ⌊2.38⌋ = 2 to rank ⌈7.62⌉ + 1 = 9. At 95 %, z = 1.96 and C = 8.002: from
// ⌊0.999⌋ = 0, which there is not.
func TestTheilSenWrittenOut(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5}, []float64{1.26, 1.27, 1.12, 1.16, 1.03}
	got := TheilSen(x, y, 0.8)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(got.Slope.Center, -0.05625) || !near(got.Tau, -0.6) || !near(got.Slope.Low, -0.13) || !near(got.Slope.High, 0.01) || got.Slope.Coverage != 0.8 {
		t.Errorf("%+v", got)
	}
	if got := TheilSen(x, y, 0.95); got.Slope.Coverage != 0 || !near(got.Slope.Low, -0.15) || !near(got.Slope.High, 0.04) {
		t.Errorf("%+v", got)
	}
	// 1, 1, 1, 2, 2: V = (5·4·15 − 3·2·11 − 2·1·9)/18 = (300 − 66 − 18)/18 = 12.
	if v := kendallVariance([]float64{2, 1, 1, 2, 1}); v != 12 {
		t.Errorf("variance %v", v)
	}
	for _, bad := range []Trend{TheilSen(nil, nil, 0.95), TheilSen(x, y[1:], 0.95), TheilSen(x, y, 1), TheilSen([]float64{1, 1}, []float64{1, 2}, 0.95), TheilSen([]float64{1, 2}, []float64{1, math.NaN()}, 0.95)} {
		if !math.IsNaN(bad.Slope.Center) || !math.IsNaN(bad.Tau) {
			t.Errorf("%+v", bad)
		}
	}
}

// The variance is that of S over all orders of the values.
func TestKendallVariance(t *testing.T) {
	for _, y := range [][]float64{{1, 2, 3, 4, 5, 6, 7}, {1, 1, 2, 2, 2, 3, 4}, {1, 1, 1, 1, 1, 1, 2}} {
		var sum, squares, n float64
		permute(slices.Clone(y), len(y), func(y []float64) {
			s := 0.0
			for i := range y {
				for j := range i {
					if y[i] > y[j] {
						s++
					} else if y[i] < y[j] {
						s--
					}
				}
			}
			sum, squares, n = sum+s, squares+s*s, n+1
		})
		if v := squares / n; sum != 0 || math.Abs(v-kendallVariance(y)) > 1e-9 {
			t.Errorf("%v: variance %v, of all orders %v", y, kendallVariance(y), v)
		}
	}
}

// permute calls f with every order of y, by Heap's method.
func permute(y []float64, k int, f func([]float64)) {
	if k <= 1 {
		f(y)
		return
	}
	for i := range k {
		permute(y, k-1, f)
		if k%2 == 0 {
			y[i], y[k-1] = y[k-1], y[i]
		} else {
			y[0], y[k-1] = y[k-1], y[0]
		}
	}
}

// The interval holds the true slope as often as it says, also where the noise
// has a long tail.
func TestTheilSenCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs = 2000
	held := 0
	for range runs {
		var x, y []float64
		for i := range 12 {
			noise := r.ExpFloat64()
			if r.IntN(10) == 0 {
				noise *= 10
			}
			x, y = append(x, float64(i)), append(y, 3*float64(i)+noise)
		}
		if s := TheilSen(x, y, 0.95).Slope; s.Low <= 3 && 3 <= s.High {
			held++
		}
	}
	// Three standard deviations of a share of 0.95 in 2,000 runs are
	// 3·√(0.95·0.05/2000) = 0.0146.
	if share := float64(held) / runs; share < 0.95-0.0146 || share > 0.985 {
		t.Errorf("held %v", share)
	}
}

// A line is found exactly, whatever its slope, and turning y round turns the
// answer round.
func TestTheilSenProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.IntRange(-1000, 1000), 10, 30).Draw(t, "y")
		var x, up, down, line []float64
		slope := float64(rapid.IntRange(-50, 50).Draw(t, "slope"))
		for i, v := range y {
			x, up, down, line = append(x, float64(2*i)), append(up, float64(v)), append(down, -float64(v)), append(line, 7+slope*float64(2*i))
		}
		a, b := TheilSen(x, up, 0.95), TheilSen(x, down, 0.95)
		if a.Tau != -b.Tau || a.Slope.Low != -b.Slope.High || a.Slope.High != -b.Slope.Low || math.Abs(a.Slope.Center+b.Slope.Center) > 1e-9 {
			t.Fatalf("%+v turned round is %+v", a, b)
		}
		if l := TheilSen(x, line, 0.95); l.Slope.Center != slope || l.Slope.Low != slope || l.Slope.High != slope {
			t.Fatalf("slope %v is %+v", slope, l)
		}
	})
}
