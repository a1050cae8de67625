package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/stat"
)

// defaults with one look at the end of whatever there is.
var defaults = Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 3}

// timed is a series of times, whose doubled side alternates and shows the same
// again.
func timed(old, new []float64) Series {
	s := Series{Package: "example.org/p", Name: "BenchmarkX", Iterations: 100, Metrics: []Metric{MetricOf(NsPerOp)}, Run: 1, Ended: true}
	for i := range old {
		r := Round{Old: Slice{NsPerOp: old[i]}, New: Slice{NsPerOp: new[i]}, AgainOf: Which(i % 2)}
		r.Again = []Slice{r.Old, r.New}[i%2]
		s.Rounds = append(s.Rounds, r)
	}
	return s
}

// around makes n values around v that alternate by ± spread.
func around(v, spread float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v * (1 + spread*float64(i*7%5-2)/2)
	}
	return out
}

func one(t *testing.T, s Series, o Options, metric string) Row {
	t.Helper()
	for _, r := range Judge([]Series{s}, o) {
		if r.Metric == metric {
			return r
		}
	}
	t.Fatalf("no row for %s", metric)
	return Row{}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, new   float64
		spread     float64 // of new; old is steady
		rounds     int
		hypotheses int
		want       Verdict
		within     bool
	}{
		{"twice as fast", 200, 100, 0.01, 20, 3, Faster, false},
		{"twice as slow", 100, 200, 0.01, 20, 3, Slower, false},
		{"half a percent faster", 100.5, 100, 0.002, 20, 3, NoChange, true},
		{"half a percent slower", 100, 100.5, 0.002, 20, 3, NoChange, true},
		{"the same", 100, 100, 0.005, 20, 3, NoChange, true},
		{"the same, noisy", 100, 100, 0.10, 20, 3, CannotTell, false},
		// 2·2⁻¹¹ = 0.00098 ≤ 0.8·0.005/3 = 0.00133 < 2·2⁻¹⁰, and
		// 2·2⁻¹⁴ = 0.000122 ≤ 0.8·0.005/30 = 0.000133 < 2·2⁻¹³.
		{"fewest rounds for three rows", 200, 100, 0.01, 11, 3, Faster, false},
		{"one round fewer", 200, 100, 0.01, 10, 3, CannotTell, false},
		{"as many, of thirty rows", 200, 100, 0.01, 11, 30, CannotTell, false},
		{"fewest for thirty", 200, 100, 0.01, 14, 30, Faster, false},
		{"one fewer for thirty", 200, 100, 0.01, 13, 30, CannotTell, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := defaults
			o.Hypotheses = c.hypotheses
			r := one(t, timed(around(c.old, 0, c.rounds), around(c.new, c.spread, c.rounds)), o, NsPerOp)
			if r.Verdict != c.want || r.WithinMargin != c.within {
				t.Errorf("got %+v", r)
			}
			if (r.Verdict == CannotTell) != (r.Reason != "") {
				t.Errorf("verdict %q with reason %q", r.Verdict, r.Reason)
			}
		})
	}
}

