package compare

import (
	"fmt"
	"math"
	"testing"
)

func TestLooks(t *testing.T) {
	for _, c := range []struct {
		planned, hypotheses int
		alpha               float64
		want                string
	}{
		// At 20 of 40 the weight is 0.8/2: 2·2⁻²⁰ ≤ 0.4·0.005/3. At 10, 0.8/4:
		// 2·2⁻¹⁰ = 0.00195 > 0.2·0.005/3 = 0.00033.
		{40, 3, 0.005, "[20 40]"},
		{200, 3, 0.005, "[25 50 100 200]"}, // at 12: 2·2⁻¹² = 0.00049 > 0.8·0.06·0.005/3 = 0.00008
		{200, 3, 0.4, "[12 25 50 100 200]"},
		{10, 3, 0.005, "[10]"},
		{1, 1, 0.05, "[1]"},
		{0, 0, 0.05, "[1]"},
	} {
		if got := fmt.Sprint(Looks(c.planned, c.hypotheses, c.alpha)); got != c.want {
			t.Errorf("Looks(%d, %d, %v) = %s, want %s", c.planned, c.hypotheses, c.alpha, got, c.want)
		}
	}
}

func TestFewestRounds(t *testing.T) {
	// 2·2⁻⁹ = 0.0039 ≤ 0.004, 2·2⁻¹¹ ≤ 0.00133, 2·2⁻¹⁴ ≤ 0.000133.
	for hypotheses, want := range map[int]int{1: 9, 3: 11, 30: 14} {
		if got := FewestRounds(hypotheses, 0.005); got != want {
			t.Errorf("%d rows need %d rounds, want %d", hypotheses, got, want)
		}
	}
	if got := fewest(0); got < 1000 {
		t.Errorf("no error at all needs %d rounds", got)
	}
}

// Whatever happens, a run spends its share of alpha and no more.
func TestWeights(t *testing.T) {
	o := Options{Looks: []int{10, 20, 40}}
	for _, c := range []struct {
		own   int
		ended bool
		run   int
		want  string // rounds and weights of the looks
	}{
		{5, false, 1, "[]"},
		{10, false, 1, "[{10 0.2}]"},
		{25, false, 1, "[{10 0.2} {20 0.2}]"},
		{40, false, 1, "[{10 0.2} {20 0.2} {40 0.4}]"},
		{40, true, 1, "[{10 0.2} {20 0.2} {40 0.4}]"},
		{5, true, 1, "[{5 0.8}]"},
		{25, true, 1, "[{10 0.2} {20 0.2} {25 0.4}]"},
		{20, true, 1, "[{10 0.2} {20 0.2} {20 0.6}]"}, // the second look once more: together 0.2 + 0.6
		{40, true, 2, "[{10 0.04} {20 0.04} {40 0.08}]"},
		{0, true, 1, "[]"},
	} {
		s := Series{Rounds: make([]Round, 7+c.own), Earlier: 7, Run: c.run, Ended: c.ended}
		looks := o.looks(&s)
		for i := range looks {
			looks[i].rounds -= 7
			looks[i].weight = math.Round(looks[i].weight*1e9) / 1e9
		}
		if got := fmt.Sprint(looks); got != c.want {
			t.Errorf("%d rounds, ended %v, run %d: %s, want %s", c.own, c.ended, c.run, got, c.want)
		}
	}
	// Without a plan there is one look, at the end.
	s := Series{Rounds: make([]Round, 9), Run: 1, Ended: true}
	if got := fmt.Sprint((&Options{}).looks(&s)); got != "[{9 0.8}]" {
		t.Errorf("no plan: %s", got)
	}
}
