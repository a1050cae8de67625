package diagnose

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/recording"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// The base is 300 + 100 = 400 samples; set-up, harness and background do not
// count. m/x.slow holds 300 of 400 = 0.75, so the ceiling is 1/(1−0.75) = 4.
func TestRatiosAreOfTheBase(t *testing.T) {
	cpu := cpuProfile(
		sample{stack: []string{"m/x.BenchmarkX", "m/x.slow"}, n: 300},
		sample{stack: []string{"m/x.BenchmarkX", "m/x.fast"}, n: 100},
		sample{stack: []string{"m/x.BenchmarkX", "m/x.slow"}, n: 1000, class: hot.Setup},
		sample{stack: []string{"testing.(*B).runN"}, n: 50, class: hot.Harness},
		sample{stack: []string{"runtime.gcBgMarkWorker"}, n: 70, class: hot.Background},
	)
	// Bytes of the base: 10·64 + 20·48 = 1600, slow 640 of them = 0.4.
	allocs := allocProfile(
		sample{stack: []string{"m/x.BenchmarkX", "m/x.slow"}, n: 10, size: 64},
		sample{stack: []string{"m/x.BenchmarkX", "m/x.fast"}, n: 20, size: 48},
		sample{stack: []string{"m/x.slow"}, n: 10, size: 1 << 20, class: hot.Setup},
	)
	s := subject("BenchmarkX", cpu, allocs, nil)
	s.BytesPerOp = 1600
	if n := s.BaseCPUSamples(); n != 400 {
		t.Errorf("the base has %d samples, want 400", n)
	}
	res := Run(registryOf(t, ruleFor("slow", "m/x.slow", 200)), []*Subject{s})
	if len(res.Findings) != 1 {
		t.Fatalf("findings: %+v", res.Findings)
	}
	f := res.Findings[0]
	if !near(f.CPURatio, 0.75) || !near(f.AllocBytesRatio, 0.4) || f.DelayRatio != 0 || !near(f.CeilingRatio, 4) || !near(f.Weight(), 0.75) {
		t.Errorf("cpu %v bytes %v delay %v ceiling %v", f.CPURatio, f.AllocBytesRatio, f.DelayRatio, f.CeilingRatio)
	}
	if f.Function != "m/x.slow" || f.File != "/m/x.go" || f.Line != 7 || !slices.Equal(f.Benchmarks, []string{"BenchmarkX"}) {
		t.Errorf("place: %+v", f)
	}
}

// A place that is the whole base has no finite ceiling: it is cut at 100.
func TestCeilingIsBounded(t *testing.T) {
	s := subject("BenchmarkX", cpuProfile(sample{stack: []string{"m/x.slow"}, n: 400}), nil, nil)
	f := Run(registryOf(t, ruleFor("slow", "m/x.slow", 1)), []*Subject{s}).Findings[0]
	if f.CPURatio != 1 || f.CeilingRatio != finding.MaxCeiling {
		t.Errorf("cpu %v ceiling %v", f.CPURatio, f.CeilingRatio)
	}
}

// 50 of 1000 is the threshold itself and speaks; 49 of 1000 does not.
func TestThreshold(t *testing.T) {
	for _, test := range []struct {
		n     int64
		above bool
	}{{49, false}, {50, true}, {51, true}} {
		cpu := cpuProfile(sample{stack: []string{"m/x.slow"}, n: test.n}, sample{stack: []string{"m/x.rest"}, n: 1000 - test.n})
		res := Run(registryOf(t, ruleFor("slow", "m/x.slow", 200)), []*Subject{subject("B", cpu, nil, nil)})
		if got := len(res.Findings) == 1; got != test.above {
			t.Errorf("%d of 1000: above is %v", test.n, got)
		}
		if len(res.Findings)+len(res.Below) != 1 {
			t.Errorf("%d of 1000: %d findings and %d below", test.n, len(res.Findings), len(res.Below))
		}
		if knows := res.Verdict.Outcome == OutcomeFindings; knows != test.above {
			t.Errorf("%d of 1000: verdict %+v", test.n, res.Verdict)
		}
	}
}

