package capacity

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"whet/internal/stat"
)

// evenly gives every level the same weight, as ordinary least squares does.
func evenly(n, x []float64) []Observation {
	out := make([]Observation, len(n))
	for i := range n {
		out[i] = Observation{n[i], x[i], 1}
	}
	return out
}

// near reports whether got is want to as many digits as want was printed with.
func close(got, want, half float64) bool { return math.Abs(got-want) <= half }

// SPEC SDM91 on a SPARCcenter 2000 with 16 processors, of October 1994: scripts
// per hour of 1 to 216 users, from Gunther's Guerrilla Capacity Planning. The
// figures to reach are those that the R package usl 3.0 prints for them (its
// README and tests/summary.Rout.save): coefficients to six digits, the standard
// deviation 82.85 of the residuals on 4 degrees of freedom, the residuals, and
// the peak at 96.52 users.
var (
	sdmUsers   = []float64{1, 18, 36, 72, 108, 144, 216}
	sdmScripts = []float64{64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2}
)

func TestPublishedSDM91(t *testing.T) {
	f, err := FitLaw(evenly(sdmUsers, sdmScripts), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if !close(f.Lambda, 89.9952330, 5e-5) || !close(f.Sigma, 0.0277285, 5e-8) || !close(f.Kappa, 0.0001044, 5e-8) {
		t.Errorf("λ %.7f σ %.7f κ %.7f", f.Lambda, f.Sigma, f.Kappa)
	}
	if !close(f.Residual, 82.85, 0.005) {
		t.Errorf("residual %v", f.Residual)
	}
	for i, want := range []float64{-25.10, -81.66, 111.09, 3.05, -49.99, -46.60, 56.00} {
		if got := sdmScripts[i] - f.At(sdmUsers[i]); !close(got, want, 0.005) {
			t.Errorf("residual at %v: %.3f, want %.2f", sdmUsers[i], got, want)
		}
	}
	if peak, ok := f.Law.Peak(); !ok || !close(peak, 96.51956, 0.005) || f.Peak.Center != peak {
		t.Errorf("peak %v", peak)
	}
	if x := f.At(96.52); !close(x, 1884, 0.5) || !close(f.Limit(), 3246, 0.5) {
		t.Errorf("at the peak %v, limit %v", x, f.Limit())
	}
	// The linear approximation's intervals, estimate ± t(0.975, 4)·standard error,
	// are of the printed errors. Those of the likelihood are no multiple of them
	// and lean to where the sum of squares rises less steeply, but hold the same
	// region: both bounds within a third of its width.
	for name, c := range map[string]struct {
		iv    stat.Interval
		error float64
	}{"λ": {f.LambdaInterval, 14.2134894}, "σ": {f.SigmaInterval, 0.0091217}, "κ": {f.KappaInterval, 0.0000199}} {
		half := stat.StudentQuantile(0.975, 4) * c.error
		if !(c.iv.Low < c.iv.Center && c.iv.Center < c.iv.High) ||
			!close(c.iv.Low, c.iv.Center-half, half*2/3) || !close(c.iv.High, c.iv.Center+half, half*2/3) {
			t.Errorf("%s %v, linear ±%v", name, c.iv, half)
		}
	}
	if !(f.Peak.Low > 72 && f.Peak.Low < f.Peak.Center && f.Peak.High > f.Peak.Center && f.Peak.High < 216) {
		t.Errorf("interval of the peak %v", f.Peak)
	}
}

// Gunther's ray tracer: pictures of 1 to 64 processors. Of its first six levels
// usl prints 0.02444, 0.00163 and 20.85605 with linear intervals
// (tests/confint.Rout.save); of all eleven no coherency at all.
var (
	rayProcessors = []float64{1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64}
	rayPictures   = []float64{20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310}
)

func TestPublishedRayTracer(t *testing.T) {
	f, err := FitLaw(evenly(rayProcessors[:6], rayPictures[:6]), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if !close(f.Sigma, 0.02444, 5e-6) || !close(f.Kappa, 0.00163, 5e-6) || !close(f.Lambda, 20.85605, 5e-6) {
		t.Errorf("λ %v σ %v κ %v", f.Lambda, f.Sigma, f.Kappa)
	}
	for name, c := range map[string]struct {
		iv        stat.Interval
		low, high float64
	}{"λ": {f.LambdaInterval, 19.26717, 22.44492}, "σ": {f.SigmaInterval, 0.00754, 0.04135}, "κ": {f.KappaInterval, 0.00110, 0.00215}} {
		// usl multiplies the standard errors by the one-sided quantile of n − 1 = 5
		// degrees of freedom; two-sided of n − 3 is the honest one.
		half := (c.high - c.low) / 2 / stat.StudentQuantile(0.95, 5) * stat.StudentQuantile(0.975, 3)
		if !close(c.iv.Low, max(c.iv.Center-half, 0), half/5) || !close(c.iv.High, c.iv.Center+half, half/5) {
			t.Errorf("%s %v, linear ±%v", name, c.iv, half)
		}
	}
	f, err = FitLaw(evenly(rayProcessors, rayPictures), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := f.Law.Peak(); ok || f.Kappa != 0 || !close(f.Sigma, 0.057771, 5e-6) || !close(f.Lambda, 21.848843, 5e-5) {
		t.Errorf("λ %v σ %v κ %v", f.Lambda, f.Sigma, f.Kappa)
	}
	if !math.IsNaN(f.Peak.Center) || !math.IsInf(f.Peak.High, 1) || f.KappaInterval.Low != 0 || f.Peak.Low < 64 {
		t.Errorf("peak %v, κ %v", f.Peak, f.KappaInterval)
	}
	if !warned(f, "approaches 378/s and does not fall") { // 21.848843/0.057771 = 378.2
		t.Errorf("%q", f.Warnings)
	}
}

func warned(f *Fit, text string) bool { return strings.Contains(strings.Join(f.Warnings, "\n"), text) }

// The law's own values give its coefficients back, of any size.
func TestFitExact(t *testing.T) {
	for _, law := range []Law{{1, 0.02, 0.02}, {1000, 0.05, 1e-4}, {3e5, 0, 1e-6}, {0.01, 0.3, 0}, {50, 0, 0}, {7, 0.9, 0.5}, {100, 1.5, 0}} {
		var levels []Observation
		for n := 1.0; n <= 256; n *= 2 {
			x := law.At(n)
			levels = append(levels, Observation{n, x, 1 / (x * x)})
		}
		f, err := FitLaw(levels, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			iv   stat.Interval
			want float64
		}{"λ": {f.LambdaInterval, law.Lambda}, "σ": {f.SigmaInterval, law.Sigma}, "κ": {f.KappaInterval, law.Kappa}} {
			slack := 1e-6*c.want + 1e-9
			if !close(c.iv.Center, c.want, slack) || !close(c.iv.Low, c.want, 10*slack) || !close(c.iv.High, c.want, 10*slack) {
				t.Errorf("%v: %s %v", law, name, c.iv)
			}
		}
		if want, ok := law.Peak(); ok && !close(f.Peak.Center, want, 1e-5*want) {
			t.Errorf("%v: peak %v, want %v", law, f.Peak, want)
		}
		if f.R2 < 1-1e-9 && f.Sigma > 0 || f.Residual > 1e-6 {
			t.Errorf("%v: R² %v, residual %v", law, f.R2, f.Residual)
		}
	}
}

// Two clients of the law written out: X(2) = 2λ/(1+σ+2κ).
func TestLaw(t *testing.T) {
	l := Law{Lambda: 10, Sigma: 0.5, Kappa: 0.25}
	if l.At(1) != 10 || l.At(2) != 10 || l.Limit() != 20 {
		t.Errorf("%v %v %v", l.At(1), l.At(2), l.Limit())
	}
	if peak, ok := l.Peak(); !ok || peak != math.Sqrt2 {
		t.Errorf("peak %v", peak)
	}
	if _, ok := (Law{1, 1.2, 0.1}).Peak(); ok {
		t.Error("a peak where throughput falls from the start")
	}
	// The peak is one.
	l = Law{100, 0.03, 0.0004}
	peak, _ := l.Peak()
	if !(l.At(peak) > l.At(peak*0.99) && l.At(peak) > l.At(peak*1.01)) {
		t.Errorf("%v is no peak", peak)
	}
}

// Of 200 services with known coefficients, measured with a noise of 2.5 %, the
// intervals hold the true ones in about 95 of 100: with 200 trials between 91 and
// 98.5 of 100 (three standard deviations of a binomial).
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many searches")
	}
	law := Law{Lambda: 120, Sigma: 0.04, Kappa: 0.0006} // N* = 40
	held := map[string]int{}
	const trials = 200
	for seed := range uint64(trials) {
		r := rand.New(rand.NewPCG(seed, 7))
		var levels []Observation
		for _, n := range []float64{1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128} {
			x := law.At(n) * (1 + 0.025*r.NormFloat64())
			levels = append(levels, Observation{n, x, 1 / (x * x)})
		}
		f, err := FitLaw(levels, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		peak, _ := law.Peak()
		for name, c := range map[string]struct {
			iv   stat.Interval
			true float64
		}{"λ": {f.LambdaInterval, law.Lambda}, "σ": {f.SigmaInterval, law.Sigma}, "κ": {f.KappaInterval, law.Kappa}, "N*": {f.Peak, peak}} {
			if c.iv.Low <= c.true && c.true <= c.iv.High {
				held[name]++
			}
		}
		if f.Misfit(0.025) && seed < 20 {
			t.Errorf("seed %d: the law itself misfits: residual %v", seed, f.Residual)
		}
	}
	for _, name := range []string{"λ", "σ", "κ", "N*"} {
		if held[name] < trials*91/100 || held[name] > trials*197/200 {
			t.Errorf("the intervals of %s hold it in %d of %d", name, held[name], trials)
		}
	}
	t.Log(held)
}

// What the fit leaves, by its definitions: with weights w the residual is the root of
// Σw(x−X)²/(n−3), R² is 1 − Σw(x−X)²/Σw(x−m)² about the weighted mean m, and the
// deviation the root of the mean of (x/X−1)².
func TestResiduals(t *testing.T) {
	law := Law{100, 0.05, 1e-3}
	var levels []Observation
	for i, n := range []float64{1, 2, 4, 8, 16, 32, 64} {
		x := law.At(n) * (1 + 0.05*float64(i%3-1))
		levels = append(levels, Observation{n, x, float64(i+1) / (x * x)})
	}
	f, err := FitLaw(levels, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	var weights, mean, left, about, share float64
	for _, l := range levels {
		weights, mean = weights+l.Weight, mean+l.Weight*l.X
	}
	mean /= weights
	for _, l := range levels {
		left += l.Weight * math.Pow(l.X-f.At(l.N), 2)
		about += l.Weight * math.Pow(l.X-mean, 2)
		share += math.Pow(l.X/f.At(l.N)-1, 2) / float64(len(levels))
	}
	if !close(f.Residual, math.Sqrt(left/4), 1e-9) || !close(f.R2, 1-left/about, 1e-9) || !close(f.Deviation, math.Sqrt(share), 1e-9) {
		t.Errorf("residual %v, R² %v, deviation %v; want %v, %v, %v", f.Residual, f.R2, f.Deviation, math.Sqrt(left/4), 1-left/about, math.Sqrt(share))
	}
	if f.Deviation < 0.02 || f.Deviation > 0.05 || f.R2 < 0.5 {
		t.Errorf("R² %v, deviation %v", f.R2, f.Deviation)
	}
}

// A pool of 16 workers rises straight and stops: no smooth curve follows it, and
// that is reported.
func TestMisfit(t *testing.T) {
	var levels []Observation
	for _, n := range []float64{1, 2, 4, 8, 12, 16, 24, 32, 64} {
		x := 100 * min(n, 16)
		levels = append(levels, Observation{n, x, 1 / (x * x)})
	}
	f, err := FitLaw(levels, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Misfit(0.01) || f.Misfit(0.5) || f.Misfit(0) {
		t.Errorf("residual %v", f.Residual)
	}
}

// The law is in doubt where it is off by more than noise explains and by more than
// 3 %. Of nine levels, six degrees of freedom: χ²/6 is (residual/noise)², and 22.46/6 =
// 3.74 is what chance exceeds once in a thousand times, by the table. A residual of 4 %
// with a noise of 1 % is 16, of 1.9 % with 1 % 3.61.
func TestMisfitMatters(t *testing.T) {
	for _, c := range []struct {
		residual, noise, deviation float64
		want                       bool
	}{
		{0.04, 0.01, 0.031, true}, {0.04, 0.01, 0.03, false}, {0.04, 0.01, 0.001, false},
		{0.019, 0.01, 0.031, false}, {0.02, 0.01, 0.031, true}, {0.004, 0.001, 0.0033, false},
	} {
		f := &Fit{Levels: 9, Residual: c.residual, Deviation: c.deviation}
		if got := f.Misfit(c.noise); got != c.want {
			t.Errorf("%+v: doubted %v", c, got)
		}
	}
}

func TestFitWarns(t *testing.T) {
	at := func(law Law, n ...float64) []Observation {
		out := make([]Observation, len(n))
		for i := range n {
			x := law.At(n[i])
			out[i] = Observation{n[i], x, 1 / (x * x)}
		}
		return out
	}
	for _, c := range []struct {
		levels []Observation
		want   []string
	}{
		{at(Law{10, 0.05, 1e-3}, 1, 8, 32, 64), []string{"4 levels for the three coefficients"}},
		{at(Law{10, 0.001, 1e-5}, 1, 2, 4, 6, 8, 12), []string{"an extrapolation: the largest level measured is 12", "all levels are below saturation: with 12 clients"}},
		{at(Law{10, 0.05, 1e-3}, 1, 2, 4, 8, 12, 16, 24), []string{"peak at 30.8 clients is an extrapolation: the largest level measured is 24"}},
		{at(Law{10, 0, 0}, 1, 2, 4, 6, 8, 12), []string{"no peak and no limit"}},
		{at(Law{10, 1.5, 0}, 1, 2, 4, 6, 8, 12), []string{"falls with every client after the first"}},
		{at(Law{10, 0.05, 1e-3}, 1, 2, 4, 8, 16, 32, 64, 128), nil},
	} {
		f, err := FitLaw(c.levels, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Warnings) != len(c.want) {
			t.Errorf("%q, want %q", f.Warnings, c.want)
		}
		for _, want := range c.want {
			if !warned(f, want) {
				t.Errorf("%q, want %q", f.Warnings, want)
			}
		}
	}
}

func TestFitRefuses(t *testing.T) {
	good := evenly(sdmUsers, sdmScripts)
	for want, levels := range map[string][]Observation{
		"3 levels of different concurrency": good[:3],
		"2 levels":                          {good[0], good[1], good[0], good[1], good[0]},
		"want positive values":              {good[0], good[1], good[2], good[3], {0, 1, 1}},
		"throughput 0":                      {good[0], good[1], good[2], good[3], {300, 0, 1}},
		"throughput +Inf":                   {good[0], good[1], good[2], good[3], {300, math.Inf(1), 1}},
		"weight NaN":                        {good[0], good[1], good[2], good[3], {300, 1, math.NaN()}},
	} {
		if _, err := FitLaw(levels, 0.95); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := FitLaw(good, 1); err == nil {
		t.Error("a confidence of 1")
	}
}
