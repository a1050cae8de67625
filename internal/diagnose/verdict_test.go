package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/recording"
)

func verdictOf(t *testing.T, subjects ...*Subject) Verdict {
	t.Helper()
	return Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), subjects).Verdict
}

func TestVerdictCPUBound(t *testing.T) {
	for _, test := range []struct {
		name string
		cpu  *hot.Classified
		want string
	}{
		// entry → serve pass 1000 of 1000 on, parse holds 610: it is the
		// deepest own function with half of the base or more.
		{"deepest", cpuProfile(
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.parse", "strings.Index"}, n: 610},
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.other"}, n: 390},
		), "CPU-bound in m/x.parse (61.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 61.0 % of the time"},
		{"nothing below holds half", cpuProfile(
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.a"}, n: 400},
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.b"}, n: 300},
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.c"}, n: 300},
		), "CPU-bound in m/x.serve (100.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 40.0 % of the time"},
		{"not ours", cpuProfile(
			sample{stack: []string{"crypto/sha256.Sum256", "crypto/sha256.block"}, n: 900},
			sample{stack: []string{"m/x.small"}, n: 100},
		), "CPU-bound in crypto/sha256.block (90.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 10.0 % of the time"},
		{"recursion counts once", cpuProfile(
			sample{stack: []string{"m/x.walk", "m/x.walk", "m/x.walk"}, n: 500},
			sample{stack: []string{"m/y.z"}, n: 500},
		), "CPU-bound in m/x.walk (50.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 50.0 % of the time"},
		{"spread", cpuProfile(
			sample{stack: []string{"m/x.a"}, n: 400}, sample{stack: []string{"m/x.b"}, n: 300}, sample{stack: []string{"m/x.c"}, n: 300},
		), "CPU-bound, spread over many functions; no rule found a cause: look first at /m/x.go:1, worth 40.0 % of the time"},
	} {
		v := verdictOf(t, subject("B", test.cpu, nil, nil))
		if v.Kind != CPUBound || v.Text != test.want {
			t.Errorf("%s: %s %q, want %q", test.name, v.Kind, v.Text, test.want)
		}
	}
}

// Where a cause is known, though it holds less than the threshold, the verdict
// does not say that none is.
func TestVerdictBelowTheThreshold(t *testing.T) {
	s := subject("B", cpuProfile(sample{stack: []string{"m/x.work", "strings.Index"}, n: 970}, sample{stack: []string{"m/x.f"}, n: 30}), nil, nil)
	res := Run(registryOf(t, ruleFor("f", "m/x.f", 200)), []*Subject{s})
	if len(res.Findings) != 0 || len(res.Below) != 1 || !strings.Contains(res.Verdict.Text, "; no finding reaches 5.0 %: look first at ") {
		t.Errorf("%d and %d findings: %q", len(res.Findings), len(res.Below), res.Verdict.Text)
	}
}

