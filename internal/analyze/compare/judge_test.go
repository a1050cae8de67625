package compare

import (
	"math"
	"testing"
)

// defaults with one look at the end of whatever there is.
var defaults = Options{Alpha: 0.005, Margin: 0.02, Hypotheses: 3}

// timed returns a series of times, whose doubled side alternates and shows the same
// again.
func timed(old, new []float64) Series {
	s := Series{Package: "example.org/p", Name: "BenchmarkX", Iterations: 100, Metrics: []Metric{MetricOf(NsPerOp)}, Run: 1, Ended: true}
	for i := range old {
		r := Round{Turn: Turn{Old: Slice{NsPerOp: old[i]}, New: Slice{NsPerOp: new[i]}, AgainOf: Side(i % 2)}}
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
	s.Rounds[0] = Round{Turn: Turn{Old: Slice{NsPerOp: 128}, Again: Slice{NsPerOp: 32}, New: Slice{NsPerOp: 8}, AgainOf: Old}}
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
		want := []Verdict{Slower, Faster, Faster, Higher}[i]
		if r.Verdict != want || (r.Ratio > 1) != (want == Faster) || r.Better != []string{"lower", "higher", "higher", ""}[i] || r.Gates != (i == 0) || r.Old != 100 {
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

// Where nothing was looked at yet, nothing is reported, though the figures shout.
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

// Rounds of earlier runs that lack a metric are not counted as its own.
func TestEarlierRoundsOfAMetric(t *testing.T) {
	s := timed(around(200, 0.01, 20), around(100, 0.01, 20))
	s.Metrics = append(s.Metrics, MetricOf(CPUNsPerOp))
	s.Earlier, s.Run = 12, 2
	for i := 10; i < 20; i++ {
		for _, slice := range []Slice{s.Rounds[i].Old, s.Rounds[i].New, s.Rounds[i].Again} {
			slice[CPUNsPerOp] = slice[NsPerOp]
		}
	}
	for unit, want := range map[string][2]int{NsPerOp: {20, 12}, CPUNsPerOp: {10, 2}} {
		if r := one(t, s, defaults, unit); r.Rounds != want[0] || r.RoundsEarlier != want[1] {
			t.Errorf("%s: %d rounds, %d earlier, want %v", unit, r.Rounds, r.RoundsEarlier, want)
		}
	}
}

// The bounds of what can be said are what readers of a row look for.
func TestRatioOfBounds(t *testing.T) {
	if high, low := ratioOf(logRatio(1, 0)), ratioOf(logRatio(0, 1)); high != MaxRatio || low != 1/MaxRatio {
		t.Errorf("%v and %v", high, low)
	}
	if got := PrintInterval(ratioOf(logRatio(0, 1)), ratioOf(logRatio(1, 0))); got != "any" {
		t.Error(got)
	}
}