// The figures of a row, from rounds that can be worked out by hand.
func TestRowFigures(t *testing.T) {
	// Eleven rounds, old takes 2¹ … 2¹¹ times as long, in disorder: the Walsh
	// averages of the differences 1 … 11 (in powers of two) lie around 6, and at
	// the level 0.8·0.005/3 only the first and the last are bounds.
	old := []float64{128, 8, 2048, 2, 64, 4, 512, 32, 1024, 16, 256}
	s := timed(old, around(1, 0, 11))
	r := one(t, s, defaults, NsPerOp)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("ratio", r.Ratio, 64)
	near("low", r.RatioLow, 2)
	near("high", r.RatioHigh, 2048)
	near("old", r.Old, 64)
	near("new", r.New, 1)
	near("p", r.PValue, 2.0/2048/0.8)
	near("p of Holm", r.PHolm, 3*2.0/2048/0.8)
	near("confidence", r.ConfidenceRatio, 1-0.8*0.005/3)
	near("coverage", r.Coverage, 1-2.0/2048)
	if r.Rounds != 11 || r.Iterations != 100 || r.AllocsOld != nil || r.Look != 1 || r.Looks != 1 || r.RoundsEarlier != 0 || !r.Gates {
		t.Errorf("row = %+v", r)
	}
	if r.NoiseRatio == nil || *r.NoiseRatio != 0 || r.NoiseRounds != 11 {
		t.Errorf("noise = %v of %d rounds", r.NoiseRatio, r.NoiseRounds)
	}
	// The doubled side counts as the mean of its logarithms: √(128·32) = 64.
	s.Rounds = s.Rounds[:1]
	s.Rounds[0] = Round{Old: Slice{NsPerOp: 128}, Again: Slice{NsPerOp: 32}, New: Slice{NsPerOp: 8}, AgainOf: Old}
	near("old twice", one(t, s, defaults, NsPerOp).Ratio, 8)
	s.Rounds[0].AgainOf = New // √(8·32) = 16
	near("new twice", one(t, s, defaults, NsPerOp).Ratio, 8)
	s.Rounds[0].Again = Slice{NsPerOp: 2} // √(8·2) = 4
	near("new twice", one(t, s, defaults, NsPerOp).Ratio, 32)
}

// Six rounds whose doubled side differs from itself by 2¹ … 2⁻¹: at 95 % the
// bounds are the first and the last Walsh average, as 2·2⁻⁶ ≤ 0.05 < 4·2⁻⁶.
func TestNoise(t *testing.T) {
	s := timed(around(8, 0, 6), around(4, 0, 6))
	for i, factor := range []float64{2, 1, 0.5, 1, 1, 1} {
		s.Rounds[i].Again = Slice{NsPerOp: factor * []float64{8, 4}[i%2]}
	}
	r := one(t, s, defaults, NsPerOp)
	if r.NoiseRatio == nil || math.Abs(*r.NoiseRatio-0.75) > 1e-9 || r.NoiseRounds != 6 { // (2 − 0.5)/2
		t.Errorf("noise = %v of %d rounds", r.NoiseRatio, r.NoiseRounds)
	}
	s.Rounds = s.Rounds[:5]
	if r := one(t, s, defaults, NsPerOp); r.NoiseRatio != nil {
		t.Errorf("noise of 5 rounds = %v: 6 are needed for 95 %%", *r.NoiseRatio)
	}
}

// Of rates more is better.
func TestRates(t *testing.T) {
	s := timed(around(100, 0, 20), around(200, 0.01, 20))
	for i := range s.Rounds {
		r := &s.Rounds[i]
		for _, slice := range []Slice{r.Old, r.New} {
			slice[MBPerSecond], slice["lines/s"], slice["hits"] = slice[NsPerOp], slice[NsPerOp], slice[NsPerOp]
		}
	}
	s.Metrics = []Metric{MetricOf(NsPerOp), MetricOf(MBPerSecond), MetricOf("lines/s"), MetricOf("hits")}
	for i, r := range Judge([]Series{s}, Options{Alpha: 0.005, Margin: 0.02}) {
		want := []Verdict{Slower, Faster, Faster, Slower}[i]
		if r.Verdict != want || (r.Ratio > 1) != (want == Faster) || r.Gates != (i == 0) || r.Old != 100 {
			t.Errorf("%+v", r)
		}
	}
}

func TestInvalidSeries(t *testing.T) {
	s := timed(around(200, 0, 20), around(100, 0, 20))
	s.Invalid = "GOMAXPROCS differs"
	if r := one(t, s, defaults, NsPerOp); r.Verdict != CannotTell || r.Reason != s.Invalid || math.Abs(r.Ratio-2) > 1e-9 || r.WithinMargin {
		t.Errorf("row = %+v", r)
	}
}