// 250 samples allocate in the base and 150 collect; base and background are
// 800 + 200: 400/1000 is the bound.
func TestVerdictAllocationBound(t *testing.T) {
	build := func(malloc int64) *Subject {
		s := subject("B", cpuProfile(
			sample{stack: []string{"m/x.make", "runtime.mallocgc"}, n: malloc},
			sample{stack: []string{"m/x.rest"}, n: 800 - malloc},
			sample{stack: []string{"runtime.gcBgMarkWorker", "runtime.gcDrain"}, n: 150, class: hot.Background},
			sample{stack: []string{"runtime.mcall", "runtime.schedule"}, n: 50, class: hot.Background},
		), allocProfile(
			sample{stack: []string{"m/x.serve", "m/x.make"}, n: 8, size: 100},
			sample{stack: []string{"m/x.serve"}, n: 2, size: 100},
		), nil)
		s.BytesPerOp = 1000
		return s
	}
	v := verdictOf(t, build(250))
	if v.Kind != AllocationBound || v.Text != "Allocation-bound: allocation and garbage collection take 40.0 % of CPU time, 80.0 % of the bytes in m/x.make; near the threshold: allocation and garbage collection take 40.0 % ± 3.0 of CPU time, and the limit between allocation-bound and CPU-bound is 40.0 %; no rule found a cause: look first at /m/x.go:1, worth 57.9 % of the time" {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	if v = verdictOf(t, build(249)); v.Kind != CPUBound || !strings.Contains(v.Text, "; near the threshold: allocation and garbage collection take 39.9 % ± 3.0 of CPU time") {
		t.Errorf("39.9 %%: %s %q", v.Kind, v.Text)
	}
	// Wilson's interval of 370 of 1000 ends at 0.4004, that of 430 begins at 0.3996; those of 369 and 431 leave 0.4 out.
	for malloc, near := range map[int64]bool{219: false, 220: true, 280: true, 281: false} {
		if v = verdictOf(t, build(malloc)); strings.Contains(v.Text, "near the threshold") != near {
			t.Errorf("%d + 150 of 1000: %q", malloc, v.Text)
		}
	}
	// The collector takes 150 of 1000; five times 12 MiB are 60.
	for _, test := range []struct {
		kind string
		live Rise
		says bool
	}{
		{recording.TargetProgram, Rise{Known: true, To: 12 << 20}, true},
		{recording.TargetService, Rise{Known: true, To: 200 << 20}, true},
		{recording.TargetService, Rise{Known: true, To: 200<<20 + 1}, false},
		{recording.TargetProgram, Rise{Known: true, Steady: true, To: 12 << 20}, false}, // it leaks
		{recording.TargetProgram, Rise{}, false},
		{recording.TargetBenchmark, Rise{Known: true, To: 12 << 20}, false},
	} {
		s := build(250)
		s.Kind, s.LiveHeap = test.kind, test.live
		v := verdictOf(t, s)
		if strings.Contains(v.Text, "garbage collection takes 15.0 % of CPU time for ") != test.says || test.live.To == 12<<20 && test.says && !strings.Contains(v.Text, "a live heap of 12 MiB: GOGC=400 makes collections a quarter as frequent as the default, with a heap of some 60 MiB") {
			t.Errorf("%s, %+v: %q", test.kind, test.live, v.Text)
		}
	}
}

// 300 samples of 10 ms are 3 s of CPU time.
func TestVerdictWaiting(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.f"}, n: 300})
	cpu.Duration = 6e9
	if v := verdictOf(t, subject("B", cpu, nil, nil)); v.Kind != CPUBound {
		t.Errorf("half busy: %s %q", v.Kind, v.Text)
	}
	// A tenth busy and nothing parked: somebody else had the CPU.
	cpu.Duration = 30e9
	if v := verdictOf(t, subject("B", cpu, nil, nil)); v.Kind != CPUBound {
		t.Errorf("starved: %s %q", v.Kind, v.Text)
	}
	if w := Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{subject("B", cpu, nil, nil)}).Warnings; len(w) != 1 || !strings.Contains(w[0], "B got 10.0 % of a processor, yet") {
		t.Errorf("starved: warnings %q", w)
	}
	parking := sample{stack: []string{"runtime.mcall", "runtime.park_m", "runtime.findRunnable"}, n: 40, class: hot.Background}
	// The collector's workers are looked for more than anything else.
	cpu = cpuProfile(sample{stack: []string{"m/x.f"}, n: 210}, parking, sample{stack: []string{"runtime.gcBgMarkWorker"}, n: 50, class: hot.Background})
	cpu.Duration = 30e9
	if v := verdictOf(t, subject("B", cpu, nil, nil)); v.Kind != CPUBound {
		t.Errorf("starved while collecting: %s %q", v.Kind, v.Text)
	}
	// A goroutine that makes way for others could go on.
	for _, way := range []string{"runtime.gosched_m", "runtime.gopreempt_m"} {
		cpu = cpuProfile(sample{stack: []string{"m/x.f"}, n: 260}, sample{stack: []string{"runtime.mcall", way, "runtime.goschedImpl", "runtime.schedule"}, n: 40, class: hot.Background})
		cpu.Duration = 30e9
		if v := verdictOf(t, subject("B", cpu, nil, nil)); v.Kind != CPUBound {
			t.Errorf("starved while making way by %s: %s %q", way, v.Kind, v.Text)
		}
	}
	cpu = cpuProfile(sample{stack: []string{"m/x.f"}, n: 260}, parking)
	cpu.Duration = 30e9
	v := verdictOf(t, subject("B", cpu, nil, nil))
	if v.Kind != Waiting || !strings.Contains(v.Text, "for 10.0 % of the wall time") || !strings.HasSuffix(v.Text, "the costliest place is /m/x.go:1") {
		t.Errorf("a tenth busy: %s %q", v.Kind, v.Text)
	}
	// Half a minute of which others took nine tenths, and a benchmark that parks
	// but has the CPU for 6 of 10 s: neither waits, nor do both together, though
	// 900 samples in 40 s are 22.5 % and 150 of them park.
	starved := cpuProfile(sample{stack: []string{"m/x.f"}, n: 300})
	starved.Duration = 30e9
	parking.n = 150
	busy := cpuProfile(sample{stack: []string{"m/x.f"}, n: 450}, parking)
	busy.Duration = 10e9
	if v := verdictOf(t, subject("A", starved, nil, nil), subject("B", busy, nil, nil)); v.Kind != CPUBound {
		t.Errorf("one starved, one busy: %s %q", v.Kind, v.Text)
	}
	// What waits by itself waits beside one that was starved, too: 260 + 40
	// samples in 30 s.
	if v := verdictOf(t, subject("A", starved, nil, nil), subject("B", cpu, nil, nil)); v.Kind != Waiting || !strings.Contains(v.Text, "for 10.0 % of the wall time") {
		t.Errorf("one starved, one waiting: %s %q", v.Kind, v.Text)
	}
	// Few samples because nothing ran is waiting, not a lack of samples.
	idle := cpuProfile(sample{stack: []string{"m/x.f"}, n: 3})
	idle.Duration = 5e9
	if v := verdictOf(t, subject("B", idle, nil, nil)); v.Kind != Waiting {
		t.Errorf("idle: %s %q", v.Kind, v.Text)
	}
	// 0.9 s are too short to tell, were it ever so idle: 3 samples are 3.3 %.
	idle.Duration = 9e8
	if v := verdictOf(t, subject("B", idle, nil, nil)); v.Kind != TooFewSamples {
		t.Errorf("short: %s %q", v.Kind, v.Text)
	}
}