// Of a program 40 % of the bytes are a finding where the allocator's work for them is
// worth 2 % of the time: 0.4 of 60 of 1000 samples, not of 40. Of a benchmark they
// always are, but where the claim is one that bytes alone do not make: 0.4 of 140 are
// 5.6 % of the time, of 110 they are 4.4 %.
func TestBytesOfAProgram(t *testing.T) {
	for _, test := range []struct {
		kind      string
		inTime    bool
		allocator int64
		above     bool
	}{
		{"program", false, 60, true}, {"program", false, 40, false}, {"service", false, 40, false}, {"benchmark", false, 40, true},
		{"benchmark", false, 14, true}, {"benchmark", false, 12, false}, // worth 0.56 % and 0.48 %
		{"benchmark", true, 140, true}, {"benchmark", true, 110, false},
	} {
		cpu := cpuProfile(sample{stack: []string{"m/x.rest", "runtime.mallocgc"}, n: test.allocator}, sample{stack: []string{"m/x.rest"}, n: 1000 - test.allocator})
		allocs := allocProfile(sample{stack: []string{"m/x.slow"}, n: 10, size: 40}, sample{stack: []string{"m/x.rest"}, n: 10, size: 60})
		r := ruleFor("slow", "m/x.slow", 200)
		find := r.Find
		r.Find = func(s *Subject) []Claim {
			cs := find(s)
			cs[0].Cost.CPU, cs[0].InTime = nil, test.inTime
			return cs
		}
		s := subject("B", cpu, allocs, nil)
		s.Kind = test.kind
		if res := Run(registryOf(t, r), []*Subject{s}); len(res.Findings) == 1 != test.above {
			t.Errorf("%s, %d of 1000 in the allocator: findings %+v, below %+v", test.kind, test.allocator, res.Findings, res.Below)
		}
	}
}

// A rule that fails on a program takes nothing from the others.
func TestRuleThatFails(t *testing.T) {
	bad := ruleFor("bad", "m/x.slow", 200)
	bad.Find = func(*Subject) []Claim { return []Claim{}[1:2] }
	cpu := cpuProfile(sample{stack: []string{"m/x.slow"}, n: 1000})
	res := Run(registryOf(t, bad, ruleFor("slow", "m/x.slow", 200)), []*Subject{subject("B", cpu, nil, nil)})
	if len(res.Findings) != 1 || res.Findings[0].Rule != "slow" || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "the rule bad failed") {
		t.Errorf("findings %+v\nwarnings %q", res.Findings, res.Warnings)
	}
}

// The figures are of the whole place, the threshold of its avoidable part.
func TestAvoidablePartDecides(t *testing.T) {
	for _, test := range []struct {
		avoidable int64
		above     bool
	}{{49, false}, {50, true}} {
		cpu := cpuProfile(
			sample{stack: []string{"m/x.log", "fmt.Sprint"}, n: test.avoidable},
			sample{stack: []string{"m/x.log", "syscall.write"}, n: 600 - test.avoidable},
			sample{stack: []string{"m/x.rest"}, n: 400},
		)
		r := ruleFor("log", "m/x.log", 200)
		find := r.Find
		r.Find = func(s *Subject) []Claim {
			cs := find(s)
			cs[0].Avoidable = Samples{CPU: through(s.CPU, "fmt.Sprint")}
			return cs
		}
		res := Run(registryOf(t, r), []*Subject{subject("B", cpu, nil, nil)})
		if got := len(res.Findings) == 1; got != test.above {
			t.Errorf("%d of 1000 avoidable: above is %v", test.avoidable, got)
		}
		if f := append(res.Findings, res.Below...)[0]; !near(f.CPURatio, 0.6) || !near(f.AvoidableCPURatio, float64(test.avoidable)/1000) {
			t.Errorf("cpu_ratio %v, want 600 of 1000; avoidable %v", f.CPURatio, f.AvoidableCPURatio)
		} else if left := 1 - float64(test.avoidable)/1000; !near(f.CeilingRatio, 1/left) || !near(f.WorthRatio, 1-left) {
			t.Errorf("ceiling %v and worth %v: not of the avoidable part, which leaves %v", f.CeilingRatio, f.WorthRatio, left)
		}
	}
}

// Of each avoidable sample the stated share goes: of 100 of 1000 a half is 50,
// the threshold, and 0.49 are 49. Cost stays whole.
func TestPartOfEachSampleGoes(t *testing.T) {
	for _, test := range []struct {
		removed, avoidable float64
		above              bool
	}{{0, 0.1, true}, {1, 0.1, true}, {0.5, 0.05, true}, {0.49, 0.049, false}} {
		cpu := cpuProfile(sample{stack: []string{"m/x.slow"}, n: 100}, sample{stack: []string{"m/x.rest"}, n: 900})
		allocs := allocProfile(sample{stack: []string{"m/x.slow"}, n: 10, size: 10}, sample{stack: []string{"m/x.rest"}, n: 10, size: 90})
		r := ruleFor("slow", "m/x.slow", 200)
		find := r.Find
		r.Find = func(s *Subject) []Claim {
			cs := find(s)
			cs[0].Removed = Removed{Time: test.removed, Bytes: test.removed}
			return cs
		}
		res := Run(registryOf(t, r), []*Subject{subject("B", cpu, allocs, nil)})
		if got := len(res.Findings) == 1; got != test.above {
			t.Errorf("%v of a tenth: above is %v", test.removed, got)
		}
		if f := append(res.Findings, res.Below...)[0]; !near(f.CPURatio, 0.1) || !near(f.AvoidableCPURatio, test.avoidable) || !near(f.AvoidableAllocBytesRatio, test.avoidable) {
			t.Errorf("%v of a tenth: cpu %v, avoidable %v and %v of the bytes", test.removed, f.CPURatio, f.AvoidableCPURatio, f.AvoidableAllocBytesRatio)
		}
	}
}

