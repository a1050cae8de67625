package why

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// stacks makes a classified profile of two columns, as a CPU profile has them,
// from stacks written "leaf<caller<root", a class and a number of samples of
// 10 ms.
func stacks(rows ...any) *hot.Classified {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	c := &hot.Classified{}
	for i := 0; i < len(rows); i += 3 {
		var ids []callstack.Frame
		if rows[i] != "" {
			for name := range strings.SplitSeq(rows[i].(string), "<") {
				ids = append(ids, callstack.Frame{Function: name})
			}
		}
		n := int64(rows[i+2].(int))
		b.AddFrames(ids, nil, n, n*1e7)
		c.Class = append(c.Class, rows[i+1].(hot.Class))
	}
	c.Frames = b.Frames()
	return c
}

// symbols returns the keys of a profile without source.
func symbols(p *callstack.Frames) frameKeys {
	n := p.NumFrames()
	k := frameKeys{of: make([]key, n), harness: make([]bool, n), interrupts: make([]bool, n)}
	for i := range n {
		f := p.Frame(callstack.FrameID(i)).Function
		k.of[i], k.harness[i], k.interrupts[i] = key(f), strings.HasPrefix(f, "Benchmark"), f == "runtime.asyncPreempt"
	}
	return k
}

// differOf compares CPU profiles, a turn each, of the same number of calls.
func differOf(calls int64, old, new []*hot.Classified) *differ {
	d := newDiffer(&pair{named: make(map[key]*name)})
	for s, turns := range [2][]*hot.Classified{old, new} {
		for _, c := range turns {
			for i := range c.NumFrames() {
				f := c.Frame(callstack.FrameID(i))
				d.pair.enter(key(f.Function), side(s), f, name{})
			}
			d.tallies[kindCPU][s].add(c, 0, 1, calls, symbols(c.Frames))
		}
	}
	return d
}

func TestTallyWorkedExample(t *testing.T) {
	c := stacks(
		"hash<encode<BenchmarkX", hot.Base, 30,
		"encode<BenchmarkX", hot.Base, 5,
		"BenchmarkX", hot.Base, 2, // the loop itself
		"runtime.asyncPreempt<hash<encode<BenchmarkX", hot.Base, 4, // belongs to hash
		"encode<hash<encode<worker", hot.Base, 3, // recursion, on a goroutine of its own
		"", hot.Base, 1,
		"make<BenchmarkX", hot.Setup, 9,
		"gcDrain", hot.Background, 7,
	)
	var tl tally
	tl.add(c, 0, 1, 1000, symbols(c.Frames))
	want := map[key][2]int64{
		"hash": {34, 37}, "encode": {8, 42}, "BenchmarkX": {2, 0}, "worker": {0, 3}, "": {1, 0},
	}
	for k, w := range want {
		got := tl.functions[k]
		if got == nil || got.flat.count != w[0] || got.cum.count != w[1] || got.flat.value != float64(w[0])*1e7 {
			t.Errorf("%q: %+v, want flat %d, cum %d", k, got, w[0], w[1])
		}
	}
	if len(tl.functions) != len(want) {
		t.Errorf("%d functions, want %d", len(tl.functions), len(want))
	}
	for class, n := range map[hot.Class]int64{hot.Base: 45, hot.Setup: 9, hot.Harness: 0, hot.Background: 7} {
		if tl.classes[class].count != n {
			t.Errorf("%v: %d samples, want %d", class, tl.classes[class].count, n)
		}
	}
	// 30 samples of 10 ms in one row: variance 30·(10 ms)².
	if v := tl.functions["hash"].flat.variance; v != 34e14 {
		t.Errorf("variance %g, want 34e14", v)
	}
}