// 300 samples of 10 ms are 3 s of 10 s, and the runtime's scheduler has a fifth
// of them. What the process did meanwhile the system's scheduler says: ready for
// 6.5 s it used or wanted 9.5 s of 10 and does not wait; ready for 1 s it does;
// and with another process of its own for 5 s of the 6 that it waits, for that.
func TestVerdictByTheScheduler(t *testing.T) {
	build := func(kind string, delay, started int64) *Subject {
		cpu := cpuProfile(sample{stack: []string{"m/x.f"}, n: 240},
			sample{stack: []string{"runtime.mcall", "runtime.park_m", "runtime.findRunnable"}, n: 60, class: hot.Background})
		cpu.Duration = 10e9
		s := subject("B", cpu, nil, nil)
		s.Kind, s.Scheduling = kind, &recording.Scheduling{WallNs: 10e9, CPUNs: 3e9, RunDelayNs: delay, ChildrenNs: started}
		return s
	}
	for _, kind := range []string{recording.TargetBenchmark, recording.TargetProgram} {
		s := build(kind, 65e8, 0)
		res := Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{s})
		if res.Verdict.Kind != CPUBound || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "B got 30.0 % of a processor: the machine was busy with other processes, so times are too long and samples too few; it could have used 0.95 processors") {
			t.Errorf("%s starved: %+v, warnings %q", kind, res.Verdict, res.Warnings)
		}
		if v := verdictOf(t, build(kind, 1e9, 0)); v.Kind != Waiting || !strings.Contains(v.Text, "what it waits for (locks, channels") {
			t.Errorf("%s waits: %+v", kind, v)
		}
		if v := verdictOf(t, build(kind, 1e9, 5e9)); v.Kind != Waiting || !strings.HasPrefix(v.Text, "Waiting for child processes: the process used the CPU for 30.0 % of the wall time, and a child process ran for 50.0 % of it") {
			t.Errorf("%s waits for others: %+v", kind, v)
		}
	}
	// Both together are judged by the sums, and one of which nothing is known by
	// the profiles.
	unknown := build(recording.TargetBenchmark, 0, 0)
	unknown.Scheduling = nil
	if v := verdictOf(t, build(recording.TargetBenchmark, 65e8, 0), unknown); v.Kind != Waiting || !strings.Contains(v.Text, "for 30.0 %") {
		t.Errorf("one unknown: %+v", v)
	}
}