// The place waits 1 s for a mutex; the base takes 300 samples of 10 ms = 3 s
// of CPU. delay_ratio = 1/(1+3) = 0.25, and the ceiling 1/(1−0.25) = 4/3.
func TestDelayRatio(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.rest"}, n: 300})
	mutex := mutexProfile(
		sample{stack: []string{"m/x.locked", "sync.(*Mutex).Unlock"}, n: 1e9},
		sample{stack: []string{"m/x.locked"}, n: 8e9, class: hot.Setup},
	)
	s := subject("B", cpu, nil, mutex)
	reg := registryOf(t, ruleFor("lock", "m/x.locked", 200))
	f := Run(reg, []*Subject{s}).Findings[0]
	if !near(f.DelayRatio, 0.25) || !near(f.CeilingRatio, 4.0/3) {
		t.Errorf("delay %v ceiling %v", f.DelayRatio, f.CeilingRatio)
	}
	// The mutex profile ran half as many iterations: the same work of the CPU
	// profile would have waited 2 s, and 2/(2+3) = 0.4.
	s.CPUIterations, s.MutexIterations = 1000, 500
	if f = Run(reg, []*Subject{s}).Findings[0]; !near(f.DelayRatio, 0.4) {
		t.Errorf("scaled delay %v, want 0.4", f.DelayRatio)
	}
}

// Below one byte per operation the allocations are a pool's refills.
func TestAllocationsBelowAByteAreNoBase(t *testing.T) {
	allocs := allocProfile(sample{stack: []string{"m/x.get"}, n: 3, size: 4096})
	cpu := cpuProfile(sample{stack: []string{"m/x.rest", "runtime.mallocgc"}, n: 1000})
	reg := registryOf(t, ruleFor("alloc", "m/x.get", 200))
	for _, test := range []struct {
		name       string
		bytesPerOp float64
		iterations int64
		want       float64
	}{
		{"0 B/op", 0, 1_000_000, 0},
		{"1 B/op", 1, 1_000_000, 1},
		{"unknown, 12288 bytes in 12289 iterations", -1, 12289, 0},
		{"unknown, 12288 bytes in 12288 iterations", -1, 12288, 1},
		{"nothing known", -1, 0, 1},
	} {
		s := subject("B", cpu, allocs, nil)
		s.BytesPerOp, s.AllocIterations = test.bytesPerOp, test.iterations
		res := Run(reg, []*Subject{s})
		got := 0.0
		for _, f := range append(res.Findings, res.Below...) {
			got = f.AllocBytesRatio
		}
		if got != test.want {
			t.Errorf("%s: bytes ratio %v, want %v", test.name, got, test.want)
		}
	}
}

// Bytes alone are a finding only where allocating and collecting take 1 % of
// the process: 6 + 4 of 1000 samples do, 6 + 3 do not, and an allocation in
// set-up is not counted.
func TestAllocationHasToMatter(t *testing.T) {
	allocs := allocProfile(sample{stack: []string{"m/x.make"}, n: 100, size: 64})
	for _, test := range []struct {
		collect int64
		above   bool
	}{{4, true}, {3, false}} {
		cpu := cpuProfile(
			sample{stack: []string{"m/x.make", "runtime.mallocgc"}, n: 6},
			sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: test.collect, class: hot.Background},
			sample{stack: []string{"m/x.load", "runtime.mallocgc"}, n: 100, class: hot.Setup},
			sample{stack: []string{"m/x.rest"}, n: 894 - test.collect},
		)
		s := subject("B", cpu, allocs, nil)
		s.BytesPerOp = 64
		res := Run(registryOf(t, ruleFor("alloc", "m/x.make", 200)), []*Subject{s})
		if got := len(res.Findings) == 1; got != test.above {
			t.Errorf("6 + %d of 1000 samples: above is %v", test.collect, got)
		}
		if len(res.Findings)+len(res.Below) != 1 {
			t.Error("the claim is in neither list")
		}
	}
}

