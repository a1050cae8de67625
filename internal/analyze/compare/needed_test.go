package compare

import (
	"math"
	"strings"
	"testing"

	"whet/internal/stat"
)

// The formula of needed, evaluated by hand.
func TestNeeded(t *testing.T) {
	// 16 rounds around a ratio of 1.004; q(0.9) = 1.2816, q(0.8) = 0.8416.
	s := timed(around(100.4, 0.06, 16), around(100, 0, 16))
	s.RoundNs = 5e8
	o := Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 4, Looks: []int{8, 16}}
	r := one(t, s, o, NsPerOp)
	if r.Verdict != CannotTell || r.Needed == nil {
		t.Fatalf("row = %+v", r)
	}
	// The level of a second run's last look: 0.05·0.16·0.5/4 = 1e-3 for each of two tests, q(1−1e-3) = 3.0902.
	d := make([]float64, 16)
	for i := range d {
		d[i] = math.Log(s.Rounds[i].Old[NsPerOp]) - math.Log(100)
	}
	iv := stat.NewDifferences(d, stat.NewSignedRanks(16)).Interval(0.8)
	sd := (iv.High - iv.Low) / 2 / 1.2816
	x := (3.0902 + 0.8416) * sd / (math.Log(1.02) - math.Abs(iv.Center))
	if want := 16 * x * x; math.Abs(float64(r.Needed.Rounds)-want) > 2 || r.Needed.Ns != int64(r.Needed.Rounds)*5e8 {
		t.Errorf("needed %+v, want about %.1f rounds", *r.Needed, want)
	}
	// Nothing is promised to noise far above the margin, or of nearly no rounds.
	for name, s := range map[string]Series{
		"noise": timed(around(100, 0.9, 16), around(100, 0, 16)),
		"few":   timed(around(110, 0.01, 5), around(100, 0, 5)),
	} {
		if r := one(t, s, o, NsPerOp); r.Verdict != CannotTell || r.Needed != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// What is plain needs the rounds without which nothing can be said: at 0.005·0.16·0.5/4 = 1e-4
	// 2·2⁻¹⁵ = 0.000061.
	if r := one(t, timed(around(200, 0.01, 7), around(100, 0, 7)), o, NsPerOp); r.Needed == nil || r.Needed.Rounds != 15 || !strings.Contains(r.Reason, "7 rounds, and ") {
		t.Errorf("plain, of seven rounds: %+v", r)
	}
}

// TestPerhaps: seven rounds, all of one sign, have p = 2·2⁻⁷ = 0.016: no verdict at
// 0.005, and a hint.
func TestPerhaps(t *testing.T) {
	o := Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 1, Looks: []int{7}}
	for name, test := range map[string]struct {
		old, new float64
		n        int
		want     Verdict
	}{
		"faster": {200, 100, 7, Faster},
		"slower": {100, 200, 7, Slower},
		"few":    {200, 100, 5, ""}, // 2·2⁻⁵ = 0.0625
		"plain":  {200, 100, 16, ""},
	} {
		o.Looks[0] = test.n
		r := one(t, timed(around(test.old, 0.01, test.n), around(test.new, 0, test.n)), o, NsPerOp)
		if r.Perhaps != test.want || (r.Verdict == CannotTell) != (test.n < 16) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	o.Looks[0] = 16
	if r := one(t, timed(around(100, 0.9, 16), around(100, 0, 16)), o, NsPerOp); r.Verdict != CannotTell || r.Perhaps != "" {
		t.Errorf("noise: %+v", r)
	}
}
