package startup

import (
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/format/gctrace"
	"whet/internal/recording"
)

// subject returns a program of which two runs took 200 ms, with 3 MiB of its allocations in
// main's initialization.
func subject(inits ...gctrace.Init) *diagnose.Subject {
	types := []callstack.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}
	b := callstack.NewBuilder(types...)
	root := callstack.Frame{Function: "runtime.main", File: "/go/proc.go", Line: 1}
	once := callstack.Frame{Function: "runtime.doInit1", File: "/go/proc.go", Line: 2}
	b.AddFrames([]callstack.Frame{{Function: "regexp.compile", File: "/go/regexp.go", Line: 9}, {Function: "main.init", File: "/src/main.go", Line: 12}, once, root}, nil, 3, 2<<20)
	b.AddFrames([]callstack.Frame{{Function: "main.table", File: "/src/main.go", Line: 40}, {Function: "main.init.0", File: "/src/main.go", Line: 30}, once, root}, nil, 1, 1<<20)
	b.AddFrames([]callstack.Frame{{Function: "main.work", File: "/src/main.go", Line: 60}, {Function: "main.main", File: "/src/main.go", Line: 50}, root}, nil, 1, 50<<20)
	return &diagnose.Subject{
		Benchmark: "app", Kind: recording.TargetProgram, BytesPerOp: -1, AllocsPerOp: -1, AllocIterations: 2,
		Allocs: hot.ClassifyProgram(b.Frames()), AllocCol: 1, Loops: &hot.Loops{},
		Run: &diagnose.Conditions{WallNs: 200e6, Cores: 2}, Inits: inits,
	}
}

// TestStartup: 20 ms of two runs of 100 ms are a fifth of either, at the line that
// allocates the most in the initialization, and not of the program.
func TestStartup(t *testing.T) {
	s := subject(
		gctrace.Init{Package: "main", At: time.Millisecond, Wall: 20 * time.Millisecond, Bytes: 3 << 20, Allocs: 4000},
		gctrace.Init{Package: "net/http", Wall: 9 * time.Millisecond},
	)
	claims := find(s)
	if len(claims) != 1 {
		t.Fatalf("%+v", claims)
	}
	c := claims[0]
	if c.Place.File != "/src/main.go" || c.Place.Line != 12 || c.Wait != 0.2 || !strings.Contains(c.Why, "20.0 ms, 20.0 % of a run, and allocates 3 MiB in 4,000 objects") ||
		!strings.Contains(c.Evidence[1].Text, "of 3 MiB allocated in the package's initialization, this statement allocates 2 MiB") {
		t.Errorf("%+v", c)
	}
	reg, err := diagnose.NewRegistry(Rule())
	if err != nil {
		t.Fatal(err)
	}
	res := diagnose.Run(reg, []*diagnose.Subject{s})
	if len(res.Findings) != 1 || res.Findings[0].Rule != "startup" || res.Findings[0].WaitRatio != 0.2 {
		t.Errorf("%+v %+v", res.Findings, res.Below)
	}
}

// TestSilent: of what is short and small, of others' packages, of benchmarks, and where
// no sample says at which line, nothing is reported.
func TestSilent(t *testing.T) {
	// A build with whet's agent has it as a package of the program's module.
	const copied = "example.com/app/internal/whetagent"
	agent := subject(gctrace.Init{Package: copied, Wall: 9 * time.Millisecond, Bytes: 3 << 20})
	agent.Module = "example.com/app"
	b := callstack.NewBuilder(agent.Allocs.Types...)
	b.AddFrames([]callstack.Frame{{Function: copied + ".init.0", File: "/src/internal/whetagent/whetentry.go", Line: 28}}, nil, 3, 3<<20)
	agent.Allocs = hot.ClassifyProgram(b.Frames())
	for name, s := range map[string]*diagnose.Subject{
		"short":      subject(gctrace.Init{Package: "main", Wall: 900 * time.Microsecond, Bytes: 1 << 19}),
		"others":     subject(gctrace.Init{Package: "regexp", Wall: 90 * time.Millisecond}),
		"no sample":  subject(gctrace.Init{Package: "example.com/app/x", Wall: 90 * time.Millisecond}),
		"nothing":    subject(),
		"the agent":  agent,
		"a function": subject(gctrace.Init{Package: "mai", Wall: 90 * time.Millisecond}),
	} {
		if c := find(s); len(c) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	s := subject(gctrace.Init{Package: "main", Wall: 90 * time.Millisecond})
	s.Run = nil
	if c := find(s); len(c) != 0 {
		t.Errorf("a benchmark: %+v", c)
	}
}
