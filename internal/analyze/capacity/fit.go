package capacity

import (
	"errors"
	"fmt"
	"math"

	"whet/internal/quantity"
	"whet/internal/stat"
)

// Observation is the throughput of one level.
type Observation struct {
	N float64 // clients, at least 1 on the level with the fewest
	X float64 // throughput
	// Weight is the reciprocal of the variance of X, but for a factor that all
	// share.
	Weight float64
}

// Fit is the law that comes nearest to some levels.
type Fit struct {
	Law
	Levels int
	// Intervals for the coefficients and for N*. Where there is no peak Peak's
	// Center is NaN and its High +Inf; its Low is the least N* that the levels
	// allow all the same, +Inf where they allow none.
	LambdaInterval, SigmaInterval, KappaInterval, Peak stat.Interval
	// R2 is the share of the weighted sum of squares about the weighted mean that
	// the law accounts for.
	R2 float64
	// Residual is the standard deviation of the levels about the law, with n − 3
	// degrees of freedom, in units of 1/√Weight: with weights of 1/X² it is a
	// share of X.
	Residual float64
	// Deviation is the root of the mean square of the levels' deviations, each as a
	// share of the law.
	Deviation float64
	Warnings  []string
}

// fewest is the smallest number of levels that leaves something to judge three
// coefficients by, and enough the smallest that does so well.
const (
	fewest = 4
	enough = 6
)

// FitLaw fits the law. It needs four levels of different concurrency.
func FitLaw(levels []Observation, confidence float64) (*Fit, error) {
	p, err := newProblem(levels)
	if err != nil {
		return nil, err
	}
	if !(confidence > 0 && confidence < 1) {
		return nil, fmt.Errorf("fit the scalability law: confidence %v: want a value between 0 and 1", confidence)
	}
	c, sum := p.free().solve()
	if math.IsInf(sum, 1) || !(c[0] > 0) {
		return nil, errors.New("fit the scalability law: no coefficients fit these throughputs")
	}
	f := &Fit{Law: Law{Lambda: 1 / c[0], Sigma: c[1] / c[0], Kappa: c[2] / c[0]}, Levels: len(levels)}
	freedom := len(levels) - 3
	s2 := sum / float64(freedom)
	f.Residual = math.Sqrt(s2)
	f.R2 = 1 - sum/p.about()
	for _, l := range levels {
		d := l.X/f.At(l.N) - 1
		f.Deviation += d * d / float64(len(levels))
	}
	f.Deviation = math.Sqrt(f.Deviation)
	t := stat.StudentQuantile((1+confidence)/2, freedom)
	// Of a perfect fit, what is left is rounding.
	limit := sum + max(s2*t*t, 1e-18*p.about())
	in := func(profile func(float64) float64) func(float64) bool {
		return func(v float64) bool { return profile(v) <= limit }
	}
	f.LambdaInterval = interval(f.Lambda, math.Inf(1), in(p.lambda))
	f.SigmaInterval = interval(f.Sigma, math.Inf(1), in(p.sigma))
	f.KappaInterval = interval(f.Kappa, math.Inf(1), in(p.kappa))
	f.Peak = f.peakInterval(in(p.peak))
	for _, iv := range []*stat.Interval{&f.LambdaInterval, &f.SigmaInterval, &f.KappaInterval, &f.Peak} {
		iv.Coverage = confidence
	}
	f.warn(levels)
	return f, nil
}

// base are the levels of a problem without its unknowns.
type base struct{ n, x, w []float64 }

func newProblem(levels []Observation) (*base, error) {
	b := &base{}
	different := make(map[float64]bool)
	for _, l := range levels {
		if !(l.N >= 1) || !(l.X > 0) || !(l.Weight > 0) || math.IsInf(l.N, 1) || math.IsInf(l.X, 1) || math.IsInf(l.Weight, 1) {
			return nil, fmt.Errorf("fit the scalability law: level %v with throughput %v and weight %v: want positive values and at least one client", l.N, l.X, l.Weight)
		}
		different[l.N] = true
		b.n, b.x, b.w = append(b.n, l.N), append(b.x, l.X), append(b.w, l.Weight)
	}
	if len(different) < fewest {
		return nil, fmt.Errorf("fit the scalability law: %s of different concurrency: three coefficients need at least %d levels", quantity.Plural(len(different), "level"), fewest)
	}
	return b, nil
}

// about returns the weighted sum of squares about the weighted mean.
func (b *base) about() float64 {
	var sw, sx float64
	for i := range b.n {
		sw += b.w[i]
		sx += b.w[i] * b.x[i]
	}
	mean, total := sx/sw, 0.0
	for i := range b.n {
		total += b.w[i] * (b.x[i] - mean) * (b.x[i] - mean)
	}
	return total
}

// column returns a function of the concurrency at each level.
func (b *base) column(f func(n float64) float64) []float64 {
	out := make([]float64, len(b.n))
	for i, n := range b.n {
		out[i] = f(n)
	}
	return out
}

func alone(float64) float64       { return 1 }
func contend(n float64) float64   { return n - 1 }
func coherence(n float64) float64 { return n * (n - 1) }
func plus(f, g func(float64) float64, k float64) func(float64) float64 {
	return func(n float64) float64 { return f(n) + k*g(n) }
}

func (b *base) with(offset []float64, columns ...[]float64) *problem {
	return &problem{n: b.n, x: b.x, w: b.w, offset: offset, columns: columns}
}