func TestVerdictWithoutProfiles(t *testing.T) {
	if v := verdictOf(t); v.Kind != TooFewSamples || v.Text == "" {
		t.Errorf("nothing: %+v", v)
	}
	if v := verdictOf(t, subject("B", nil, nil, nil)); v.Kind != TooFewSamples {
		t.Errorf("no CPU profile: %+v", v)
	}
}

// Where no CPU time was recorded, the share is of what was.
func TestSpreadOfBytes(t *testing.T) {
	var samples []sample
	for i := range 50 {
		samples = append(samples, sample{stack: []string{fmt.Sprintf("m/x.f%d:%d", i, 10*i+1)}, n: 300, size: 16})
	}
	s := subject("B", nil, lineProfile(allocTypes, samples...), nil)
	if v := verdictOf(t, s); v.Outcome != OutcomeSpread || !strings.Contains(v.Text, "no place accounts for 5.0 % of the bytes; the largest, ") {
		t.Errorf("%s: %q", v.Outcome, v.Text)
	}
}

// The benchmark function itself is no bottleneck where the code under test is.
func TestVerdictNamesNoBenchmark(t *testing.T) {
	var loops hot.Loops
	if err := loops.AddFile("/m/x.go", []byte("package x; func BenchmarkX(b *testing.B) { for b.Loop() { f() } }")); err != nil {
		t.Fatal(err)
	}
	s := subject("B", cpuProfile(sample{stack: []string{"m/x.BenchmarkX", "crypto/sha256.Sum256"}, n: 300}), nil, nil)
	s.Loops = &loops
	// Every frame of these tests is on line 1 of x.go, so all are left out.
	if v := verdictOf(t, s); v.Outcome != OutcomeSpread || v.Text != "CPU-bound, spread over many functions; no place accounts for 5.0 % of CPU time; 100.0 % is the benchmark's own work" {
		t.Errorf("%q", v.Text)
	}
}

