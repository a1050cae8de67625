package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
// Statistics in Medicine 17 (1998), 857–872, table I, methods 3 and 5, at 95 %.
func TestShareAgainstNewcombe(t *testing.T) {
	for _, c := range []struct {
		k, n                               int
		wilsonLow, wilsonHigh, cpLow, cpHi float64
	}{
		{81, 263, 0.2553, 0.3662, 0.2527, 0.3676},
		{15, 148, 0.0624, 0.1605, 0.0578, 0.1617},
		{0, 20, 0, 0.1611, 0, 0.1684},
		{1, 29, 0.0061, 0.1718, 0.0009, 0.1776},
	} {
		w, cp := Wilson(c.k, c.n, 0.95), ClopperPearson(c.k, c.n, 0.95)
		near(t, "Wilson low", w.Low, c.wilsonLow, 5.1e-5)
		near(t, "Wilson high", w.High, c.wilsonHigh, 5.1e-5)
		near(t, "Clopper-Pearson low", cp.Low, c.cpLow, 5.1e-5)
		near(t, "Clopper-Pearson high", cp.High, c.cpHi, 5.1e-5)
		near(t, "center", cp.Center, float64(c.k)/float64(c.n), 1e-15)
	}
}

func TestShareClosedForms(t *testing.T) {
	// None of n: high solves (1−p)ⁿ = 0.025; all of n mirrors it.
	for _, n := range []int{1, 10, 300} {
		want := 1 - math.Pow(0.025, 1/float64(n))
		none, all := ClopperPearson(0, n, 0.95), ClopperPearson(n, n, 0.95)
		near(t, "high of none", none.High, want, 1e-12)
		near(t, "low of all", all.Low, 1-want, 1e-12)
		if none.Low != 0 || all.High != 1 {
			t.Errorf("bounds at the edges: %+v %+v", none, all)
		}
		// One-sided: 1 − 0.05^(1/n); about 3/n, the "rule of three".
		near(t, "upper bound of none", ShareUpper(0, n, 0.95), 1-math.Pow(0.05, 1/float64(n)), 1e-12)
		for k := range min(n, 20) + 1 {
			a, b := Wilson(k, n, 0.9), Wilson(n-k, n, 0.9)
			near(t, "Wilson mirrored", a.Low, 1-b.High, 1e-12)
			c, d := ClopperPearson(k, n, 0.9), ClopperPearson(n-k, n, 0.9)
			near(t, "Clopper-Pearson mirrored", c.Low, 1-d.High, 1e-9)
			if c.Low > a.Center || c.High < a.Center {
				t.Errorf("%d of %d: %+v does not hold the share seen", k, n, c)
			}
		}
	}
	if ShareUpper(5, 5, 0.95) != 1 {
		t.Error("all of 5 leaves nothing above 1")
	}
	for _, got := range []float64{ClopperPearson(1, 0, 0.95).Low, ClopperPearson(2, 1, 0.95).High, Wilson(-1, 5, 0.95).Low, Wilson(1, 5, 1).High, ShareUpper(1, 5, 0)} {
		if !math.IsNaN(got) {
			t.Errorf("got %v, want NaN", got)
		}
	}
}

// The exact coverage of an interval for a share is a finite sum over what may
// be seen. Clopper and Pearson's never falls below the confidence.
func TestShareCoverage(t *testing.T) {
	const n, confidence = 60, 0.95
	rng := rand.New(rand.NewPCG(7, 8))
	worst, mean, wilson := 1.0, 0.0, 0.0
	const shares = 300
	var cps, wilsons [n + 1]Interval
	for k := range n + 1 {
		cps[k], wilsons[k] = ClopperPearson(k, n, confidence), Wilson(k, n, confidence)
	}
	for range shares {
		p := rng.Float64()
		held, w := 0.0, 0.0
		for k := range n + 1 {
			if iv := cps[k]; iv.Low <= p && p <= iv.High {
				held += BinomialPMF(k, n, p)
			}
			if iv := wilsons[k]; iv.Low <= p && p <= iv.High {
				w += BinomialPMF(k, n, p)
			}
		}
		worst, mean, wilson = min(worst, held), mean+held/shares, wilson+w/shares
	}
	if worst < confidence-1e-9 || mean > 0.99 {
		t.Errorf("Clopper-Pearson covers %v at worst, %v on average", worst, mean)
	}
	near(t, "Wilson's mean coverage", wilson, confidence, 0.01)
}

// S. Holm's procedure on a worked example: p = 0.01, 0.04, 0.03, 0.005 sorted
// is 0.005·4, 0.01·3, 0.03·2, 0.04·1 → running maximum 0.02, 0.03, 0.06, 0.06.
func TestHolm(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005}
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "Holm", Holm(p)[i], want, 1e-15)
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("Holm above 1: %v", got)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("Holm(nil) = %v", got)
	}
}

// Twenty true hypotheses at a time: Holm rejects one of them in at most alpha
// of the families.
func TestHolmFamilyError(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const families, alpha = 5000, 0.05
	wrong := 0
	for range families {
		p := make([]float64, 20)
		for i := range p {
			p[i] = rng.Float64()
		}
		for _, adjusted := range Holm(p) {
			if adjusted <= alpha {
				wrong++
				break
			}
		}
	}
	if rate := float64(wrong) / families; rate > alpha+4*math.Sqrt(alpha*(1-alpha)/families) {
		t.Errorf("a true hypothesis was rejected in %v of the families", rate)
	}
}
