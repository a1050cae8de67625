package stat

import (
	"math"
	"testing"
)

func TestLinearSpending(t *testing.T) {
	// 10 of 40, 10 more, 20 more.
	w := LinearSpending([]int{10, 20, 40}, 40)
	for k, want := range []float64{0.25, 0.25, 0.5} {
		if w[k] != want {
			t.Errorf("look %d has %v, want %v", k+1, w[k], want)
		}
	}
	sum := 0.0
	for _, v := range LinearSpending([]int{3, 8, 17}, 20) { // ended before its time
		sum += v
	}
	near(t, "17 of 20 rounds", sum, 0.85, 1e-15)
}

func TestRunShare(t *testing.T) {
	for run, want := range map[int]float64{1: 0.8, 2: 0.16, 3: 0.032, 4: 0.0064, 0: 0.8} {
		near(t, "share", RunShare(run), want, 1e-15)
	}
	sum := 0.0
	for run := 1; run <= 40; run++ {
		sum += RunShare(run)
	}
	near(t, "all runs together", sum, 1, 1e-12)
}

func TestSequentialP(t *testing.T) {
	for _, c := range []struct {
		p, w []float64
		want float64
	}{
		{nil, nil, 1},
		{[]float64{0.01}, []float64{0.25}, 0.04},
		{[]float64{0.01, 0.001}, []float64{0.25, 0.5}, 0.002},
		{[]float64{0.01, 0.9}, []float64{0.25, 0.75}, 0.04}, // what was seen stays seen
		{[]float64{0.9}, []float64{0.25}, 1},
	} {
		if got := SequentialP(c.p, c.w); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("SequentialP(%v, %v) = %v, want %v", c.p, c.w, got, c.want)
		}
	}
}