// What hands requests to handlers is no bottleneck. Of a service's own functions
// that hold less than half, the one with the most is named: of 1000 samples the
// middleware and the page under it have 410.
func TestVerdictNamesNoPlumbing(t *testing.T) {
	serve := func(below ...string) []string {
		return append([]string{"net/http.(*conn).serve", "net/http.serverHandler.ServeHTTP", "net/http.(*ServeMux).ServeHTTP", "net/http.HandlerFunc.ServeHTTP"}, below...)
	}
	page := sample{stack: serve("m/x.guard", "m/x.page", "encoding/json.Marshal"), n: 410}
	list := sample{stack: serve("m/x.list", "strings.Repeat"), n: 340}
	for _, test := range []struct {
		name, kind, want string
		samples          []sample
	}{
		{"several handlers", recording.TargetService, "CPU-bound, spread over many functions, most of it in calls from m/x.page (41.0 %); no rule found a cause: look first at /m/x.go:1, worth 41.0 % of the time",
			[]sample{page, list, {stack: []string{"net/http.(*conn).serve", "net/http.(*conn).readRequest"}, n: 250}}},
		{"one handler", recording.TargetService, "CPU-bound in m/x.page (67.2 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 67.2 % of the time",
			[]sample{page, {stack: []string{"net/http.(*conn).serve"}, n: 200}}},
		{"the server's own work", recording.TargetService, "CPU-bound in net/http.(*conn).readRequest (60.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 40.0 % of the time",
			[]sample{{stack: serve("m/x.list"), n: 400}, {stack: []string{"net/http.(*conn).serve", "net/http.(*conn).readRequest"}, n: 600}}},
		{"others of little weight", recording.TargetService, "CPU-bound, spread over many functions; no rule found a cause: look first at /m/x.go:1, worth 9.9 % of the time",
			[]sample{{stack: serve("m/x.list"), n: 99}, {stack: serve("a/b.c"), n: 450}, {stack: serve("a/b.d"), n: 451}}},
		{"grpc", recording.TargetService, "CPU-bound in m/x.page (100.0 % of CPU); /m/x.go:1 accounts for 100.0 %, nearly all of it in its own instructions: only another algorithm or fewer calls help",
			[]sample{{stack: []string{"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).handleStream", "m/x.page"}, n: 400}}},
	} {
		s := subject("x", cpuProfile(test.samples...), nil, nil)
		s.Kind = test.kind
		if v := verdictOf(t, s); v.Text != test.want {
			t.Errorf("%s: %q, want %q", test.name, v.Text, test.want)
		}
	}
}

// Few CPU samples say nothing of time, and the bytes speak for themselves: every
// one was counted, or enough were seen. Of objects of 1 MiB the runtime sees
// 1 − e^(−2) of 0.865: 231 of them are 200 samples, 230 are 199.
func TestVerdictOfBytes(t *testing.T) {
	build := func(period, objects int64) *Subject {
		allocs := allocProfile(sample{stack: []string{"m/x.run", "m/x.read"}, n: objects * 8 / 10, size: 1 << 20}, sample{stack: []string{"m/x.run"}, n: objects - objects*8/10, size: 1 << 20})
		allocs.Period = period
		return subject("x", cpuProfile(sample{stack: []string{"m/x.read"}, n: 196}), allocs, nil)
	}
	for _, test := range []struct {
		name            string
		period, objects int64
		want            string
	}{
		{"counted", 1, 10, "Too few CPU samples: 196 of the measured code in 1 benchmark, 200 needed; raise -budget or -benchtime; 80.0 % of the bytes are allocated in m/x.read"},
		{"many seen", 512 << 10, 2310, "80.0 % of the bytes are allocated in m/x.read"},
		{"enough seen", 512 << 10, 231, "% of the bytes are allocated in m/x.read"},
		{"too few seen", 512 << 10, 230, "Too few CPU samples: 196 of the measured code in 1 benchmark, 200 needed; raise -budget or -benchtime"},
	} {
		v := verdictOf(t, build(test.period, test.objects))
		if v.Kind != TooFewSamples || !strings.HasSuffix(v.Text, test.want) {
			t.Errorf("%s: %s %q, want %q", test.name, v.Kind, v.Text, test.want)
		}
	}
	s := build(1, 10)
	s.BytesPerOp = 0
	if v := verdictOf(t, s); strings.Contains(v.Text, "bytes") {
		t.Errorf("of no bytes: %q", v.Text)
	}
}

