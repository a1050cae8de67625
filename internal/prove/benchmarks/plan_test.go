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
		if got := iterations(cost{ns: [2]float64{c.old, c.new}}, 100*time.Millisecond); got != c.want {
			t.Errorf("%s: %d iterations, want %d", c.name, got, c.want)
		}
	}
}

func TestEarlierIterations(t *testing.T) {
	for earlier, want := range map[int64]int64{0: 100_000, 120_000: 120_000, 49_999: 100_000, 50_000: 50_000, 200_000: 200_000, 200_001: 100_000} {
		if got := iterations(cost{ns: [2]float64{1000, 1000}, earlier: earlier}, 100*time.Millisecond); got != want {
			t.Errorf("%d iterations after %d, want %d", got, earlier, want)
		}
	}
}

func TestSliceLengths(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		benchmarks int
		prepare    time.Duration
		want       []time.Duration
	}{
		{1, 0, []time.Duration{100 * ms, 50 * ms, 20 * ms}},
		{1, 2 * time.Second, []time.Duration{300 * ms, 100 * ms, 50 * ms, 20 * ms}},
		// Three slices of four benchmarks take as long as linking: 2 s/12.
		{4, 1920 * ms, []time.Duration{160 * ms, 100 * ms, 50 * ms, 20 * ms}},
		{20, 2 * time.Second, []time.Duration{100 * ms, 50 * ms, 20 * ms}},
	} {
		if got := sliceLengths(c.benchmarks, c.prepare); !slices.Equal(got, c.want) {
			t.Errorf("%d benchmarks, %v to prepare: %v, want %v", c.benchmarks, c.prepare, got, c.want)
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
	// A slice of 100 ms and 20 ms to start it: 360 ms a round.
	quick := cost{ns: [2]float64{1000, 1000}, overhead: 20 * time.Millisecond}
	for _, c := range []struct {
		name   string
		costs  []cost
		o      rounds.Options
		rounds int
		slice  time.Duration
	}{
		{"budget to spare", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: 5 * time.Minute}, rounds.MaxRounds, 100 * time.Millisecond},
		// 200 benchmarks: 24 s a round at 20 ms.
		{"fewer than needed", slices.Repeat([]cost{quick}, 200), rounds.Options{Budget: 5 * time.Minute}, 12, 20 * time.Millisecond},
		{"no time at all", []cost{quick}, rounds.Options{}, 1, 20 * time.Millisecond},
		// Two slices of two processes more: 3·120 + 2·20 ms = 400 ms.
		{"CPU time", []cost{{ns: quick.ns, overhead: quick.overhead, cpuBase: [2]time.Duration{1e6, 1e6}, cpuNs: quick.ns}}, rounds.Options{Budget: time.Minute}, 150, 100 * time.Millisecond},
		// 300 ms slices: 960 ms and 1.8 s to prepare are 2.76 s.
		{"linked", []cost{quick}, rounds.Options{Budget: 276 * time.Second, Prepare: 1800 * time.Millisecond}, 100, 300 * time.Millisecond},
		{"asked for", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: 5 * time.Minute, Fixed: 7}, 7, 100 * time.Millisecond},
		// 72 s of long slices, 42 s of shorter ones.
		{"asked for what shorter slices allow", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: 45 * time.Second, Fixed: 100}, 100, 50 * time.Millisecond},
		{"asked for more than the budget pays for", slices.Repeat([]cost{quick}, 2), rounds.Options{Budget: time.Second, Fixed: 500}, 500, 20 * time.Millisecond},
		{"one operation is a second", []cost{{ns: [2]float64{1e9, 1e9}, overhead: time.Second}}, rounds.Options{Budget: time.Minute}, 10, 20 * time.Millisecond},
	} {
		c.o.Alpha = 0.005
		subjects := make([]rounds.Subject, len(c.costs))
		for i := range subjects {
			subjects[i].Metrics = []compare.Metric{compare.MetricOf(compare.NsPerOp)}
		}
		got := choose(subjects, c.costs, c.o)
		if got.plan.Rounds != c.rounds || got.slice != c.slice || len(got.iterations) != len(c.costs) {
			t.Errorf("%s: %d rounds of %v, want %d of %v", c.name, got.plan.Rounds, got.slice, c.rounds, c.slice)
		}
		for i := range subjects {
			if subjects[i].Iterations != got.iterations[i] || subjects[i].Slice[compare.Old] < c.costs[i].overhead {
				t.Errorf("%s: subject %d has %d iterations in %v", c.name, i, subjects[i].Iterations, subjects[i].Slice)
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