// Flat differences add up to the difference of the measured code, that of the
// classes to the difference of the whole profiles.
func TestDifferencesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := func(label string) *hot.Classified {
			var rows []any
			for range rapid.IntRange(0, 12).Draw(t, label) {
				frames := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "BenchmarkX", "runtime.asyncPreempt"}), 0, 5).Draw(t, "frames")
				rows = append(rows, strings.Join(frames, "<"), hot.Class(rapid.IntRange(0, 3).Draw(t, "class")), rapid.IntRange(0, 50).Draw(t, "samples"))
			}
			return stacks(rows...)
		}
		old, new := side("old"), side("new")
		d := differOf(1000, []*hot.Classified{old}, []*hot.Classified{new})
		c := d.contrast(kindCPU)
		var flat, classes float64
		for f := range functions(c) {
			flat += c.function(f).Flat.Diff()
		}
		base := c.delta(c.old.classes[hot.Base], c.new.classes[hot.Base])
		if math.Abs(flat-base.Diff()) > 1e-6*(1+base.Old+base.New) {
			t.Fatalf("flat differences add up to %g, the measured code's is %g", flat, base.Diff())
		}
		for class := range hot.NumClasses {
			classes += c.delta(c.old.classes[class], c.new.classes[class]).Diff()
		}
		if whole := float64(new.Total(1)-old.Total(1)) / 1000; math.Abs(classes-whole) > 1e-6*(1+math.Abs(whole)) {
			t.Fatalf("classes differ by %g, the profiles by %g", classes, whole)
		}
	})
}

func TestEqualSidesDifferInNothing(t *testing.T) {
	c := stacks("hash<encode", hot.Base, 300, "encode", hot.Base, 20)
	d := differOf(1000, []*hot.Classified{c, c}, []*hot.Classified{c, c})
	var change compare.Change
	d.fill(&change)
	if len(change.Functions) > 0 {
		t.Errorf("%+v", change.Functions)
	}
	if b := change.Classes[0].CPUNs; b.Diff() != 0 || b.Old != 640*1e7/2000 {
		t.Errorf("measured code %+v, want 640 samples of 10 ms in 2,000 calls", b)
	}
}

// One function's difference with its error, written out: 100 and 400 samples
// of 10 ms in one turn each, 1,000 calls. Nothing else is looked at but its flat
// and its cum: m = 2, z for alpha/2m = 0.0025 on either side is 2.8070 (tables
// of the normal distribution), the error z·√500 samples.
func TestErrorWorkedExample(t *testing.T) {
	d := differOf(1000, []*hot.Classified{stacks("hash", hot.Base, 100)}, []*hot.Classified{stacks("hash", hot.Base, 400)})
	var c compare.Change
	d.fill(&c)
	if len(c.Functions) != 1 {
		t.Fatalf("%d functions", len(c.Functions))
	}
	v := c.Functions[0].CPUNs.Flat
	if v.Old != 1e6 || v.New != 4e6 || math.Abs(v.Error-2.8070*math.Sqrt(500)*1e4) > 50 {
		t.Errorf("%+v, want 1 ms, 4 ms and an error of %g", v, 2.8070*math.Sqrt(500)*1e4)
	}
}

// A difference within its error is not listed, nor one of a few samples.
func TestWithinTheErrorIsNotListed(t *testing.T) {
	for _, c := range []struct {
		old, new int
		listed   bool
	}{
		{100, 130, false}, // 30 against 2.807·√230 = 42.6
		{100, 150, true},  // 50 against 2.807·√250 = 44.4
		{0, 11, false},    // fewer than 12 in all
		{0, 12, true},     // 12 against 9.7
	} {
		d := differOf(1000, []*hot.Classified{stacks("f", hot.Base, c.old)}, []*hot.Classified{stacks("f", hot.Base, c.new)})
		var change compare.Change
		d.fill(&change)
		if got := len(change.Functions) > 0; got != c.listed {
			t.Errorf("%d and %d samples: listed %v, want %v", c.old, c.new, got, c.listed)
		}
	}
}