// Package testing's own collections are a sample or two, of a short run more
// than 1 %.
func TestForcedCollectionsDoNotMatter(t *testing.T) {
	for collect, above := range map[int64]bool{1: false, 2: false, 3: true} {
		s := subject("B", cpuProfile(
			sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: collect, class: hot.Background},
			sample{stack: []string{"m/x.rest"}, n: 46 - collect},
		), allocProfile(sample{stack: []string{"m/x.make"}, n: 100, size: 64}), nil)
		s.BytesPerOp = 64
		res := Run(registryOf(t, ruleFor("alloc", "m/x.make", 20)), []*Subject{s})
		if got := len(res.Findings) == 1; got != above {
			t.Errorf("%d of 46 samples collect: above is %v", collect, got)
		}
	}
}

// Below its minimum a rule's share of CPU time is shown and does not count;
// the result says so, and counted bytes stand.
func TestTooFewSamples(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.slow", "runtime.mallocgc"}, n: 199})
	allocs := allocProfile(sample{stack: []string{"m/x.slow"}, n: 5, size: 100})
	s := subject("BenchmarkX", cpu, allocs, nil)
	s.BytesPerOp = 500
	reg := registryOf(t, ruleFor("slow", "m/x.slow", 200))
	res := Run(reg, []*Subject{s})
	if len(res.Findings) != 1 || res.Findings[0].CPURatio != 1 || res.Findings[0].AllocBytesRatio != 1 || res.Findings[0].CeilingRatio != 100 {
		t.Errorf("findings: %+v", res.Findings)
	}
	if f := res.Findings[0]; f.Confidence != finding.Medium || !f.FewSamples() || f.CPUSamples != 199 || f.CPUSamplesNeeded != 200 || f.Unknown != (finding.Unknown{Delay: true}) {
		t.Errorf("199 of 200 samples: %+v", f)
	}
	if len(res.Warnings) != 0 { // the verdict says it
		t.Errorf("warnings: %q", res.Warnings)
	}
	other := subject("BenchmarkY", cpu, nil, nil)
	want := "too few samples to report on CPU time: BenchmarkX has 199 of the base and needs 200, BenchmarkY has 199 of the base and needs 200; raise -budget or -benchtime"
	if got := Run(reg, []*Subject{other, s}).Warnings; len(got) != 1 || got[0] != want {
		t.Errorf("of two benchmarks: %q", got)
	}
	if v := res.Verdict; v.Kind != TooFewSamples || !strings.Contains(v.Text, "199") || !strings.Contains(v.Text, "200 needed") || !strings.Contains(v.Text, "-budget") {
		t.Errorf("verdict: %+v", v)
	}
	if strings.Contains(res.Verdict.Text, "nothing worth changing") {
		t.Error("silence for lack of samples is called a clean bill")
	}
	// Every rule lacks the same samples: it is said once, for the one that needs most.
	three := registryOf(t, ruleFor("slow", "m/x.slow", 200), ruleFor("slower", "m/x.slow", 300), ruleFor("slowest", "m/x.slow", 200))
	if res = Run(three, []*Subject{s, other}); len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "BenchmarkX has 199 of the base and needs 300") {
		t.Errorf("three rules warn: %q", res.Warnings)
	}
	s.CPU = cpuProfile(sample{stack: []string{"m/x.slow", "runtime.mallocgc"}, n: 200})
	if res = Run(reg, []*Subject{s}); res.Findings[0].CPURatio != 1 || len(res.Warnings) != 0 {
		t.Errorf("with 200 samples: %+v %q", res.Findings, res.Warnings)
	}
}

