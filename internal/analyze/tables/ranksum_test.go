package tables

import (
	"math"
	"testing"

	"golang.org/x/perf/benchmath"
	"pgregory.net/rapid"
)

// R's coin::wilcox_test with distribution="exact" gives 0.01188904 for 1…10
// against 2, 4 … 24 (JuliaStats/HypothesisTests.jl, issue 337). The others can
// be counted by hand: 2 of the 8 divisions of 0 0 0 0 0 0 1 2 into one and
// seven are as far from the mean as the one that takes the 1, and the one of
// 0 0 0 1 that takes the 1 is one of four.
func TestRankSum(t *testing.T) {
	var even []float64
	for v := 2.0; v <= 24; v += 2 {
		even = append(even, v)
	}
	for _, tt := range []struct {
		a, b      []float64
		want, tol float64
	}{
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, even, 0.01188904, 5e-9},
		{even, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.01188904, 5e-9},
		{[]float64{1}, []float64{0, 0, 2, 0, 0, 0, 0}, 0.25, 1e-15},
		{[]float64{1}, []float64{0, 0, 0}, 0.25, 1e-15},
	} {
		if !needsRankSum(tt.a, tt.b) {
			t.Errorf("%v against %v: equal values and different sizes are not seen", tt.a, tt.b)
		}
		if got := rankSum(tt.a, tt.b); math.Abs(got-tt.want) > tt.tol {
			t.Errorf("%v against %v: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if needsRankSum([]float64{1, 2}, []float64{2, 3}) || needsRankSum([]float64{1, 2}, []float64{3}) || needsRankSum(make([]float64, 26), make([]float64, 3)) {
		t.Error("benchmath's own figure is right there, and benchstat's")
	}
}

// Where benchmath is right, the two agree: equal sizes, or no equal values.
func TestRankSumIsBenchmaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1 := rapid.IntRange(2, 25).Draw(t, "n1")
		n2 := n1
		spread := rapid.SampledFrom([]float64{3, 20}).Draw(t, "spread")
		if rapid.Bool().Draw(t, "different sizes") {
			n2, spread = rapid.IntRange(2, 25).Draw(t, "n2"), 0
		}
		draw := func(n int, label string) []float64 {
			values := make([]float64, n)
			for i := range values {
				if v := rapid.Float64Range(0, 1).Draw(t, label); spread > 0 {
					values[i] = math.Floor(v * spread)
				} else {
					values[i] = v
				}
			}
			return values
		}
		a, b := draw(n1, "a"), draw(n2, "b")
		if needsRankSum(a, b) {
			return // rare
		}
		thresholds := benchmath.DefaultThresholds
		test := benchmath.AssumeNothing.Compare(benchmath.NewSample(a, &thresholds), benchmath.NewSample(b, &thresholds))
		if got := rankSum(a, b); math.Abs(got-test.P) > 1e-9 {
			t.Fatalf("%v against %v: %v, benchmath %v", a, b, got, test.P)
		}
	})
}
