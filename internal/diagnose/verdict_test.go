package diagnose

import (
	"strings"
	"testing"

	"whet/internal/analyze/hot"
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
		), "CPU-bound in m/x.parse (61.0 % of CPU): nothing worth changing"},
		{"nothing below holds half", cpuProfile(
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.a"}, n: 400},
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.b"}, n: 300},
			sample{stack: []string{"m/x.entry", "m/x.serve", "m/x.c"}, n: 300},
		), "CPU-bound in m/x.serve (100.0 % of CPU): nothing worth changing"},
		{"not ours", cpuProfile(
			sample{stack: []string{"crypto/sha256.Sum256", "crypto/sha256.block"}, n: 900},
			sample{stack: []string{"m/x.small"}, n: 100},
		), "CPU-bound in crypto/sha256.block (90.0 % of CPU): nothing worth changing"},
		{"recursion counts once", cpuProfile(
			sample{stack: []string{"m/x.walk", "m/x.walk", "m/x.walk"}, n: 500},
			sample{stack: []string{"m/y.z"}, n: 500},
		), "CPU-bound in m/x.walk (50.0 % of CPU): nothing worth changing"},
		{"spread", cpuProfile(
			sample{stack: []string{"m/x.a"}, n: 400}, sample{stack: []string{"m/x.b"}, n: 300}, sample{stack: []string{"m/x.c"}, n: 300},
		), "CPU-bound, spread over many functions: nothing worth changing"},
	} {
		v := verdictOf(t, subject("B", test.cpu, nil, nil))
		if v.Kind != CPUBound || v.Text != test.want {
			t.Errorf("%s: %s %q, want %q", test.name, v.Kind, v.Text, test.want)
		}
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
	if v.Kind != AllocationBound || v.Text != "Allocation-bound: 40.0 % of CPU time allocates and collects garbage, 80.0 % of the bytes in m/x.make; no rule names a cheaper way: nothing worth changing" {
		t.Errorf("%s %q", v.Kind, v.Text)
	}
	if v = verdictOf(t, build(249)); v.Kind != CPUBound {
		t.Errorf("39.9 %%: %s %q", v.Kind, v.Text)
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
	if w := Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{subject("B", cpu, nil, nil)}).Warnings; len(w) != 1 || !strings.Contains(w[0], "for only 10.0 % of the time") {
		t.Errorf("starved: warnings %q", w)
	}
	parking := sample{stack: []string{"runtime.mcall", "runtime.park_m", "runtime.findRunnable"}, n: 40, class: hot.Background}
	// The collector's workers are looked for more than anything else.
	cpu = cpuProfile(sample{stack: []string{"m/x.f"}, n: 210}, parking, sample{stack: []string{"runtime.gcBgMarkWorker"}, n: 50, class: hot.Background})
	cpu.Duration = 30e9
	if v := verdictOf(t, subject("B", cpu, nil, nil)); v.Kind != CPUBound {
		t.Errorf("starved while collecting: %s %q", v.Kind, v.Text)
	}
	cpu = cpuProfile(sample{stack: []string{"m/x.f"}, n: 260}, parking)
	cpu.Duration = 30e9
	v := verdictOf(t, subject("B", cpu, nil, nil))
	if v.Kind != Waiting || !strings.Contains(v.Text, "for 10.0 % of the wall time") || !strings.HasSuffix(v.Text, "nothing worth changing") {
		t.Errorf("a tenth busy: %s %q", v.Kind, v.Text)
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

func TestVerdictWithoutProfiles(t *testing.T) {
	if v := verdictOf(t); v.Kind != TooFewSamples || v.Text == "" {
		t.Errorf("nothing: %+v", v)
	}
	if v := verdictOf(t, subject("B", nil, nil, nil)); v.Kind != TooFewSamples {
		t.Errorf("no CPU profile: %+v", v)
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
	if v := verdictOf(t, s); v.Text != "CPU-bound, spread over many functions: nothing worth changing" {
		t.Errorf("%q", v.Text)
	}
}
