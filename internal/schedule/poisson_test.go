package schedule

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The tests of goodness of fit are of Kolmogorov and Smirnov: D is the greatest
// distance between the distribution function of the sample and the one it should
// have. Of n independent values √n·D exceeds 1.95 once in a thousand cases
// (Smirnov's table: 1.36 at 5 %, 1.63 at 1 %, 1.95 at 0.1 %). Against a discrete
// distribution it does so less often. Seeds are fixed, so what passes once passes
// always.
const ksLimit = 1.95

// distance is √n·D.
func distance(sample []float64, cdf func(float64) float64) float64 {
	slices.Sort(sample)
	n := float64(len(sample))
	var d float64
	for i := 0; i < len(sample); {
		x := sample[i]
		d = max(d, math.Abs(cdf(math.Nextafter(x, math.Inf(-1)))-float64(i)/n))
		for i < len(sample) && sample[i] == x {
			i++
		}
		d = max(d, math.Abs(cdf(x)-float64(i)/n))
	}
	return d * math.Sqrt(n)
}

// exponential returns the distribution function of unit gaps.
func exponential(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return 1 - math.Exp(-x)
}

// poisson returns the distribution function of counts whose mean is given.
func poisson(mean float64) func(float64) float64 {
	return func(x float64) float64 {
		var sum float64
		for k := 0.0; k <= math.Floor(x); k++ {
			l, _ := math.Lgamma(k + 1)
			sum += math.Exp(k*math.Log(mean) - mean - l)
		}
		return sum
	}
}

// fit says what is wrong with arrivals as those of a plan. times has all of them
// until end.
func fit(plan Schedule, times []time.Duration, end time.Duration) []string {
	var wrong []string
	// By time rescaling the gaps of Λ are exponential with mean 1 whatever the
	// plan, and each is independent of the one before.
	gaps := make([]float64, 0, len(times))
	var last float64
	for _, at := range times {
		x := plan.expected(at)
		gaps = append(gaps, x-last)
		last = x
	}
	var corr float64
	for i := 1; i < len(gaps); i++ {
		corr += (gaps[i] - 1) * (gaps[i-1] - 1)
	}
	// Products of two independent values of variance 1: their sum has variance n.
	if math.Abs(corr)/math.Sqrt(float64(len(gaps))) > 3.3 {
		wrong = append(wrong, "gaps that follow each other are correlated")
	}
	if distance(gaps, exponential) > ksLimit {
		wrong = append(wrong, "gaps are not exponential")
	}
	// Counts in stretches of equal Λ, 20 arrivals each, which for a constant rate
	// are stretches of equal time.
	const mean = 20
	counts := make([]float64, int(plan.expected(end)/mean))
	for _, at := range times {
		if i := int(plan.expected(at) / mean); i < len(counts) {
			counts[i]++
		}
	}
	if distance(counts, poisson(mean)) > ksLimit {
		wrong = append(wrong, "counts are not those of a Poisson process")
	}
	return wrong
}

// TestPoissonFits: arrivals at random are those of a Poisson process, for plans
// of each kind.
func TestPoissonFits(t *testing.T) {
	for name, plan := range map[string]Schedule{
		"constant": Constant(20), "fast": Constant(1e6), "up": Ramp(0, 100, 500*s), "down": Ramp(100, 0, 500*s),
		"steps": Steps([]Step{{10, 100 * s}, {0, 100 * s}, {100, 200 * s}}),
	} {
		for seed := range uint64(8) {
			times, end := take(plan.Poisson(seed), 20_000)
			if wrong := fit(plan, times, end); wrong != nil {
				t.Errorf("%s, seed %d: %v", name, seed, wrong)
			}
		}
	}
}

// take returns the first n arrivals.
func take(plan Schedule, n int) (times []time.Duration, end time.Duration) {
	a := plan.Arrivals(0, 1)
	for range n {
		at := a.Next()
		if at == math.MaxInt64 {
			return times, plan.Span()
		}
		times = append(times, at)
	}
	return times, times[len(times)-1]
}

