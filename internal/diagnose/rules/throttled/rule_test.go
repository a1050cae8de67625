package throttled

import (
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/recording"
)

// subject returns a service with 300 samples of 10 ms, 200 of them at main.go:12, of which
// the control group withheld so much in 10 s.
func subject(t *testing.T, kind string, throttledNs *int64) *diagnose.Subject {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	root := callstack.Frame{Function: "main.main", File: "/src/main.go", Line: 5}
	b.AddFrames([]callstack.Frame{{Function: "main.hash", File: "/src/main.go", Line: 12}, root}, nil, 200, 2000e6)
	b.AddFrames([]callstack.Frame{{Function: "main.read", File: "/src/main.go", Line: 30}, root}, nil, 100, 1000e6)
	used := int64(3e9)
	return &diagnose.Subject{
		Benchmark: "app", Kind: kind, BytesPerOp: -1, AllocsPerOp: -1,
		CPU: hot.ClassifyProgram(b.Frames()), CPUColumn: 1, Loops: &hot.Loops{},
		Trace: &diagnose.Trace{Processors: 8},
		Run:   &diagnose.Conditions{WallNs: 10e9, Cores: 2, TargetCPUNs: &used, ThrottledNs: throttledNs},
	}
}

func ns(v int64) *int64 { return &v }

// TestThrottled: with 3 s of CPU time and 1 s withheld, a quarter of the 4 s that were
// asked for.
func TestThrottled(t *testing.T) {
	reg, err := diagnose.NewRegistry(Rule())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind string
		held *int64
		want bool
	}{
		"held back":          {recording.TargetService, ns(1e9), true},
		"a program":          {recording.TargetProgram, ns(1e9), true},
		"the limit":          {recording.TargetService, ns(1e9 - 1), false},
		"hardly":             {recording.TargetService, ns(20e6), false},
		"not at all":         {recording.TargetProgram, ns(0), false},
		"nobody knows":       {recording.TargetService, nil, false},
		"half of everything": {recording.TargetService, ns(3e9), true},
	} {
		res := diagnose.Run(reg, []*diagnose.Subject{subject(t, c.kind, c.held)})
		if (len(res.Findings) == 1) != c.want {
			t.Errorf("%s: %d findings", name, len(res.Findings))
			continue
		}
		if !c.want {
			continue
		}
		f := res.Findings[0]
		held := float64(*c.held)
		if f.Line != 12 || f.Function != "main.hash" || f.WaitRatio != held/(held+3e9) || f.CPURatio < 0.66 || f.CPURatio > 0.67 {
			t.Errorf("%s: %s:%d, wait %v, CPU %v", name, f.Function, f.Line, f.WaitRatio, f.CPURatio)
		}
		if !strings.Contains(f.Remedy, "GOMAXPROCS is 8 and the limit is 2") {
			t.Errorf("%s: %q", name, f.Remedy)
		}
	}
}

// TestNoBenchmark: a benchmark has no run.
func TestNoBenchmark(t *testing.T) {
	s := subject(t, recording.TargetBenchmark, ns(5e9))
	s.Run = nil
	if claims := Rule().Find(s); len(claims) > 0 {
		t.Errorf("%+v", claims)
	}
}

// TestLeastGOMAXPROCS: with a limit of one processor or less Go sets GOMAXPROCS to 2, so
// that the remedy does not mention it; above 2 somebody else set it.
func TestLeastGOMAXPROCS(t *testing.T) {
	for processors, want := range map[int]bool{2: false, 3: true} {
		s := subject(t, recording.TargetService, ns(1e9))
		s.Run.Cores, s.Trace.Processors = 1, processors
		if got := remedy(s); strings.Contains(got, "GOMAXPROCS") != want {
			t.Errorf("%d processors: %q", processors, got)
		}
	}
}