func TestMissingFigures(t *testing.T) {
	s := timed(around(2, 0, 12), around(1, 0, 12))
	s.Metrics = append(s.Metrics, MetricOf(AllocsPerOp))
	if rows := Judge([]Series{s}, defaults); len(rows) != 1 || rows[0].Metric != NsPerOp {
		t.Errorf("rows = %+v", rows)
	}
	if rows := Judge([]Series{{Name: "BenchmarkNever", Metrics: s.Metrics, Ended: true}}, defaults); len(rows) != 0 {
		t.Errorf("rows of no rounds = %+v", rows)
	}
	// A round without a figure is left out, not counted as zero.
	s.Rounds[3].New = Slice{NsPerOp: math.NaN()}
	s.Rounds[4].Again = Slice{}
	s.Rounds[5].Old = Slice{NsPerOp: -1}
	s.Rounds[6].Old = Slice{NsPerOp: math.Inf(1)}
	if r := one(t, s, defaults, NsPerOp); r.Rounds != 8 || math.Abs(r.Ratio-2) > 1e-9 {
		t.Errorf("%+v, want 8 rounds", r)
	}
}

func TestRatioBounds(t *testing.T) {
	for _, c := range []struct{ old, new, want float64 }{
		{0, 0, 1}, {5, 0, MaxRatio}, {0, 5, 1 / MaxRatio}, {1e300, 1e-300, MaxRatio}, {1e-300, 1e300, 1 / MaxRatio}, {6, 3, 2},
	} {
		if got := Ratio(c.old, c.new); got != c.want {
			t.Errorf("Ratio(%v, %v) = %v, want %v", c.old, c.new, got, c.want)
		}
		if got := ratioOf(logRatio(c.old, c.new)); math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("exp(logRatio(%v, %v)) = %v, want %v", c.old, c.new, got, c.want)
		}
	}
	// Times of zero (an empty loop) stay within the bounds too.
	r := one(t, timed(around(0, 0, 20), around(5, 0, 20)), defaults, NsPerOp)
	if r.Ratio < 1/MaxRatio || math.IsNaN(r.RatioLow) || r.Verdict != Slower {
		t.Errorf("row = %+v", r)
	}
	if got := ratioOf(1e-20); !(got > 1) {
		t.Errorf("a logarithm above 0 is shown as the ratio %v", got)
	}
}

// Where nothing was looked at yet, nothing is said, though the figures shout.
func TestBeforeTheFirstLook(t *testing.T) {
	s := timed(around(200, 0, 15), around(100, 0, 15))
	s.Ended = false
	o := defaults
	o.Looks = []int{20, 40}
	r := one(t, s, o, NsPerOp)
	if r.Verdict != CannotTell || r.Look != 0 || r.Looks != 2 || r.PValue != 1 || r.RatioLow != 1/MaxRatio || r.RatioHigh != MaxRatio || math.Abs(r.Ratio-2) > 1e-9 || r.Reason == "" || Decided([]Row{r}, r.Package, r.Name) {
		t.Errorf("row = %+v", r)
	}
	// Ended there, it has its look, with all the weight: 0.8.
	s.Ended = true
	if r := one(t, s, o, NsPerOp); r.Verdict != Faster || r.Look != 1 || math.Abs(r.PValue/(2*math.Exp2(-15)/0.8)-1) > 1e-9 {
		t.Errorf("row = %+v", r)
	}
}