// One place in two benchmarks is one finding with the largest figures of
// both: CPU from one, bytes from the other. A third, where it stays below the
// threshold, is not named.
func TestMergeOverBenchmarks(t *testing.T) {
	one := subject("BenchmarkB",
		cpuProfile(sample{stack: []string{"m/x.slow", "runtime.mallocgc"}, n: 300}, sample{stack: []string{"m/x.rest"}, n: 100}),
		allocProfile(sample{stack: []string{"m/x.slow"}, n: 1, size: 100}, sample{stack: []string{"m/x.rest"}, n: 1, size: 300}), nil)
	two := subject("BenchmarkA",
		cpuProfile(sample{stack: []string{"m/x.slow", "runtime.mallocgc"}, n: 100}, sample{stack: []string{"m/x.rest"}, n: 300}),
		allocProfile(sample{stack: []string{"m/x.slow"}, n: 1, size: 600}, sample{stack: []string{"m/x.rest"}, n: 1, size: 400}), nil)
	three := subject("BenchmarkC",
		cpuProfile(sample{stack: []string{"m/x.slow"}, n: 10}, sample{stack: []string{"m/x.rest"}, n: 990}), nil, nil)
	for _, s := range []*Subject{one, two} {
		s.BytesPerOp = 400
	}
	reg := registryOf(t, ruleFor("slow", "m/x.slow", 200))
	var first Result
	for i, order := range [][]*Subject{{one, two, three}, {three, two, one}, {two, three, one}} {
		res := Run(reg, order)
		if len(res.Findings) != 1 || len(res.Below) != 0 {
			t.Fatalf("%d findings, %d below", len(res.Findings), len(res.Below))
		}
		f := res.Findings[0]
		if !near(f.CPURatio, 0.75) || !near(f.AllocBytesRatio, 0.6) || !near(f.CeilingRatio, 4) {
			t.Errorf("cpu %v bytes %v ceiling %v", f.CPURatio, f.AllocBytesRatio, f.CeilingRatio)
		}
		if !slices.Equal(f.Benchmarks, []string{"BenchmarkA", "BenchmarkB"}) {
			t.Errorf("benchmarks %q", f.Benchmarks)
		}
		if i == 0 {
			first = res
		} else if !reflect.DeepEqual(res, first) {
			t.Errorf("the result depends on the order of the benchmarks:\n%+v\n%+v", res, first)
		}
	}
}

// The heaviest benchmark, here by its bytes, has the word; the other one's
// larger share of CPU, 0.5, still counts, and gives the ceiling 1/(1−0.5) = 2.
func TestMergeTakesTheLargestShares(t *testing.T) {
	heavy := subject("BenchmarkA",
		cpuProfile(sample{stack: []string{"m/x.slow", "runtime.mallocgc"}, n: 80}, sample{stack: []string{"m/x.rest"}, n: 320}),
		allocProfile(sample{stack: []string{"m/x.slow"}, n: 9, size: 100}, sample{stack: []string{"m/x.rest"}, n: 1, size: 100}), nil)
	heavy.BytesPerOp = 1000
	other := subject("BenchmarkB",
		cpuProfile(sample{stack: []string{"m/x.slow"}, n: 200}, sample{stack: []string{"m/x.rest"}, n: 200}), nil, nil)
	r := ruleFor("slow", "m/x.slow", 200)
	find := r.Find
	r.Find = func(s *Subject) []Claim {
		cs := find(s)
		cs[0].Why = s.Benchmark
		return cs
	}
	f := Run(registryOf(t, r), []*Subject{other, heavy}).Findings[0]
	if !near(f.CPURatio, 0.5) || !near(f.AllocBytesRatio, 0.9) || !near(f.CeilingRatio, 2) || f.Why != "BenchmarkA" {
		t.Errorf("cpu %v bytes %v ceiling %v in the words of %s", f.CPURatio, f.AllocBytesRatio, f.CeilingRatio, f.Why)
	}
}

func TestCoveredClaims(t *testing.T) {
	cpu := cpuProfile(
		sample{stack: []string{"m/x.handle", "m/x.log", "fmt.Sprint"}, n: 300},
		sample{stack: []string{"m/x.other", "fmt.Sprint"}, n: 100},
		sample{stack: []string{"m/x.rest"}, n: 600},
	)
	outer := ruleFor("outer", "m/x.log", 200)
	outer.Covers = []string{"inner"}
	at := func(line int, fn string) Rule {
		r := ruleFor("inner", fn, 200)
		r.Find = func(s *Subject) []Claim {
			return []Claim{{Place: Location{Function: fn, File: "/m/x.go", Line: line, EndLine: line}, Cost: Samples{CPU: through(s.CPU, fn)}}}
		}
		return r
	}
	for _, test := range []struct {
		name  string
		inner Rule
		want  int // findings
	}{
		{"inside the statement", at(7, "fmt.Sprint"), 1},
		{"elsewhere, all its samples inside", at(40, "m/x.log"), 1},
		{"elsewhere, 100 of 1000 outside", at(40, "fmt.Sprint"), 2},
		{"elsewhere altogether", at(40, "m/x.other"), 2},
	} {
		res := Run(registryOf(t, outer, test.inner), []*Subject{subject("B", cpu, nil, nil)})
		if len(res.Findings) != test.want || len(res.Below) != 0 {
			t.Errorf("%s: %d findings, %d below; want %d and none", test.name, len(res.Findings), len(res.Below), test.want)
		}
	}
}

