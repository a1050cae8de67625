package diagnose

import (
	"math"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/recording"
)

// The ceiling of a lock is by the instrument that sees most of its waits. The figures
// are written out: of 1.7 s by the mutex profile the lock has all, or a half.
func TestLockWait(t *testing.T) {
	const s = 1e9
	unlock := []string{"m/x.f", "sync.(*Mutex).Unlock"}
	lock := func(n, ns int64) TraceWait {
		return TraceWait{State: "sync", Count: n, Ns: ns, Stack: []callstack.Frame{{Function: "sync.(*Mutex).Lock"}, {Function: "m/x.f", File: "/m/x.go", Line: 1}}}
	}
	group := TraceWait{State: "sync", Count: 900, Ns: 90 * s, Stack: []callstack.Frame{{Function: "sync.(*WaitGroup).Wait"}, {Function: "m/x.f", File: "/m/x.go", Line: 2}}}
	blocked := mutexProfile(sample{stack: []string{"m/x.f", "sync.(*Mutex).Lock"}, n: 6 * s})
	for _, test := range []struct {
		name  string
		d     float64
		set   func(*Subject)
		share float64
		by    string
	}{
		// 1.7/(1.7 + 1) of the time: 2.7x.
		{"the mutex profile alone", 1.7 * s, func(*Subject) {}, 1.7 / 2.7, mutexWaits},
		// 6 s in 300 iterations are 2 s in the CPU profile's 100: 2/(2 + 1).
		{"a block profile", 1.7 * s, func(x *Subject) { x.Block, x.BlockIterations = blocked, 300 }, 2.0 / 3, blockWaits},
		{"half of it", 0.85 * s, func(x *Subject) { x.Block, x.BlockIterations = blocked, 300 }, 1.0 / 2, blockWaits},
		{"a block profile of few waits", 1.7 * s, func(x *Subject) {
			x.Block, x.BlockIterations = mutexProfile(sample{stack: []string{"m/x.f", "sync.(*Mutex).Lock"}, n: 6 * s, size: 99}), 300
		}, 1.7 / 2.7, mutexWaits},
		// 4/(4 + 1): 5x. The wait group's time is no lock's.
		{"a trace", 1.7 * s, func(x *Subject) {
			x.Block, x.BlockIterations = blocked, 300
			x.Trace = &Trace{ProcNs: s, Waits: []TraceWait{lock(100, 4*s), group}}
		}, 4.0 / 5, traceWaits},
		{"a trace of few waits", 1.7 * s, func(x *Subject) { x.Trace = &Trace{ProcNs: s, Waits: []TraceWait{lock(99, 4*s)}} }, 1.7 / 2.7, mutexWaits},
		// 4 s of the 10 s of requests; 6 s of 1000 requests are 6 ms of 8 ms each.
		{"a service's trace", 1.7 * s, func(x *Subject) {
			x.Kind, x.Run = recording.TargetService, &Conditions{ServiceTimeNs: 8e6}
			x.Trace = &Trace{ProcNs: s, Waits: []TraceWait{lock(100, 4*s)}, Requests: []TraceRequests{{Ns: 6 * s}, {Ns: 4 * s}}}
		}, 4.0 / 10, traceWaits},
		{"a service's block profile", 1.7 * s, func(x *Subject) {
			x.Kind, x.Run, x.Block, x.BlockIterations = recording.TargetService, &Conditions{ServiceTimeNs: 8e6}, blocked, 1000
		}, 6.0 / 8, blockWaits},
		{"nothing", 0, func(*Subject) {}, 0, mutexWaits},
	} {
		x := subject("BenchmarkX", cpuProfile(sample{stack: []string{"m/x.g"}, n: 100}), nil, mutexProfile(sample{stack: unlock, n: 1.7 * s}))
		x.CPUIterations, x.MutexIterations, x.BlockCol = 100, 100, 1
		test.set(x)
		if share, by := x.lockWait(test.d); math.Abs(share-test.share) > 1e-12 || by != test.by {
			t.Errorf("%s: %v by %s, want %v by %s", test.name, share, by, test.share, test.by)
		}
	}
}

// A finding says by what its ceiling is, where that is not the mutex profile.
func TestCeilingEvidence(t *testing.T) {
	s := subject("BenchmarkX", cpuProfile(sample{stack: []string{"m/x.f"}, n: 100}), nil, mutexProfile(sample{stack: []string{"m/x.f", "sync.(*Mutex).Unlock"}, n: 1.7e9}))
	said := func() (ceiling float64, text string) {
		fs := Run(registryOf(t, lockRule()), []*Subject{s}).Findings
		if len(fs) != 1 {
			t.Fatalf("%d findings", len(fs))
		}
		for _, e := range fs[0].Evidence {
			if strings.Contains(e.Text, "the ceiling is computed from the former") {
				text = e.Kind + ": " + e.Text
			}
		}
		return fs[0].CeilingRatio, text
	}
	if ceiling, text := said(); math.Abs(ceiling-2.7) > 1e-9 || text != "" {
		t.Errorf("by the mutex profile: %v, %q", ceiling, text)
	}
	s.Trace = &Trace{ProcNs: 1e9, Waits: []TraceWait{{State: "sync", Count: 200, Ns: 4e9, Stack: []callstack.Frame{{Function: "sync.(*Mutex).Lock"}, {Function: "m/x.f", File: "/m/x.go", Line: 1}}}}}
	if ceiling, text := said(); math.Abs(ceiling-5) > 1e-9 || text != "trace: waiting for this lock takes 80.0 % of the time by the execution trace, which has every one, and 63.0 % by the mutex profile: the ceiling is computed from the former" {
		t.Errorf("by the trace: %v, %q", ceiling, text)
	}
}

// Where no mutex profile was recorded and the CPU profile shows contention, what would
// name the lock is reported: of 100 samples 5 are enough.
func TestLocksUnseen(t *testing.T) {
	for _, test := range []struct {
		n    int64
		fn   string
		said bool
	}{{5, "internal/sync.(*Mutex).lockSlow", true}, {4, "internal/sync.(*Mutex).lockSlow", false}, {5, "sync.(*Mutex).Lock", false}, {5, "sync.runtime_SemacquireRWMutex", true}} {
		s := subject("BenchmarkX", cpuProfile(sample{stack: []string{"m/x.f"}, n: 100 - test.n}, sample{stack: []string{"m/x.f", test.fn}, n: test.n}), nil, nil)
		rule := lockRule()
		rule.Essential = []EvidenceKind{EvidenceMutex}
		got := strings.Join(Run(registryOf(t, rule), []*Subject{s}).NotAsked, "\n")
		if said := strings.Contains(got, "waiting for locks takes 5.0 % of the base's CPU time, and that profile would show for which: go test -mutexprofile"); said != test.said {
			t.Errorf("%d samples in %s: %q", test.n, test.fn, got)
		}
	}
}
