package diagnose

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/recording"
)

// leakRule claims goroutines, or bytes, whatever the profiles say.
func leakRule(kind string, n int64) Rule {
	return Rule{
		ID: "leak-of-" + kind, Title: "leak", Doc: doc, Evidence: []EvidenceKind{EvidenceGoroutines},
		Find: func(s *Subject) []Claim {
			return []Claim{{
				Place: Location{Function: "m/x.f", File: "/m/x.go", Line: 3, EndLine: 3}, Confidence: finding.High,
				Leak: s.LeftBehind(kind, n, s.Operations),
			}}
		},
	}
}

// A leak is the first finding and the verdict's first words, though no share of
// time speaks for it, and what the metrics say of it is not said again.
func TestLeaksComeFirst(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work"}, n: 90}, sample{stack: []string{"m/x.rest"}, n: 10})
	s := subject("B", cpu, nil, nil)
	s.Kind, s.Run, s.Operations = recording.TargetService, &Conditions{Growth: []string{"goroutines rose"}}, 500
	s.Goroutines = []Snapshot{{Classified: &hot.Classified{Frames: cpu.Frames}}}
	res := Run(registryOf(t, workRule("work", "m/x.work", 5), leakRule(finding.LeakBytes, 1<<20), leakRule(finding.LeakGoroutines, 1000)), []*Subject{s})
	if order(res.Findings) != "leak-of-goroutines leak-of-bytes work" {
		t.Fatalf("order: %s", order(res.Findings))
	}
	f := res.Findings[0]
	if f.Leak.Count != 1000 || *f.Leak.PerOperation != 2 || f.Confidence != finding.High || f.Unknown != (finding.Unknown{CPU: true, AllocBytes: true, Delay: true}) {
		t.Errorf("%+v %+v", f, f.Leak)
	}
	if v := res.Verdict; !strings.HasPrefix(v.Text, "Goroutine leak: 1,000 goroutines, 2 for each operation, started at /m/x.go:3 (m/x.f). CPU-bound") || strings.Contains(v.Text, "rose") || v.Kind != CPUBound {
		t.Errorf("%+v", v)
	}
	res = Run(registryOf(t, workRule("work", "m/x.work", 5), leakRule(finding.LeakBytes, 1<<20)), []*Subject{s})
	if v := res.Verdict; !strings.HasPrefix(v.Text, "Heap growth: 1 MiB, 2.05 KiB for each operation, allocated at /m/x.go:3 (m/x.f). ") {
		t.Errorf("%+v", v)
	}
	// It runs under no lock that would hand its delay on to it.
	s = subject("B", cpuProfile(), nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 3e9}))
	s.Goroutines = []Snapshot{{Classified: &hot.Classified{Frames: cpu.Frames}}}
	res = Run(registryOf(t, leakRule(finding.LeakGoroutines, 1000), lockRule(held(1, 9))), []*Subject{s})
	if order(res.Findings) != "leak-of-goroutines lock" || res.Findings[0].UnderLock != "" {
		t.Errorf("%+v", res.Findings)
	}
}

// A leak of the benchmark's own is a warning, which says how much it leaves
// behind: it has no share of anything.
func TestLeakOfTheTest(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work"}, n: 1000})
	s := subject("B", cpu, nil, nil)
	s.Operations, s.Goroutines = 500, []Snapshot{{Classified: &hot.Classified{Frames: cpu.Frames}}}
	rule := leakRule(finding.LeakGoroutines, 1000)
	find := rule.Find
	rule.Find = func(s *Subject) []Claim {
		claims := find(s)
		claims[0].Place.File = "/m/x_test.go"
		return claims
	}
	res := Run(registryOf(t, rule), []*Subject{s})
	const want = "B: leak-of-goroutines at /m/x_test.go:3 (m/x.f) leaks: 1,000 goroutines, 2 for each operation: it is test code, so no change of the package removes it"
	if len(res.Findings) != 0 || !slices.Contains(res.Warnings, want) {
		t.Errorf("%+v, %q", res.Findings, res.Warnings)
	}
}