// Findings come most worth first, and equal ones by place.
func TestOrder(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.a"}, n: 100}, sample{stack: []string{"m/x.b"}, n: 300}, sample{stack: []string{"m/x.c"}, n: 100})
	var rules []Rule
	for _, id := range []string{"a", "b", "c"} {
		rules = append(rules, ruleFor(id, "m/x."+id, 200))
	}
	want := []string{"b", "a", "c"}
	for range 3 {
		rules = append(rules[1:], rules[0])
		var got []string
		for _, f := range Run(registryOf(t, rules...), []*Subject{subject("B", cpu, nil, nil)}).Findings {
			got = append(got, f.Rule)
		}
		if !slices.Equal(got, want) {
			t.Errorf("order %q, want %q", got, want)
		}
	}
}

// Findings stand in order of worth. Of the process's 1,000 samples scan holds 250
// and copy 100, and the collector takes 200, 50 % of the bytes copy's and 30 %
// box's: (100 + 0.5·200) / 1000 = 0.2 after scan's 0.25. Box's claim selects no
// CPU sample, and the allocator takes 50 of the base: 0.3·(200 + 50) / 1000 =
// 0.075. By their largest share both would stand before scan.
func TestFindingsByWorth(t *testing.T) {
	s := subject("B", cpuProfile(
		sample{stack: []string{"m/x.copy"}, n: 100}, sample{stack: []string{"m/x.scan"}, n: 250}, sample{stack: []string{"m/x.rest"}, n: 400},
		sample{stack: []string{"m/x.rest", "runtime.mallocgc"}, n: 50},
		sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: 200, class: hot.Background},
	), allocProfile(
		sample{stack: []string{"m/x.copy"}, n: 50, size: 1 << 10}, sample{stack: []string{"m/x.box"}, n: 30, size: 1 << 10}, sample{stack: []string{"m/x.rest"}, n: 20, size: 1 << 10},
	), nil)
	s.BytesPerOp = 1024
	fs := Run(registryOf(t, ruleFor("copy", "m/x.copy", 1), ruleFor("scan", "m/x.scan", 1), bytesRule("box", "m/x.box")), []*Subject{s}).Findings
	if order(fs) != "scan copy box" || !near(fs[0].WorthRatio, 0.25) || !near(fs[1].WorthRatio, 0.2) || !near(fs[2].WorthRatio, 0.075) {
		t.Errorf("%s: %+v", order(fs), fs)
	}
}

// bytesRule claims the bytes that a function allocates, and no CPU time.
func bytesRule(id, fn string) Rule {
	r := ruleFor(id, fn, 1)
	find := r.Find
	r.Find = func(s *Subject) []Claim {
		cs := find(s)
		cs[0].Cost.CPU = nil
		return cs
	}
	return r
}

