package diagnose

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/recording"
)

// waitsAt has one sample of so many contentions and nanoseconds, at an unlock on
// line 7 of a file.
func waitsAt(file string, contentions, ns int64) *hot.Classified {
	b := callstack.NewBuilder(callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"})
	b.AddFrames([]callstack.Frame{
		{Function: "sync.(*Mutex).Unlock", File: "/go/src/sync/mutex.go", Line: 1},
		{Function: "m/x.note", File: file, Line: 7},
	}, nil, contentions, ns)
	return &hot.Classified{Frames: b.Frames(), LoopsKnown: true, Parallel: true, Class: make([]hot.Class, 1)}
}

// One wait of 115 ms in a run of 1 s, caught by a mutex profile that samples one
// contention in ten, reads as 10 · 0.115 s = 1.15 s, for each second of CPU time
// in 100 samples of 10 ms. The block profile, which counts every long wait, has
// the 0.115 s: 0.115/(0.115 + 1) = 10.3 % is no bottleneck. With 0.6 s there
// 0.6/1.6 = 37.5 % is one, and 600 ms a second are what the verdict says.
func TestOneSampledWaitIsNotTen(t *testing.T) {
	build := func(block int64, iterations int64) *Subject {
		s := subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: 100}), nil, waitsAt("/m/x.go", 10, 1_150e6))
		s.CPUIterations, s.MutexIterations, s.MutexFraction = 1000, 1000, 10
		if block > 0 {
			s.Block, s.BlockCol, s.BlockIterations = waitsAt("/m/x.go", 1, block), 1, iterations
		}
		return s
	}
	one := func(s *Subject) Verdict {
		return Run(registryOf(t, ruleFor("none", "m/x.absent", 50)), []*Subject{s}).Verdict
	}
	if v := one(build(115e6, 1000)); v.Kind != CPUBound {
		t.Errorf("%+v", v)
	}
	if v := one(build(600e6, 1000)); v.Kind != LockBound || !strings.Contains(v.Text, "wait for locks for 600 ms per second") {
		t.Errorf("%+v", v)
	}
	// 300 ms in half of the iterations are the same.
	if v := one(build(300e6, 500)); v.Kind != LockBound || !strings.Contains(v.Text, "wait for locks for 600 ms per second") {
		t.Errorf("%+v", v)
	}
	// The process had a processor for a quarter of the time it could have used
	// one: 600 ms of waiting are 150 ms of work that others waited for.
	crowded := build(600e6, 1000)
	crowded.Scheduling = &recording.Scheduling{WallNs: 4e9, CPUNs: 1e9, RunDelayNs: 3e9}
	if v := one(crowded); v.Kind != CPUBound {
		t.Errorf("%+v", v)
	}
	// The mutex profile alone is believed, as before.
	if v := one(build(0, 0)); v.Kind != LockBound {
		t.Errorf("%+v", v)
	}
}

// A delay of four sampled contentions, 40 in the profile, makes no finding of a
// claim that is not about waits alone; five do: 1.15/(1.15 + 1) is above the
// threshold.
func TestFewSampledWaitsMakeNoFinding(t *testing.T) {
	for contentions, want := range map[int64]int{40: 0, 50: 1} {
		s := subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: 100}), nil, waitsAt("/m/x.go", contentions, 1_150e6))
		s.MutexFraction = 10
		r := ruleFor("lock", "m/x.note", 50)
		r.Evidence = append(r.Evidence, EvidenceMutex)
		r.Find = func(s *Subject) []Claim {
			return []Claim{{Place: Location{Function: "m/x.note", File: "/m/x.go", Line: 7}, Cost: Samples{CPU: func(int) bool { return false }, Mutex: all}}}
		}
		if res := Run(registryOf(t, r), []*Subject{s}); len(res.Findings) != want {
			t.Errorf("%d contentions: %+v", contentions, res.Findings)
		}
	}
}