// What rose all along is no clean bill, whatever the bottleneck is.
func TestVerdictOfGrowth(t *testing.T) {
	rose := "goroutines rose steadily by 9.6 a second"
	s := running(recording.TargetService, Conditions{Growth: []string{rose, "the live heap rose steadily by 1.00 MiB a second"}})
	if v := verdictOf(t, s); v.Kind != CPUBound || v.Text != "CPU-bound in m/x.f (100.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 100.0 % of the time; and "+rose+"; and the live heap rose steadily by 1.00 MiB a second" {
		t.Errorf("%+v", v)
	}
	s.Run.Growth = s.Run.Growth[:1]
	if v := Run(registryOf(t, ruleFor("f", "m/x.f", 200)), []*Subject{s}).Verdict; v.Text != "CPU-bound in m/x.f (100.0 % of CPU); and "+rose {
		t.Errorf("with a finding: %+v", v)
	}
	s.CPU = cpuProfile(sample{stack: []string{"m/x.f"}, n: 3})
	if v := verdictOf(t, s); v.Kind != TooFewSamples || !strings.HasSuffix(v.Text, "; and "+rose) {
		t.Errorf("too few samples: %+v", v)
	}
}

// Of 2 processors for 10 s, 97 % busy, the target took 3 s and the generator 2:
// 19.4 s − 5 s are 1.44 processors for others.
func TestVerdictOnACrowdedMachine(t *testing.T) {
	for _, test := range []struct {
		name, kind string
		busy       float64
		generator  *int64
		want       string
	}{
		{"service", recording.TargetService, 0.97, of(int64(2e9)), "; other processes used 1.4 of 2 cores"},
		{"program", recording.TargetProgram, 0.97, nil, "; other processes used 1.6 of 2 cores"},
		{"half", recording.TargetService, 0.97, of(int64(7e9)), ""}, // 10 s are 1 processor for them, and 0.94 for others
		{"not full", recording.TargetService, 0.94, of(int64(2e9)), ""},
		{"the generator's share is unknown", recording.TargetService, 0.97, nil, ""},
	} {
		s := running(test.kind, Conditions{WallNs: 10e9, Cores: 2, MachineCores: 2, MachineBusy: &test.busy, TargetCPUNs: of(int64(3e9)), GeneratorCPUNs: test.generator})
		v := verdictOf(t, s)
		if test.want == "" && strings.Contains(v.Text, "other work") || !strings.HasSuffix(v.Text, test.want) {
			t.Errorf("%s: %q, want %q", test.name, v.Text, test.want)
		}
	}
}

// TestPool: benchmarks with too few samples each are judged by the sum, which is
// no third benchmark in the figures.
func TestPool(t *testing.T) {
	profile := func(hot, other int64) *hot.Classified {
		return cpuProfile(sample{stack: []string{"m/x.hot"}, n: hot}, sample{stack: []string{"m/x.other"}, n: other})
	}
	a, b := subject("A", profile(10, 90), nil, nil), subject("B", profile(60, 90), nil, nil)
	pool := subject("2 benchmarks", profile(70, 180), nil, nil)
	reg := registryOf(t, ruleFor("slow", "m/x.hot", 200))
	alone := Run(reg, []*Subject{a, b})
	if alone.Verdict.Kind != TooFewSamples || len(alone.Findings) != 0 || len(alone.Warnings) != 1 {
		t.Fatalf("without a pool: %+v", alone)
	}
	pool.Pool = []string{"A", "B"}
	res := Run(reg, []*Subject{a, pool, b})
	if v := res.Verdict; v.Kind != CPUBound || v.Outcome != OutcomeFindings || v.Text != "CPU-bound in m/x.other (72.0 % of CPU), over 2 benchmarks together, which have 250 samples" {
		t.Errorf("%+v", v)
	}
	if len(res.Findings) != 1 || len(res.Warnings) != 0 || res.Looked != 2 {
		t.Fatalf("%+v", res)
	}
	if f := res.Findings[0]; f.CPURatio != 70.0/250 || f.CPUSamples != 250 || f.FewSamples() || !slices.Equal(f.Benchmarks, []string{"A", "B"}) {
		t.Errorf("%+v", f)
	}
	for i, p := range res.HotPlaces {
		if *p.CPURatio != *alone.HotPlaces[i].CPURatio || (p.Finding != nil) != (*p.CPURatio == 70.0/250) {
			t.Errorf("%+v", p)
		}
	}
}