// TestWrongGeneratorsAreRefused plants generators that are no Poisson process:
// each is refused, so the test above can fail.
func TestWrongGeneratorsAreRefused(t *testing.T) {
	for name, next := range map[string]func(r *rand.Rand) func() float64{
		"even":    func(*rand.Rand) func() float64 { return func() float64 { return 1 } },
		"uniform": func(r *rand.Rand) func() float64 { return func() float64 { return 2 * r.Float64() } },
		"5 % fast": func(r *rand.Rand) func() float64 {
			return func() float64 { return r.ExpFloat64() / 1.05 }
		},
		"Erlang of 2": func(r *rand.Rand) func() float64 {
			return func() float64 { return (r.ExpFloat64() + r.ExpFloat64()) / 2 }
		},
		"each gap twice": func(r *rand.Rand) func() float64 {
			var last float64
			var again bool
			return func() float64 {
				if again = !again; again {
					last = r.ExpFloat64()
				}
				return last
			}
		},
		"cut off at 4": func(r *rand.Rand) func() float64 {
			return func() float64 { return min(r.ExpFloat64(), 4) }
		},
		"waves": func(r *rand.Rand) func() float64 {
			var sum float64
			return func() float64 {
				g := r.ExpFloat64() / (1 + 0.3*math.Sin(sum/500))
				sum += g
				return g
			}
		},
	} {
		gap := next(rand.New(rand.NewPCG(1, 2)))
		var times []time.Duration
		var sum float64
		for range 20_000 {
			sum += gap()
			times = append(times, time.Duration(sum/20*float64(s)))
		}
		if wrong := fit(Constant(20), times, times[len(times)-1]); wrong == nil {
			t.Errorf("%s: taken for a Poisson process", name)
		}
	}
	// A right generator of another kind is not refused.
	r := rand.New(rand.NewPCG(3, 4))
	var times []time.Duration
	var sum float64
	for range 20_000 {
		sum += r.ExpFloat64()
		times = append(times, time.Duration(sum/20*float64(s)))
	}
	if wrong := fit(Constant(20), times, times[len(times)-1]); wrong != nil {
		t.Errorf("math/rand's exponential gaps: %v", wrong)
	}
}

// TestSeeds: equal seeds give equal arrivals, others give others that have
// nothing to do with them.
func TestSeeds(t *testing.T) {
	a, _ := take(Constant(1).Poisson(1), 1000)
	b, _ := take(Constant(1).Poisson(1), 1000)
	c, _ := take(Constant(1).Poisson(2), 1000)
	if !slices.Equal(a, b) {
		t.Error("equal seeds give other arrivals")
	}
	for i, at := range a {
		if slices.Contains(c, at) {
			t.Fatalf("arrival %d of one seed is one of another's", i)
		}
	}
	// Neighbours in the generator's own steps would be the same gaps, shifted.
	if gap(1+golden, 0) == gap(1, 1) {
		t.Error("a seed gives another one's gaps, shifted")
	}
	plan := Constant(1).Poisson(1)
	for n := range int64(20) {
		if plan.At(n) != a[n] || plan.Before(a[n]) != n || plan.Before(a[n]+1) != n+1 {
			t.Errorf("At and Before do not say what Arrivals says of arrival %d", n)
		}
	}
}

// TestSplitMix checks the generator against the first values of the published
// one, started at 1234567 (as on Rosetta Code and in Vigna's splitmix64.c).
func TestSplitMix(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		state += golden
		if got := Scramble(state); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// TestPoissonDoesNotDrift: far into a run gaps count as finely as at its begin.
func TestPoissonDoesNotDrift(t *testing.T) {
	const far = 1_000_000_000_000
	begin := Constant(1e6).Poisson(9).Arrivals(0, 1)
	late := begin
	late.whole = far
	origin := time.Duration(far / 1e6 * float64(s))
	for n := range 100_000 {
		if a, b := begin.Next(), late.Next(); (b - origin - a).Abs() > 1 {
			t.Fatalf("arrival %d is due at %d, and the same gaps after 10¹² arrivals have it %d after them", n, a, b-origin)
		}
	}
	if begin.part != late.part {
		t.Errorf("the fractions differ: %g and %g", begin.part, late.part)
	}
}
