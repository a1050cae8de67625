package stat

import (
	"math"
	"testing"
)

// The two-sided table of Student's t, as printed in any textbook (Abramowitz and
// Stegun, table 26.10), to its three decimals.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct {
		p    float64
		f    int
		want float64
	}{
		{0.975, 1, 12.706}, {0.975, 2, 4.303}, {0.975, 3, 3.182}, {0.975, 4, 2.776}, {0.975, 5, 2.571},
		{0.975, 10, 2.228}, {0.975, 20, 2.086}, {0.975, 30, 2.042}, {0.975, 120, 1.980},
		{0.95, 1, 6.314}, {0.95, 7, 1.895}, {0.995, 9, 3.250}, {0.995, 2, 9.925}, {0.75, 8, 0.706},
	} {
		if got := StudentQuantile(c.p, c.f); math.Abs(got-c.want) > 0.0005 {
			t.Errorf("t(%v, %d) = %.4f, want %.3f", c.p, c.f, got, c.want)
		}
		if got := StudentQuantile(1-c.p, c.f); math.Abs(got+c.want) > 0.0005 {
			t.Errorf("t(%v, %d) = %.4f, want -%.3f", 1-c.p, c.f, got, c.want)
		}
	}
	// Many degrees of freedom are the normal distribution.
	if got := StudentQuantile(0.975, 100_000); math.Abs(got-1.95998) > 0.0001 {
		t.Errorf("%v", got)
	}
	for _, bad := range []float64{StudentQuantile(0, 3), StudentQuantile(1, 3), StudentQuantile(0.5, 0), StudentCDF(1, 0)} {
		if !math.IsNaN(bad) {
			t.Errorf("%v of a distribution that is none", bad)
		}
	}
}

// For one and two degrees of freedom the distribution is elementary:
// 1/2 + atan(t)/π and 1/2 + t/(2√(2+t²)).
func TestStudentCDF(t *testing.T) {
	for _, x := range []float64{-50, -1, 0, 0.3, 2, 1000} {
		for f, want := range map[int]float64{1: 0.5 + math.Atan(x)/math.Pi, 2: 0.5 + x/(2*math.Sqrt(2+x*x))} {
			if got := StudentCDF(x, f); math.Abs(got-want) > 1e-14 {
				t.Errorf("P(t ≤ %v), %d degrees: %v, want %v", x, f, got, want)
			}
		}
	}
}