// Turns of 10, 20 and 30 samples: m = 20, s² = 100, τ² = (100 − 20)/400 = 0.2;
// even turns have none, and one side's excess makes up for what the other lacks.
func TestScatterWorkedExample(t *testing.T) {
	wild, even := &tally{turns: []int64{10, 20, 30}}, &tally{turns: []int64{20, 20, 20}}
	for _, c := range []struct {
		old, new *tally
		want     float64
	}{
		{wild, wild, 0.2},
		{wild, even, (0.2 - 20.0/400) / 2},
		{even, even, 0},
		{wild, &tally{turns: []int64{5}}, 0.2}, // one turn says nothing
		{&tally{}, &tally{}, 0},
	} {
		if got := scatter(c.old, c.new); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v and %v: %g, want %g", c.old.turns, c.new.turns, got, c.want)
		}
	}
	// Of a sum of 60 samples of 10 ms in three turns: 60·v² + 0.2·(60·v)²/3.
	s := sum{count: 60, value: 60e7, variance: 60e14}
	if got, want := wild.variance(s, 0.2), 60e14+0.2*60e7*60e7/3; math.Abs(got-want) > 1 {
		t.Errorf("variance %g, want %g", got, want)
	}
}

// Quantiles of the normal distribution, from tables.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		m     int
		want  float64
	}{{0.05, 1, 1.959964}, {0.01, 1, 2.575829}, {0.01, 10, 3.290527}, {0.01, 0, 2.575829}} {
		if got := quantile(c.alpha, c.m); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("alpha %g over %d: %g, want %g", c.alpha, c.m, got, c.want)
		}
	}
}

// Between equal sides something is listed once in a hundred times at most: 20
// functions with samples drawn from one Poisson distribution each, and turns
// that a neighbour slows by up to a third, alike for all of a turn's functions.
// 800 drawn pairs at a true rate of 1 % would show more than 18 with a chance of
// 0.1 %.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	for _, slow := range []float64{0, 0.3} {
		rnd := rand.New(rand.NewPCG(1, 2))
		const trials = 800
		alarms := 0
		for range trials {
			draw := func() []*hot.Classified {
				turns := make([]*hot.Classified, 8)
				for i := range turns {
					factor := 1 + slow*rnd.Float64()
					var rows []any
					for f := range 20 {
						mean := factor * float64(1+f*f) / 8
						rows = append(rows, fmt.Sprintf("f%d<main", f), hot.Base, poisson(rnd, mean))
					}
					turns[i] = stacks(rows...)
				}
				return turns
			}
			var c compare.Change
			differOf(1000, draw(), draw()).fill(&c)
			if len(c.Functions) > 0 {
				alarms++
			}
		}
		if alarms > 18 {
			t.Errorf("turns slowed by up to %g: %d of %d equal pairs are said to differ", slow, alarms, trials)
		}
		t.Logf("turns slowed by up to %g: %d of %d", slow, alarms, trials)
	}
}

// poisson draws by Knuth's product of uniforms.
func poisson(rnd *rand.Rand, mean float64) int {
	limit, n := math.Exp(-mean), 0
	for p := rnd.Float64(); p > limit; p *= rnd.Float64() {
		n++
	}
	return n
}

// The order is that of the flat differences, and no more than the most are
// listed.
func TestOrderAndBound(t *testing.T) {
	var old, new []any
	for i := range most + 5 {
		old = append(old, fmt.Sprintf("f%02d", i), hot.Base, 100)
		new = append(new, fmt.Sprintf("f%02d", i), hot.Base, 1000+10*i)
	}
	d := differOf(1000, []*hot.Classified{stacks(old...)}, []*hot.Classified{stacks(new...)})
	var c compare.Change
	d.fill(&c)
	if len(c.Functions) != most || c.Functions[0].Function != fmt.Sprintf("f%02d", most+4) || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "5 more functions differ") {
		t.Errorf("%d functions, first %+v, warnings %q", len(c.Functions), c.Functions[0], c.Warnings)
	}
}
