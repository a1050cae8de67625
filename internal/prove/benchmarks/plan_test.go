package benchmarks

import (
	"slices"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
)

func ms(n float64) float64 { return n * 1e6 }

func TestIterations(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new float64
		want     int64
	}{
		{"equal: one slice", 1000, 1000, 100_000},
		// Faster side alone would want 50 ms = 50,000·… ; the slower may take three slices.
		{"nine times faster", 9000, 1000, 33_333},     // 3·100 ms / 9 µs
		{"twice as slow", 1000, 2000, 50_000},         // the faster fills its 50 ms
		{"three times", 3000, 1000, 50_000},           // 50 ms of the faster, 150 ms of the slower
		{"longer than a slice", ms(700), ms(800), 1},  //
		{"nothing at all", 0, 0, maxIterations},       // an empty loop
		{"a thousand times", 1e6, 1e3, 300},           // bounded by the slower side
		{"the other way round", 1e3, 1e6, 300},        //
		{"just below a slice", ms(60), ms(60), 1},     //
		{"a third of a slice", ms(33.3), ms(33.3), 3}, //
	} {
		if got := iterations(cost{ns: [2]float64{c.old, c.new}}, 100*time.Millisecond, 1); got != c.want {
			t.Errorf("%s: %d iterations, want %d", c.name, got, c.want)
		}
	}
}

func TestEarlierIterations(t *testing.T) {
	for earlier, want := range map[int64]int64{0: 100_000, 120_000: 120_000, 49_999: 100_000, 50_000: 50_000, 200_000: 200_000, 200_001: 100_000} {
		if got := iterations(cost{ns: [2]float64{1000, 1000}, earlier: earlier}, 100*time.Millisecond, 1); got != want {
			t.Errorf("%d iterations after %d, want %d", got, earlier, want)
		}
	}
}

func TestSliceLengths(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		ns       float64
		overhead time.Duration
		want     time.Duration
	}{
		{1000, 5 * ms, 20 * ms},
		{1000, 40 * ms, 60 * ms},  // half as long again as the start
		{10e6, 5 * ms, 50 * ms},   // five operations
		{1e9, 5 * ms, 300 * ms},   // or what there is time for
		{1e300, 5 * ms, 300 * ms}, // whatever it takes
		{0, time.Minute, 300 * ms},
	} {
		if got := (&cost{ns: [2]float64{c.ns / 2, c.ns}, overhead: c.overhead}).length(); got != c.want {
			t.Errorf("%v ns after %v: %v, want %v", c.ns, c.overhead, got, c.want)
		}
	}
}

// A budget for no plan at all gets the shortest slices, which are not in steps.
func TestStepsBeyondTheBudget(t *testing.T) {
	for budget, want := range map[time.Duration]int{time.Hour: stepsHeld, time.Millisecond: 0} {
		costs := []cost{{ns: [2]float64{1000, 1000}, overhead: 5 * time.Millisecond, steps: stepsHeld, eachStep: time.Millisecond}}
		c := choose([]rounds.Benchmark{{Name: "BenchmarkX", Metrics: []compare.Metric{compare.MetricOf(compare.NsPerOp)}}}, costs, rounds.Options{Budget: budget, Alpha: 0.005, Margin: 0.02})
		if costs[0].steps != want {
			t.Errorf("%v: %d steps, want %d", budget, costs[0].steps, want)
		}
		if n := c.iterations[0]; want == 0 && n != 20_000 || want > 0 && n != stepsHeld*2000 {
			t.Errorf("%v: %d iterations", budget, n)
		}
	}
}

// A process takes 15 ms before its operations, which take 1 µs and 100 ns: of n
// operations, 1.1 µs·(n − 2) have to outweigh 30 ms.
func TestTellsCPU(t *testing.T) {
	c := cost{cpuBase: [2]time.Duration{15 * time.Millisecond, 15 * time.Millisecond}, cpuNs: [2]float64{1000, 100}}
	for n, want := range map[int64]bool{1: false, 27_274: false, 27_275: true, 1e6: true} {
		if c.tellsCPU(n) != want {
			t.Errorf("%d operations: %v", n, !want)
		}
	}
	for name, c := range map[string]cost{
		"unknown":  {cpuNs: [2]float64{1, 1}},
		"negative": {cpuBase: [2]time.Duration{1, 1}, cpuNs: [2]float64{1e6, -1}},
	} {
		if c.tellsCPU(1e6) {
			t.Errorf("%s: it tells", name)
		}
	}
	if (&cost{cpuBase: [2]time.Duration{1, 1}, cpuNs: [2]float64{1e9, 1e9}}).tellsCPU(3) {
		t.Error("three iterations tell")
	}
}