// question is drawn by rapid: a few benchmarks with effects of all sizes.
func draw(rt *rapid.T) ([]Series, Options) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
	planned := rapid.IntRange(4, 40).Draw(rt, "planned")
	o := Options{Alpha: rapid.SampledFrom([]float64{0.005, 0.05, 0.4}).Draw(rt, "alpha"), Margin: rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(rt, "margin")}
	units := []string{NsPerOp, MBPerSecond, AllocsPerOp, BytesPerOp}[:rapid.IntRange(1, 4).Draw(rt, "metrics")]
	series := make([]Series, rapid.IntRange(1, 4).Draw(rt, "benchmarks"))
	for i := range series {
		s := Series{Name: fmt.Sprint("Benchmark", i), Run: rapid.IntRange(1, 2).Draw(rt, "run")}
		for _, u := range units {
			s.Metrics = append(s.Metrics, MetricOf(u))
		}
		if s.Run == 2 {
			s.Earlier = rapid.IntRange(0, 20).Draw(rt, "earlier")
		}
		effect := rapid.SampledFrom([]float64{0, 0, 0.003, 0.01, 0.03, 0.3}).Draw(rt, "effect") * float64(1-2*rng.IntN(2))
		noise := rapid.SampledFrom([]float64{0, 0.002, 0.02, 0.1}).Draw(rt, "noise")
		size := rapid.SampledFrom([]float64{1, 20, 1000}).Draw(rt, "size") // small ones are tied
		slice := func(w Which) Slice {
			out := Slice{}
			for _, u := range units {
				v := size * math.Exp(effect*float64(w)+noise*rng.NormFloat64())
				switch u {
				case NsPerOp:
					v = math.Round(10*v) / 10
				case AllocsPerOp, BytesPerOp:
					v = math.Floor(v)
				}
				out[u] = v
			}
			return out
		}
		for range s.Earlier + planned {
			r := Round{Old: slice(Old), New: slice(New), AgainOf: Which(rng.IntN(2))}
			r.Again = slice(r.AgainOf)
			s.Rounds = append(s.Rounds, r)
		}
		series[i] = s
	}
	o.Hypotheses = len(series) * len(units)
	o.Looks = Looks(planned, o.Hypotheses, o.Alpha)
	return series, o
}

// upTo are the first rounds of a series.
func upTo(series []Series, rounds int, ended bool) []Series {
	out := make([]Series, len(series))
	for i, s := range series {
		s.Rounds, s.Ended = s.Rounds[:s.Earlier+rounds], ended
		out[i] = s
	}
	return out
}

// Verdict and interval say the same, whatever else was found in the run.
func TestVerdictAndIntervalAgree(t *testing.T) {
	seen := make(map[string]int)
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		ended := rapid.Bool().Draw(rt, "ended")
		rounds := o.Looks[rapid.IntRange(0, len(o.Looks)-1).Draw(rt, "look")]
		if ended {
			rounds = rapid.IntRange(1, o.Looks[len(o.Looks)-1]).Draw(rt, "rounds")
		}
		for _, r := range Judge(upTo(series, rounds, ended), o) {
			if !(r.RatioLow <= r.Ratio && r.Ratio <= r.RatioHigh) || r.PHolm < r.PValue || r.PHolm > 1 || r.Look < 1 {
				rt.Fatalf("%+v", r)
			}
			if r.Exact {
				continue // the other count may settle it
			}
			seen[fmt.Sprint(r.Verdict, r.WithinMargin)]++
			excludes := r.RatioLow > 1 || r.RatioHigh < 1
			within := func(slack float64) bool { // but for rounding, at the margin itself
				return r.RatioLow >= (1-slack)/(1+o.Margin) && r.RatioHigh <= (1+o.Margin)*(1+slack)
			}
			ok := r.WithinMargin && within(1e-12) || !r.WithinMargin && !within(-1e-12)
			switch r.Verdict {
			case Faster:
				ok = ok && r.RatioLow > 1 && r.PHolm <= o.Alpha*(1+1e-12)
			case Slower:
				ok = ok && r.RatioHigh < 1 && r.PHolm <= o.Alpha*(1+1e-12)
			case NoChange:
				ok = ok && r.WithinMargin && (!excludes || r.PHolm <= o.Alpha*(1+1e-12))
			case CannotTell:
				ok = ok && !r.WithinMargin && !excludes && r.PHolm > o.Alpha*(1-1e-12)
			}
			if !ok {
				rt.Fatalf("alpha %v, margin %v: %+v", o.Alpha, o.Margin, r)
			}
		}
	})
	for _, what := range []string{"fastertrue", "fasterfalse", "slowerfalse", "no changetrue", "cannot tellfalse"} {
		if seen[what] == 0 && what != "fastertrue" {
			t.Errorf("never %s: %v", what, seen)
		}
	}
	t.Log(seen)
}

