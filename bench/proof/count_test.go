package main

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
)

const blockText = `goos: linux
goarch: amd64
pkg: example.org/mix
BenchmarkSort-2         	    9000	    130000 ns/op
BenchmarkSort-2         	    9000	    130001 ns/op
BenchmarkText-2         	    5000	    2.5 ns/op
PASS
ok  	example.org/mix	3.1s
`

func TestReadBlocks(t *testing.T) {
	var b Blocks
	for _, old := range []bool{true, false} {
		if err := b.read(strings.NewReader(blockText), old); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Benchmarks) != 2 || b.Benchmarks[0].Name != "BenchmarkSort" || !slices.Equal(b.Benchmarks[0].Old, []float64{130000, 130001}) ||
		!slices.Equal(b.Benchmarks[0].New, b.Benchmarks[0].Old) || !slices.Equal(b.Benchmarks[1].Old, []float64{2.5}) {
		t.Errorf("read %+v", b)
	}
	if err := b.read(strings.NewReader("BenchmarkX 1 2 B/op\n"), true); err == nil {
		t.Error("a line without time was taken")
	}
}

// Ten values below ten others: of the C(20,10) = 184,756 ways to part them two
// are as extreme, so that p = 2/184,756. Interleaved values are no change.
func TestBenchstat(t *testing.T) {
	var low, high, odd, even []float64
	for i := range 10 {
		low, high = append(low, 100+float64(i)), append(high, 200+float64(i))
		odd, even = append(odd, 100+2*float64(i)), append(even, 101+2*float64(i))
	}
	r := BlockRow{Old: low, New: high}
	if p := r.compare().P; math.Abs(p-2.0/184756) > 1e-9 || !r.different() || !r.slower() {
		t.Errorf("apart: p = %v, different %v, slower %v", p, r.different(), r.slower())
	}
	r = BlockRow{Old: high, New: low}
	if !r.different() || r.slower() {
		t.Errorf("the other way round: different %v, slower %v", r.different(), r.slower())
	}
	r = BlockRow{Old: odd, New: even}
	if r.different() || r.slower() {
		t.Errorf("interleaved: p = %v", r.compare().P)
	}
	if c := center(odd); c != 109 {
		t.Errorf("median of 100, 102 to 118 is %v", c)
	}
}

func noisy(x float64) *float64 { return &x }

// samples with one of everything that is counted.
func exampleSamples() Samples {
	row := func(name, metric string, v compare.Verdict, ratio, noise float64) Row {
		return Row{Name: name, Metric: metric, Verdict: v, Ratio: ratio, Low: ratio / 1.01, High: ratio * 1.01, P: 1, Noise: &noise, Rounds: 20, Iterations: 1000, Old: 1e5, New: 1.03e5}
	}
	time, cpu := compare.NsPerOp, compare.CPUNsPerOp
	late := row("C", time, compare.CannotTell, 1, 0.01)
	late.Rounds = 9
	small := row("B", time, compare.NoChange, 1.02, 0.01)
	small.P = 0.004
	tens := func(from float64) (out []float64) {
		for i := range 10 {
			out = append(out, from+float64(i))
		}
		return out
	}
	return Samples{Trials: []Trial{
		{Question: same, Needed: 14, SameBytes: true, Rows: []Row{
			row("A", time, compare.NoChange, 1, 0.01), row("A", cpu, compare.Faster, 1.1, 0.01), small, late,
		}, Blocks: &Blocks{Benchmarks: []BlockRow{{"BenchmarkA", tens(100), tens(150)}, {"BenchmarkB", tens(100), tens(100)}}}},
		{Question: tree, Loaded: true, Needed: 14, Rows: []Row{row("A", time, compare.CannotTell, 0.96, 0.02)}},
		{Question: slow3, Needed: 14, Rows: []Row{
			row("A", time, compare.Slower, 0.97, 0.012), row("A", cpu, compare.Slower, 0.97, 0.01),
			row("B", time, compare.CannotTell, 0.98, 0.012), row("C", time, compare.NoChange, 0.99, 0.02), row("D", time, compare.Slower, 0.97, 0.013),
		}},
		{Question: few, Rows: []Row{row("A", time, compare.NoChange, 1, 0.004), row("B", time, compare.CannotTell, 1, 0.01), row("C", time, compare.NoChange, 1, 0.004)}},
		{Question: slow2, Rows: []Row{row("A", time, compare.Slower, 0.98, 0.004), row("B", time, compare.CannotTell, 0.98, 0.01)}},
		{Question: slow1, Needed: 14, Rows: []Row{row("A", time, compare.Slower, 0.99, 0.004), row("B", time, compare.Faster, 1.01, 0.02)}},
	}}
}