// free returns the whole law: d = c₀ + c₁(N−1) + c₂N(N−1).
func (b *base) free() *problem {
	return b.with(nil, b.column(alone), b.column(contend), b.column(coherence))
}

// The profiles: the sum of squares that is left with one number held.

func (b *base) lambda(v float64) float64 {
	_, sum := b.with(b.column(func(float64) float64 { return 1 / v }), b.column(contend), b.column(coherence)).solve()
	return sum
}

func (b *base) sigma(v float64) float64 {
	_, sum := b.with(nil, b.column(plus(alone, contend, v)), b.column(coherence)).solve()
	return sum
}

func (b *base) kappa(v float64) float64 {
	_, sum := b.with(nil, b.column(plus(alone, coherence, v)), b.column(contend)).solve()
	return sum
}

// peak holds N*: κ = (1−σ)/N*², so that d = c₀ + c₁(N−1) + (c₀−c₁)/N*²·N(N−1).
// With u = c₀ − c₁ ≥ 0, which is σ ≤ 1, that is u·(1 + N(N−1)/N*²) + c₁·N.
func (b *base) peak(v float64) float64 {
	_, sum := b.with(nil, b.column(plus(alone, coherence, 1/(v*v))), b.column(func(n float64) float64 { return n })).solve()
	return sum
}

// interval returns the range around center where in holds, from 0 to most at the
// widest.
func interval(center, most float64, in func(float64) bool) stat.Interval {
	iv := stat.Interval{Center: center, Low: 0, High: most}
	if !in(0) {
		iv.Low = edge(center, 0, in)
	}
	// Steps away from the centre, each ten times as wide, until one is outside.
	step := max(center*1e-3, 1e-12)
	for range 40 {
		if v := center + step; !in(v) {
			iv.High = edge(center, v, in)
			break
		}
		step *= 10
	}
	return iv
}

// edge returns where in stops holding between inside and outside.
func edge(inside, outside float64, in func(float64) bool) float64 {
	for range 40 { // to 12 digits of the distance
		mid := inside + (outside-inside)/2
		if mid == inside || mid == outside {
			break
		}
		if in(mid) {
			inside = mid
		} else {
			outside = mid
		}
	}
	return inside
}

// peakInterval looks for N* on the scale 1/N*, on which no peak is 0.
func (f *Fit) peakInterval(in func(peak float64) bool) stat.Interval {
	inverse := func(q float64) bool { return in(1 / q) }
	center, ok := f.Law.Peak()
	switch {
	case ok:
		iv := interval(1/center, math.Inf(1), inverse)
		return stat.Interval{Center: center, Low: 1 / iv.High, High: 1 / iv.Low}
	case f.Kappa == 0 && f.Sigma <= 1:
		iv := interval(0, math.Inf(1), inverse)
		return stat.Interval{Center: math.NaN(), Low: 1 / iv.High, High: math.Inf(1)}
	}
	// Throughput falls from the first client on.
	return stat.Interval{Center: math.NaN(), Low: 0, High: 1}
}

// warn says what the levels are too few or too narrow for.
func (f *Fit) warn(levels []Observation) {
	most := 0.0
	for _, l := range levels {
		most = max(most, l.N)
	}
	say := func(format string, args ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...)) }
	if len(levels) < enough {
		say("%s for the three coefficients of the scalability law: almost any curve fits; measure %d or more", quantity.Plural(len(levels), "level"), enough)
	}
	peak, ok := f.Law.Peak()
	switch {
	case f.Sigma >= 1:
		say("throughput falls with every client after the first: the law's peak is at one client")
	case !ok && f.Sigma > 0:
		say("the law has no peak here (κ is 0): throughput approaches %s/s and does not fall", quantity.Count(f.Limit()))
	case !ok:
		say("the law has no peak and no limit here (σ and κ are 0): all levels are below saturation")
	case peak > most:
		say("the law's peak at %s clients is an extrapolation: the largest level measured is %s", quantity.Count(peak), quantity.Count(most))
	case math.IsInf(f.Peak.High, 1):
		say("the levels do not show throughput falling, so the law's peak has no upper bound")
	}
	if !(ok && peak <= most) && f.At(most) > f.Lambda*most/2 && f.Sigma+f.Kappa > 0 {
		say("all levels are below saturation: with %s clients, each still gets more than half the throughput of a single client, so σ and κ are extrapolations", quantity.Count(most))
	}
}

// matters is the deviation up to which a law serves all the same, however quiet the
// machine was: a noise of 0.3 % shows what no service has to be told of.
const matters = 0.03

// Misfit reports whether the law is in doubt: the levels deviate from it by more
// than matters, and by more than their own noise does. Noise is the standard
// deviation of one level as a share of its throughput, for weights of 1/X². The
// probability that chance deviates by as much is then below 0.1 %, by the normal
// distribution's approximation of χ²: E. B. Wilson and M. M. Hilferty, PNAS 17
// (1931), 684–688.
func (f *Fit) Misfit(noise float64) bool {
	freedom := float64(f.Levels - 3)
	if !(noise > 0) || f.Deviation <= matters {
		return false
	}
	ratio := f.Residual * f.Residual / (noise * noise) // χ²/freedom
	h := 2 / (9 * freedom)
	return (math.Cbrt(ratio)-(1-h))/math.Sqrt(h) > 3.09
}