// What was said at a look is said at all later ones, and after an early end.
func TestVerdictsStay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		if rapid.Bool().Draw(rt, "changes") { // the second half is another effect
			for _, s := range series {
				for i := s.Earlier + o.Looks[0]; i < len(s.Rounds); i++ {
					for u := range s.Rounds[i].New {
						s.Rounds[i].New[u] *= 1.02
					}
				}
			}
		}
		var before []Row
		check := func(rows []Row) {
			for i, b := range before {
				if b.Verdict != CannotTell && rows[i].Verdict != b.Verdict {
					rt.Fatalf("%+v became %+v", b, rows[i])
				}
			}
			before = rows
		}
		for _, look := range o.Looks {
			check(Judge(upTo(series, look, false), o))
			if rapid.IntRange(0, 3).Draw(rt, "ends") == 0 {
				check(Judge(upTo(series, look, true), o))
				return
			}
		}
	})
}

// Old and new exchanged give reciprocal rows.
func TestExchange(t *testing.T) {
	turned := map[Verdict]Verdict{Faster: Slower, Slower: Faster, NoChange: NoChange, CannotTell: CannotTell}
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		series = upTo(series, o.Looks[len(o.Looks)-1], true)
		swapped := make([]Series, len(series))
		for i, s := range series {
			swapped[i] = s
			swapped[i].Rounds = nil
			for _, r := range s.Rounds {
				swapped[i].Rounds = append(swapped[i].Rounds, Round{Old: r.New, New: r.Old, Again: r.Again, AgainOf: 1 - r.AgainOf})
			}
		}
		a, b := Judge(series, o), Judge(swapped, o)
		same := func(x, y float64) bool { return math.Abs(x/y-1) < 1e-9 }
		for i := range a {
			x, y := a[i], b[i]
			if y.Verdict != turned[x.Verdict] || x.PValue != y.PValue || x.Look != y.Look || x.WithinMargin != y.WithinMargin ||
				!same(x.Ratio, 1/y.Ratio) || !same(x.RatioLow, 1/y.RatioHigh) || !same(x.RatioHigh, 1/y.RatioLow) {
				rt.Fatalf("%+v\nthe other way round %+v", x, y)
			}
		}
	})
}

// A thing compared with its own figures does not differ, whatever they are.
func TestIdenticalData(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		for _, s := range series {
			for i := range s.Rounds {
				s.Rounds[i].New, s.Rounds[i].Again = s.Rounds[i].Old, s.Rounds[i].Old
			}
		}
		for _, r := range Judge(upTo(series, o.Looks[len(o.Looks)-1], true), o) {
			if r.Verdict == Faster || r.Verdict == Slower || r.Ratio != 1 || r.PValue != 1 {
				rt.Fatalf("%+v", r)
			}
		}
	})
}