func TestCount(t *testing.T) {
	s := exampleSamples()
	all := comparisons(s.Trials, identical)
	able := filter(all, comparison.able)
	if c := count(able); len(all) != 4 || c.n != 3 || c.wrong != 1 || c.noChange != 2 || c.cannotTell != 1 || c.faster != 0 || c.small != 1 ||
		math.Abs(c.largest-(1/0.96-1)) > 1e-12 {
		t.Errorf("identical: %d, %+v", len(all), c)
	}
	if able[0].block == nil || !able[0].block.slower() || able[2].block != nil {
		t.Errorf("blocks: %+v", able)
	}
	good, bad := split(comparisons(s.Trials, ofQuestion(slow3)), floor3)
	if g, b := count(good), count(bad); g.n != 2 || g.slower != 1 || g.byCPU != 1 || b.n != 2 || b.noChange != 1 || b.slower != 1 {
		t.Errorf("slow3: %+v, %+v", g, b)
	}
	// 20 rounds of 1.5 slices of 1,000 iterations of 103 µs: 3.09 s.
	if got := good[0].seconds(); math.Abs(got-3.09) > 1e-9 {
		t.Errorf("benchmark time %v s", got)
	}
	// Four turns a round are four times as much.
	several := good[0]
	several.time.Turns = 80
	if got := several.seconds(); math.Abs(got-4*3.09) > 1e-9 {
		t.Errorf("benchmark time of 80 turns %v s", got)
	}
	without := good[0]
	without.time.Noise = nil
	if without.quiet(floor3) {
		t.Error("unknown noise is no low noise")
	}
}

// Every cell of the summary by hand. The bound on 1 of 3 solves
// (1−p)³ + 3p(1−p)² = 0.05: p = 0.865.
func TestRender(t *testing.T) {
	s := exampleSamples()
	s.Simulated = &Simulated{At: Origin{Date: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Commit: "abc", CPU: "CPU", Cores: 2, System: "os/arch", Go: "go1", Load: noisy(1.25)},
		Cases: []Coverage{{World: "normal", Setting: "1 benchmark", Alpha: 0.05, Runs: 400, Intervals: 400, Covered: 376, Width: 0.01, Rounds: 20, Equal: 400}}}
	text := render(s)
	for _, want := range []string{
		"| identical sides | at most 5 of 500 called faster or slower | 1 of 3 (at most 86.5 %) | not enough trials yet |",
		"| 3 % slower, own floor under 1.3 % | 90 % found | 1 of 2 (50.0 %; 1.3 % to 98.7 %) | not enough trials yet |",
		"| 3 % slower, worse floor | never \"no change\" | 1 of 2 (at most 97.5 %) | does not hold |",
		"| the same: benchmark time a side | under 20 s | median 3.09 s, longest 3.09 s | not enough trials yet |",
		"| the same, whatever the noise | else \"cannot tell\" | 1 of 2 (at most 97.5 %) called anything else | does not hold |",
		// 376/400 = 94 %, the error √(0.95·0.05/400) = 1.09 %: within two of them.
		"least, beside what is wanted: 94.0 % of 95.0 % ± 1.1 % (normal) | holds |",
		"| the same binary | alone | 1 | 1 | 2 | 1 |",
		"| four benchmarks, identical, margin 1 % | half reach \"no change\" | 2 of 3 (66.7 %; 9.4 % to 99.2 %) | not enough trials yet |",
		"| four benchmarks, 2 % slower | 90 % found | 1 of 2 (50.0 %; 1.3 % to 98.7 %) | not enough trials yet |",
		// Intervals reach from ratio/1.01 to ratio·1.01: (1.01 − 1/1.01)/2 is 1 %, times 0.98 to two digits as well.
		"| with an unrelated function, four benchmarks | alone | 3 | 0 | 2 | 1 | 0 | ±0.4 % | ±1.0 % | unknown |",
		"| 2 % slower | alone | 2 | 1 | 0 | 1 | 0 | ±0.7 % | ±1.0 % | unknown |",
		"| identical | alone | go test -count=10, benchstat | 2 | 0 | 1 | 47.8 % |", // medians 104.5 and 154.5
		"- the same binary, cpu-ns/op of A (alone, seed 0): faster, 1.089x to 1.11x",
		"- 3 % slower, ns/op of C (alone, seed 0): no change",
		"commit , abc; load before a proof 1.2 to 1.2.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if got := render(Samples{}); !strings.Contains(got, "Nothing is measured yet") {
		t.Errorf("without samples: %q", got)
	}
}