func TestRuleIsNotAskedWithoutEvidence(t *testing.T) {
	r := ruleFor("lock", "m/x.f", 1)
	r.Evidence = []EvidenceKind{EvidenceMutex, EvidenceSource}
	r.Find = func(*Subject) []Claim { t.Error("asked"); return nil }
	res := Run(registryOf(t, r), []*Subject{subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: 500}), nil, nil)})
	if len(res.Warnings) != 0 || len(res.NotAsked) != 1 || !strings.Contains(res.NotAsked[0], "rules without input, because their profiles were not recorded: lock") {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// Evidence that a rule cannot do without must be there, whatever else is.
func TestEssentialEvidence(t *testing.T) {
	asked := false
	r := ruleFor("lock", "m/x.f", 1)
	r.Essential = []EvidenceKind{EvidenceMutex, EvidenceCPU}
	r.Find = func(*Subject) []Claim { asked = true; return nil }
	cpu := cpuProfile(sample{stack: []string{"m/x.f"}, n: 500})
	res := Run(registryOf(t, r), []*Subject{subject("B", cpu, nil, nil)})
	if asked || len(res.Asked) != 0 || res.Looked != 0 || len(res.Warnings) != 0 || !slices.Equal(res.NotAsked, []string{"B: lock was not applied: no mutex profile was recorded"}) {
		t.Errorf("asked %v, %q of %d, warnings %q, not asked %q", asked, res.Asked, res.Looked, res.Warnings, res.NotAsked)
	}
	res = Run(registryOf(t, r), []*Subject{subject("B", cpu, nil, mutexProfile())})
	if !asked || !slices.Equal(res.Asked, []string{"lock"}) || len(res.Warnings) != 0 {
		t.Errorf("with all: asked %v, %q, warnings %q", asked, res.Asked, res.Warnings)
	}
	r.Essential = []EvidenceKind{EvidenceBlock}
	if _, err := NewRegistry(r); err == nil {
		t.Error("essential evidence that the rule does not read is taken")
	}
}

// A share of few samples is shown, but makes no finding; without a CPU sample
// there is no share to show.
func TestSharesOfFewSamplesAndOfNone(t *testing.T) {
	reg := registryOf(t, ruleFor("slow", "m/x.slow", 200))
	slow := sample{stack: []string{"m/x.slow"}, n: 33}
	// 33 of 101 samples, and 4 % of the bytes.
	few := subject("BenchmarkFew", cpuProfile(slow, sample{stack: []string{"m/x.rest", "runtime.mallocgc"}, n: 68}),
		allocProfile(sample{stack: []string{"m/x.slow"}, n: 4, size: 100}, sample{stack: []string{"m/x.rest"}, n: 96, size: 100}), nil)
	res := Run(reg, []*Subject{few})
	if len(res.Findings) != 0 || len(res.Below) != 1 {
		t.Fatalf("%+v", res)
	}
	if f := res.Below[0]; !near(f.CPURatio, 33.0/101) || !near(f.CeilingRatio, 101.0/68) || f.Confidence != finding.Low || f.CPUSamples != 101 {
		t.Errorf("33 of 101 samples: %+v", f)
	}
	// Counted bytes make it a finding, whose share of time stays rough.
	few.Allocs = allocProfile(sample{stack: []string{"m/x.slow"}, n: 6, size: 100}, sample{stack: []string{"m/x.rest"}, n: 94, size: 100})
	if res = Run(reg, []*Subject{few}); len(res.Findings) != 1 || res.Findings[0].Confidence != finding.Medium || !near(res.Findings[0].CPURatio, 33.0/101) {
		t.Errorf("6 %% of the bytes: %+v", res.Findings)
	}
	none := subject("BenchmarkNone", nil, few.Allocs, nil)
	idle := subject("BenchmarkIdle", cpuProfile(sample{stack: []string{"runtime.gcBgMarkWorker"}, n: 50, class: hot.Background}), few.Allocs, mutexProfile(sample{stack: []string{"m/x.slow"}, n: 1e9}))
	for _, s := range []*Subject{none, idle} {
		if f := Run(reg, []*Subject{s}).Findings[0]; f.Unknown != (finding.Unknown{CPU: true, Delay: true}) || f.Weight() != 0.06 || f.Confidence == finding.High {
			t.Errorf("%s: %+v", s.Benchmark, f)
		}
	}
	counted := subject("BenchmarkTime", cpuProfile(sample{stack: []string{"m/x.slow"}, n: 20}, sample{stack: []string{"m/x.rest"}, n: 180}), nil, nil)
	if f := Run(reg, []*Subject{counted}).Findings[0]; f.Unknown != (finding.Unknown{AllocBytes: true, Delay: true}) {
		t.Errorf("no allocation profile: %+v", f.Unknown)
	}
	// Over benchmarks, 20 of 200 samples stand before 33 of 101, and those before none.
	for _, order := range [][]*Subject{{counted, few, none}, {none, few, counted}, {few, none, counted}} {
		f := Run(reg, order).Findings[0]
		if !near(f.CPURatio, 0.1) || f.CPUSamples != 200 || f.FewSamples() || !near(f.AllocBytesRatio, 0.06) || f.Unknown != (finding.Unknown{Delay: true}) {
			t.Errorf("merged: %+v", f)
		}
	}
	for _, order := range [][]*Subject{{few, none}, {none, few}} {
		if f := Run(reg, order).Findings[0]; !near(f.CPURatio, 33.0/101) || f.CPUSamples != 101 || f.Unknown.CPU {
			t.Errorf("merged: %+v", f)
		}
	}
}

// The place has 571 of 861 samples of the base and all of its bytes; 122
// samples of the background collect, and 40 schedule, which are no garbage's.
// Without the place and its garbage (861+122) − (571+122) = 290 remain:
// 983/290 = 3.39.
func TestCeilingWithTheCollectorsWork(t *testing.T) {
	build := func(name string, slow, gc int64) *Subject {
		return subject(name, cpuProfile(
			sample{stack: []string{"m/x.slow"}, n: slow}, sample{stack: []string{"m/x.rest"}, n: 861 - slow},
			sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: gc - gc/3, class: hot.Background},
			sample{stack: []string{"runtime.bgsweep"}, n: gc / 3, class: hot.Background},
			sample{stack: []string{"runtime.mcall", "runtime.schedule"}, n: 40, class: hot.Background},
		), allocProfile(sample{stack: []string{"m/x.slow"}, n: 10, size: 64}), nil)
	}
	reg := registryOf(t, ruleFor("slow", "m/x.slow", 200))
	one, two := build("BenchmarkA", 571, 122), build("BenchmarkB", 580, 0)
	if f := Run(reg, []*Subject{one}).Findings[0]; !near(f.CeilingRatio, 861.0/290) || math.Abs(f.CeilingWithGCRatio-983.0/290) > 1e-9 {
		t.Errorf("ceilings %v and %v", f.CeilingRatio, f.CeilingWithGCRatio)
	}
	// Half of it is avoidable: (861 + 122) − (571 + 122)/2 = 636.5 remain, and
	// 861 − 571/2 = 575.5 of the base.
	half := registryOf(t, func() Rule {
		r, find := ruleFor("slow", "m/x.slow", 200), ruleFor("slow", "m/x.slow", 200).Find
		r.Find = func(s *Subject) []Claim {
			cs := find(s)
			cs[0].Removed = Removed{Time: 0.5, Bytes: 0.5}
			return cs
		}
		return r
	}())
	if f := Run(half, []*Subject{one}).Findings[0]; !near(f.CeilingRatio, 861/575.5) || math.Abs(f.CeilingWithGCRatio-983/636.5) > 1e-9 {
		t.Errorf("of half: ceilings %v and %v", f.CeilingRatio, f.CeilingWithGCRatio)
	}
	// No work of the collector's: both are the same.
	if f := Run(reg, []*Subject{two}).Findings[0]; !near(f.CeilingRatio, 861.0/281) || f.CeilingWithGCRatio != f.CeilingRatio {
		t.Errorf("ceilings %v and %v", f.CeilingRatio, f.CeilingWithGCRatio)
	}
	for _, order := range [][]*Subject{{one, two}, {two, one}} {
		if f := Run(reg, order).Findings[0]; !near(f.CeilingRatio, 861.0/281) || math.Abs(f.CeilingWithGCRatio-983.0/290) > 1e-9 {
			t.Errorf("merged: ceilings %v and %v", f.CeilingRatio, f.CeilingWithGCRatio)
		}
	}
}

