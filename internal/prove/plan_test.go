package prove

import (
	"slices"
	"testing"
	"time"
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
		if got := iterations(cost{oldNs: c.old, newNs: c.new}, 100*time.Millisecond); got != c.want {
			t.Errorf("%s: %d iterations, want %d", c.name, got, c.want)
		}
	}
}

func TestMakePlan(t *testing.T) {
	// A slice of 100 ms and 20 ms to start it: 360 ms a round.
	quick := cost{oldNs: 1000, newNs: 1000, overhead: 20 * time.Millisecond}
	many := func(n int) []cost { return slices.Repeat([]cost{quick}, n) }
	for _, c := range []struct {
		name   string
		costs  []cost
		budget time.Duration
		needed int
		fixed  int
		rounds int
		slice  time.Duration
	}{
		{"budget to spare", many(2), 5 * time.Minute, 10, 0, MaxRounds, 100 * time.Millisecond},
		// 36 benchmarks: 12.96 s a round at 100 ms is 23 rounds; 28 are enough,
		// at 50 ms a round is 7.56 s.
		{"shorter slices for more rounds", many(36), 5 * time.Minute, 14, 0, 39, 50 * time.Millisecond},
		// 200 benchmarks: 24 s a round at 20 ms.
		{"fewer than needed", many(200), 5 * time.Minute, 17, 0, 12, 20 * time.Millisecond},
		{"no time at all", many(1), 0, 9, 0, 1, 20 * time.Millisecond},
		{"asked for", many(2), 5 * time.Minute, 10, 7, 7, 100 * time.Millisecond},
		{"asked for more than the budget", many(2), time.Second, 10, 500, 500, 20 * time.Millisecond},
		{"one operation is a second", []cost{{oldNs: 1e9, newNs: 1e9, overhead: time.Second}}, time.Minute, 9, 0, 10, 20 * time.Millisecond},
		// More than MaxRounds where even a verdict needs more.
		{"a tiny alpha", many(1), 5 * time.Minute, 60, 0, 60, 100 * time.Millisecond},
	} {
		p := makePlan(c.costs, c.budget, c.needed, c.fixed)
		if p.rounds != c.rounds || p.slice != c.slice || len(p.iterations) != len(c.costs) {
			t.Errorf("%s: %d rounds of %v (%d benchmarks), want %d of %v", c.name, p.rounds, p.slice, len(p.iterations), c.rounds, c.slice)
		}
	}
}

// A plan without fixed rounds never costs more than the budget, unless a
// single round does.
func TestPlanKeepsBudget(t *testing.T) {
	for n := 1; n < 300; n += 7 {
		costs := make([]cost, n)
		for i := range costs {
			costs[i] = cost{oldNs: float64(100 * (i + 1)), newNs: float64(50 * (i + 3)), overhead: time.Duration(i%40) * time.Millisecond}
		}
		const budget = time.Minute
		p := makePlan(costs, budget, 15, 0)
		var round time.Duration
		for i, c := range costs {
			round += c.round(p.iterations[i])
		}
		if total := time.Duration(p.rounds) * round; total > budget && p.rounds > 1 {
			t.Errorf("%d benchmarks: %d rounds take %v of %v", n, p.rounds, total, budget)
		}
	}
}

// The order is a function of seed and round, holds every benchmark with its
// three slices once, and puts each slice in each place equally often.
func TestOrder(t *testing.T) {
	if a, b := order(7, 3, 5), order(7, 3, 5); !slices.Equal(a, b) {
		t.Error("the same seed and round gave two orders")
	}
	if slices.Equal(order(7, 3, 5), order(8, 3, 5)) || slices.Equal(order(7, 3, 5), order(7, 4, 5)) {
		t.Error("another seed or round gave the same order")
	}
	const rounds = 6000
	var place [3][3]int // by slot and place
	first := make([]int, 4)
	for r := range rounds {
		turns := order(1, r, 4)
		seen := make([]bool, 4)
		for _, turn := range turns {
			seen[turn.benchmark] = true
			sorted := turn.slots
			slices.Sort(sorted[:])
			if sorted != [3]slot{slotOld, slotNew, slotAgain} {
				t.Fatalf("round %d: slots %v", r, turn.slots)
			}
		}
		if slices.Contains(seen, false) {
			t.Fatalf("round %d lacks a benchmark: %v", r, turns)
		}
		first[turns[0].benchmark]++
		for at, sl := range turns[0].slots {
			place[sl][at]++
		}
	}
	// Binomial with p = 1/3 (1/4): five standard deviations are 183 (168).
	for sl, counts := range place {
		for at, n := range counts {
			if n < rounds/3-183 || n > rounds/3+183 {
				t.Errorf("slot %d stood in place %d in %d of %d rounds", sl, at, n, rounds)
			}
		}
	}
	for b, n := range first {
		if n < rounds/4-168 || n > rounds/4+168 {
			t.Errorf("benchmark %d came first in %d of %d rounds", b, n, rounds)
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