// Both families are Holm's: with rows that are plainly different, a p-value is
// held to alpha/(m−j+1) and not to alpha/m.
func TestHolmSteps(t *testing.T) {
	o := Options{Alpha: 0.05, Margin: 0.02}
	// 7 rounds one way: 2·2⁻⁷ = 0.0156 ≤ 0.8·0.05/2 < 2·2⁻⁶; alpha/3 would be 0.0133.
	middling := timed(around(103, 0.01, 7), around(100, 0, 7))
	plain := timed(around(200, 0.01, 20), around(100, 0, 20))
	plain.Name, middling.Name = "BenchmarkPlain", "BenchmarkMiddling"
	more := plain
	more.Name = "BenchmarkMore"
	open := timed(around(100, 0.3, 20), around(100, 0, 20))
	rows := Judge([]Series{middling, plain, open}, o)
	if rows[0].Verdict != Faster || math.Abs(rows[0].ConfidenceRatio-(1-0.8*0.05/2)) > 1e-12 || rows[1].Verdict != Faster {
		t.Errorf("beside one that is plain: %+v", rows)
	}
	if want := 1 - 0.8*0.05/3; math.Abs(rows[1].ConfidenceRatio-want) > 1e-12 {
		t.Errorf("the first step has %v, want %v", rows[1].ConfidenceRatio, want)
	}
	o.Hypotheses = 4
	if rows := Judge([]Series{middling, plain, open}, o); rows[0].Verdict != CannotTell {
		t.Errorf("with one row more that was planned: %+v", rows[0])
	}
	if rows := Judge([]Series{middling, plain, more, open}, o); rows[0].Verdict != Faster {
		t.Errorf("beside two that are plain: %+v", rows[0])
	}
}

// A verdict is what came first: faster at the first look stays it, though at the
// second the interval lies within the margin.
func TestFirstVerdictStays(t *testing.T) {
	o := Options{Alpha: 0.05, Margin: 0.02, Looks: []int{12, 80}}
	old := append(around(102.2, 0.01, 12), around(101, 0.002, 68)...)
	s := timed(old, around(100, 0, 80))
	first := one(t, upTo([]Series{s}, 12, false)[0], o, NsPerOp)
	last := one(t, s, o, NsPerOp)
	if first.Verdict != Faster || first.WithinMargin {
		t.Fatalf("first look: %+v", first)
	}
	if last.Verdict != Faster || !last.WithinMargin || last.Look != 2 {
		t.Errorf("last look: %+v", last)
	}
}

func TestDecided(t *testing.T) {
	time := func(v Verdict) Row { return Row{Name: "BenchmarkX", Metric: NsPerOp, Gates: true, Verdict: v, Look: 1} }
	cpu := Row{Name: "BenchmarkX", Metric: CPUNsPerOp, Verdict: CannotTell, Look: 1}
	rounded := Row{Name: "BenchmarkX", Metric: AllocsPerOp, Gates: true, Verdict: CannotTell, Look: 1, Exact: true, Coverage: 0.9999, ConfidenceRatio: 0.999}
	few := rounded
	few.Coverage = 0.99
	for _, c := range []struct {
		name string
		rows []Row
		want bool
	}{
		{"faster", []Row{time(Faster)}, true},
		{"open", []Row{time(CannotTell)}, false},
		{"what does not gate may be open", []Row{time(NoChange), cpu}, true},
		{"a rounding that no round takes away", []Row{time(Slower), rounded}, true},
		{"a count of too few rounds", []Row{time(Slower), few}, false},
		{"nothing that gates", []Row{cpu}, false},
		{"another benchmark", []Row{{Name: "BenchmarkY", Gates: true, Verdict: Faster}}, false},
	} {
		if got := Decided(c.rows, "", "BenchmarkX"); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

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
	// The level of a second run's last look: 0.005·0.16·0.5/4 = 1e-4, q(1−a/2) = 3.8906.
	d := make([]float64, 16)
	for i := range d {
		d[i] = math.Log(s.Rounds[i].Old[NsPerOp]) - math.Log(100)
	}
	iv := stat.NewDifferences(d, stat.NewSignedRanks(16)).Interval(0.8)
	sd := (iv.High - iv.Low) / 2 / 1.2816
	x := (3.8906 + 0.8416) * sd / (math.Log(1.02) - math.Abs(iv.Center))
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
	// What is plain needs the rounds without which nothing can be said: at 1e-4
	// 2·2⁻¹⁵ = 0.000061.
	if r := one(t, timed(around(200, 0.01, 7), around(100, 0, 7)), o, NsPerOp); r.Needed == nil || r.Needed.Rounds != 15 || !strings.Contains(r.Reason, "7 rounds, and ") {
		t.Errorf("plain, of seven rounds: %+v", r)
	}
}