// What the rules looked at: benchmarks with a profile that one of them reads.
func TestLookedAt(t *testing.T) {
	lock := ruleFor("lock", "m/x.f", 1)
	lock.Evidence = []EvidenceKind{EvidenceMutex}
	cpu := ruleFor("cpu", "m/x.f", 1)
	cpu.Evidence = []EvidenceKind{EvidenceCPU}
	res := Run(registryOf(t, lock, cpu), []*Subject{
		subject("A", cpuProfile(sample{stack: []string{"m/x.g"}, n: 1}), nil, nil), subject("B", nil, nil, nil),
		subject("C", cpuProfile(sample{stack: []string{"m/x.g"}, n: 1}), nil, nil),
	})
	if !slices.Equal(res.Asked, []string{"cpu"}) || res.Looked != 2 {
		t.Errorf("asked %q about %d benchmarks", res.Asked, res.Looked)
	}
}

// A profile with a rate of 512 KiB sees an object of 1 KiB with the probability
// 1 − e^(−1/512) = 0.0019512, so that 102,400 of them are 199.8 that were seen,
// and one of 1 GiB always: e^(−2048) is nothing.
func TestSampledAllocations(t *testing.T) {
	of := func(small, large int64) *Subject {
		allocs := allocProfile(
			sample{stack: []string{"m/x.hot"}, n: small, size: 1 << 10},
			sample{stack: []string{"m/x.rest"}, n: large, size: 1 << 30},
			sample{stack: []string{"runtime.main"}, n: 1 << 20, size: 1 << 10, class: hot.Background},
		)
		allocs.Period = 512 << 10
		s := subject("x", nil, allocs, nil)
		s.Kind = recording.TargetProgram
		return s
	}
	if n := of(102_400, 0).AllocSamples(); n != 200 {
		t.Errorf("%d samples, want 200", n)
	}
	if n := of(0, 7).AllocSamples(); n != 7 {
		t.Errorf("%d samples of large objects, want 7", n)
	}
	counted := of(102_400, 0)
	counted.Allocs.Period = 1
	if n := counted.AllocSamples(); n != 0 {
		t.Errorf("%d samples where every allocation is counted", n)
	}

	// All bytes are in one place: of 200 samples that is a finding, of 100 it is
	// said and makes none.
	for _, test := range []struct {
		objects  int64
		findings int
	}{{102_400, 1}, {51_200, 0}} {
		res := Run(registryOf(t, ruleFor("hot", "m/x.hot", 200)), []*Subject{of(test.objects, 0)})
		all := slices.Concat(res.Findings, res.Below)
		if len(res.Findings) != test.findings || len(all) != 1 || all[0].AllocBytesRatio != 1 || all[0].FewAllocs() != (test.findings == 0) {
			t.Errorf("%d objects: %d findings, %+v", test.objects, len(res.Findings), all)
		}
	}
}