// Of 100 CPU samples 40 log in the test's file: no finding but a warning with
// the share, and the verdict is about the package. So is a lock of the test: 3 s
// by 3 s and 1 s of CPU time are 75 %.
func TestCodeOfTestsIsNoFinding(t *testing.T) {
	s := subject("BenchmarkX", cpuProfile(sample{stack: []string{"m/x.f"}, n: 60}, sample{stack: []string{"m/x.report"}, n: 40}), nil, waitsAt("/m/x_test.go", 100, 3e9))
	r := ruleFor("report", "m/x.report", 50)
	find := r.Find
	r.Find = func(s *Subject) []Claim {
		cs := find(s)
		for i := range cs {
			cs[i].Place.File = "/m/x_test.go"
		}
		return cs
	}
	res := Run(registryOf(t, r), []*Subject{s})
	if len(res.Findings) != 0 || len(res.Below) != 0 {
		t.Errorf("findings: %+v", res.Findings)
	}
	if res.Verdict.Kind != CPUBound {
		t.Errorf("verdict: %+v", res.Verdict)
	}
	if !slices.ContainsFunc(res.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "BenchmarkX: report at /m/x_test.go:7 (m/x.report) costs 40.0 % of CPU time")
	}) {
		t.Errorf("warnings: %q", res.Warnings)
	}
	res = Run(registryOf(t, ruleFor("none", "m/x.absent", 50)), []*Subject{s})
	if !slices.ContainsFunc(res.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "BenchmarkX: waiting for the test's own lock at /m/x_test.go:7 (m/x.note) takes 75.0 % of lock delay")
	}) || res.Verdict.Kind != CPUBound {
		t.Errorf("%+v, warnings: %q", res.Verdict, res.Warnings)
	}
}

// The body of a benchmark is a test's wherever it stands.
func TestOfTest(t *testing.T) {
	var loops hot.Loops
	if err := loops.AddFile("/m/bench.go", []byte("package x\n\nfunc Run(b *testing.B) {\n\tfor b.Loop() {\n\t\tf()\n\t}\n}\n\nfunc f() {}\n")); err != nil {
		t.Fatal(err)
	}
	s := &Subject{Loops: &loops}
	for line, want := range map[int]bool{5: true, 9: false} {
		if got := s.OfTest("/m/bench.go", line); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
}

// A benchmark of the standard library stands beside the package's own: of 900
// and 300 samples the verdict is about the 300. Alone it is judged as it is.
func TestVerdictIsOfTheModule(t *testing.T) {
	others := subject("BenchmarkStd", cpuProfile(sample{stack: []string{"encoding/json.Marshal"}, n: 900}), nil, nil)
	own := subject("BenchmarkOwn", cpuProfile(sample{stack: []string{"m/x.marshal", "encoding/json.Marshal"}, n: 300}), nil, nil)
	res := Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{others, own})
	if res.Verdict.Text != "CPU-bound in m/x.marshal (100.0 % of CPU); no rule found a cause: look first at /m/x.go:1, worth 100.0 % of the time" {
		t.Errorf("%q", res.Verdict.Text)
	}
	if len(res.Warnings) != 1 || !strings.HasPrefix(res.Warnings[0], "BenchmarkStd runs almost no code of the module") {
		t.Errorf("warnings: %q", res.Warnings)
	}
	if v := verdictOf(t, others); v.Text != "CPU-bound in encoding/json.Marshal (100.0 % of CPU); no place accounts for 5.0 % of CPU time; 100.0 % is in encoding/json itself" {
		t.Errorf("%q", v.Text)
	}
	// 15 of 300 are a twentieth, 14 are less.
	for n, want := range map[int64]bool{15: true, 14: false} {
		s := subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: n}, sample{stack: []string{"a/b.c"}, n: 300 - n}), nil, nil)
		if got := s.MeasuresModule(); got != want {
			t.Errorf("%d of 300: %v", n, got)
		}
	}
}