func TestChoose(t *testing.T) {
	// A slice of 20 ms and 5 ms to start it: 75 ms a turn.
	quick := cost{ns: [2]float64{1000, 1000}, overhead: 5 * time.Millisecond}
	for _, c := range []struct {
		name   string
		costs  []cost
		o      rounds.Options
		rounds int
		turns  int
		slice  time.Duration
	}{
		// 4 s are 53 turns, 250 ms 3: of 2 benchmarks 450 ms, as many as MaxRounds in 90 s.
		// All of the budget is used: 13 turns, 1.95 s, are 153 rounds; 26 are 76.
		{"one layout", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: 5 * time.Minute}, 153, 13, 20 * time.Millisecond},
		// 6 turns of four benchmarks and a second for their link: 2.8 s.
		{"four benchmarks", slices.Repeat([]cost{quick}, 4), rounds.Options{Budget: 5 * time.Minute, Prepare: time.Second}, 107, 6, 20 * time.Millisecond},
		// 200 benchmarks: 15 s a round.
		{"one turn", slices.Repeat([]cost{quick}, 200), rounds.Options{Budget: 5 * time.Minute}, 20, 1, 20 * time.Millisecond},
		{"no time at all", []cost{quick}, rounds.Options{}, 1, 1, 20 * time.Millisecond},
		// Three slices of 60 ms and their starts: 300 ms; of 20 ms: 180 ms.
		{"shorter than a start", slices.Repeat([]cost{{ns: quick.ns, overhead: 40 * time.Millisecond}}, 100), rounds.Options{Budget: 4 * time.Minute}, 13, 1, 20 * time.Millisecond},
		{"asked for", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: 5 * time.Minute, Fixed: 17}, 17, 4, 20 * time.Millisecond},
		{"asked for fewer than a verdict needs", slices.Repeat([]cost{{ns: quick.ns, overhead: 40 * time.Millisecond}}, 2), rounds.Options{Budget: 5 * time.Minute, Fixed: 6}, 6, 1, 60 * time.Millisecond},
		// 100 rounds of 600 ms are 60 s, of 300 ms 30 s.
		{"asked for what fewer turns allow", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: 45 * time.Second, Fixed: 100}, 100, 2, 20 * time.Millisecond},
		{"asked for more than the budget pays for", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: time.Second, Fixed: 500}, 500, 1, 20 * time.Millisecond},
		{"one operation is a second", []cost{{ns: [2]float64{1e9, 1e9}, overhead: time.Second}}, rounds.Options{Budget: time.Minute}, 10, 1, 300 * time.Millisecond},
	} {
		c.o.Alpha = 0.005
		subjects := make([]rounds.Benchmark, len(c.costs))
		for i := range subjects {
			subjects[i].Metrics = []compare.Metric{compare.MetricOf(compare.NsPerOp)}
		}
		got := choose(subjects, c.costs, c.o)
		if got.plan.Rounds != c.rounds || got.plan.Turns != c.turns || got.slice != c.slice || len(got.iterations) != len(c.costs) {
			t.Errorf("%s: %d rounds of %d turns of %v, want %d of %d of %v", c.name, got.plan.Rounds, got.plan.Turns, got.slice, c.rounds, c.turns, c.slice)
		}
		for i := range subjects {
			if subjects[i].Iterations != got.iterations[i] || subjects[i].Slice[compare.Old] < c.costs[i].overhead {
				t.Errorf("%s: subject %d has %d iterations in %v", c.name, i, subjects[i].Iterations, subjects[i].Slice)
			}
		}
	}
	// A process of two iterations in each turn, and one more in each round.
	withCPU := []cost{{ns: quick.ns, overhead: quick.overhead, cpuBase: [2]time.Duration{1e6, 1e6}, cpuNs: quick.ns}}
	s := []rounds.Benchmark{{Metrics: []compare.Metric{compare.MetricOf(compare.NsPerOp)}}}
	if c := arrange(s, withCPU, 800*time.Millisecond, rounds.Options{Budget: time.Minute, Alpha: 0.005}); s[0].Turns != 10 || s[0].Besides != 55*time.Millisecond || c.plan.Round != 805*time.Millisecond || len(s[0].Metrics) != 2 {
		t.Errorf("with CPU time: %+v, a round takes %v", s[0], c.plan.Round)
	}
}

// No plan that was tried promises an interval narrower by more than a tenth than
// the one that is chosen.
func TestChooseIsNearTheBest(t *testing.T) {
	for _, n := range []int{1, 2, 4, 16, 60} {
		for _, link := range []time.Duration{0, time.Second, 5 * time.Second} {
			o := rounds.Options{Budget: 5 * time.Minute, Prepare: link, Alpha: 0.005}
			costs, subjects := slices.Repeat([]cost{{ns: [2]float64{1000, 1000}, overhead: 5 * time.Millisecond}}, n), make([]rounds.Benchmark, n)
			for i := range subjects {
				subjects[i].Metrics = []compare.Metric{compare.MetricOf(compare.NsPerOp)}
			}
			c := choose(subjects, costs, o)
			for each := time.Duration(0); each <= mostOfEach; each += 50 * time.Millisecond {
				other := arrange(subjects, costs, each, o)
				if c.width(o) > 1.1*other.width(o) {
					t.Errorf("%d benchmarks, %v a link: %d rounds of %d turns promise %.3g, %d of %d %.3g", n, link, c.plan.Rounds, c.plan.Turns, c.width(o), other.plan.Rounds, other.plan.Turns, other.width(o))
				}
			}
		}
	}
}

func TestValidate(t *testing.T) {
	good := DefaultOptions()
	good.Old, good.New = "./a", "./b"
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Options){
		"no old": func(o *Options) { o.Old = "" }, "no new": func(o *Options) { o.New = "" },
		"budget": func(o *Options) { o.Budget = time.Millisecond }, "timeout": func(o *Options) { o.Timeout = 0 },
		"tests": func(o *Options) { o.Tests = -1 }, "rounds": func(o *Options) { o.Rounds = -1 },
		"alpha": func(o *Options) { o.Alpha = 0 }, "alpha above": func(o *Options) { o.Alpha = 0.5 },
		"margin": func(o *Options) { o.Margin = -0.1 }, "cpu": func(o *Options) { o.CPU = "1,2" },
		"bench": func(o *Options) { o.Bench = "A/(" }, "run": func(o *Options) { o.Run = "A/(" },
		"rounds that allow no verdict": func(o *Options) { o.Rounds = 4 }, "clock": func(o *Options) { o.Now = nil },
	} {
		o := good
		spoil(&o)
		if err := o.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
