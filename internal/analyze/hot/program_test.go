package hot

import (
	"slices"
	"strings"
	"testing"
)

func TestClassifyProgram(t *testing.T) {
	main := func(fs ...frame) []frame { return append([]frame{{fn: "runtime.main"}, {fn: "main.main"}}, fs...) }
	request := func(fs ...frame) []frame {
		return append([]frame{{fn: "net/http.(*conn).serve"}, {fn: "net/http.serverHandler.ServeHTTP"}, {fn: "net/http.(*ServeMux).ServeHTTP"}}, fs...)
	}
	tests := []struct {
		name  string
		stack []frame
		want  Class
	}{
		{"main", main(frame{fn: "main.run"}, frame{fn: "m/x.work"}), Base},
		{"a goroutine", []frame{{fn: "main.main.func1"}, {fn: "m/x.work"}}, Base},
		{"a request", request(frame{fn: "m/x.(*S).ServeHTTP"}, frame{fn: "runtime.mallocgc"}), Base},
		{"the server between requests", []frame{{fn: "net/http.(*conn).serve"}, {fn: "net/http.(*conn).readRequest"}}, Base},
		{"a finalizer", []frame{{fn: "runtime.runFinalizers"}, {fn: "os.(*file).close"}}, Base},
		{"a program's own package testing", main(frame{fn: "testing.Benchmark"}, frame{fn: "main.f"}), Base},
		{"package initialisation", []frame{{fn: "runtime.main"}, {fn: "runtime.doInit"}, {fn: "runtime.doInit1"}, {fn: "m/x.init.0"}}, Setup},
		{"a goroutine started by init", []frame{{fn: "m/x.init.0.func1"}, {fn: "m/x.work"}}, Base},

		{"the agent, built in", []frame{{fn: "m/cmd/x/internal/whetagent.(*Agent).loop"}, {fn: "encoding/json.Marshal"}}, Harness},
		{"beside a package of that name", []frame{{fn: "m/internal/whetagent2.write"}, {fn: "os.WriteFile"}}, Harness},
		{"the agent while packages are initialised", []frame{{fn: "runtime.main"}, {fn: "runtime.doInit1"}, {fn: "m/internal/whetagent.init.0"}}, Harness},
		{"the agent at the end", main(frame{fn: "os.Exit"}, frame{fn: "internal/runtime/exithook.Run"}, frame{fn: "m/internal/whetagent.end"}), Harness},
		{"the public agent", main(frame{fn: "whet/agent.Start"}), Harness},
		{"under a host", []frame{{fn: "git.example.org/tools/whet/agent.(*Agent).sample"}, {fn: "runtime/metrics.Read"}}, Harness},
		{"the agent's handler", request(frame{fn: "whet/agent.(*Agent).status"}, frame{fn: "encoding/json.Marshal"}), Harness},
		{"what the agent's middleware serves", request(frame{fn: "whet/agent.(*Agent).Watch.func1"}, frame{fn: "net/http.HandlerFunc.ServeHTTP"}, frame{fn: "m/x.work"}), Base},
		{"the agent's middleware itself", request(frame{fn: "whet/agent.(*Agent).Watch.func1"}, frame{fn: "time.Since"}), Harness},
		{"an agent of somebody else", main(frame{fn: "m/agent.Start"}), Base},
		{"a name that only ends so", main(frame{fn: "m/internal/mywhetagent.Start"}), Base},
		{"a type argument's path", main(frame{fn: "m/x.Map[go.shape.struct { whet/agent.T }]"}), Base},

		{"the profiler", []frame{{fn: "runtime/pprof.profileWriter", line: -1}, {fn: "compress/gzip.(*Writer).Write"}}, Harness},
		{"a module whose host is called as the runtime", main(frame{fn: "runtime.example/x.F"}), Base},
		{"and no other code", []frame{{fn: "runtime.example/x.F"}}, Base},
		{"the profiler alone", []frame{{fn: "runtime/pprof.profileWriter", line: -1}}, Harness},
		{"the tracer", []frame{{fn: "runtime/trace.Start.func1"}, {fn: "os.(*File).Write"}}, Harness},
		{"the tracer's own goroutine", []frame{{fn: "runtime.(*traceAdvancerState).start.func1"}, {fn: "runtime.chanrecv1"}}, Background},
		{"a profile taken over HTTP", request(frame{fn: "net/http/pprof.Index"}, frame{fn: "runtime.GC"}), Harness},
		{"work under labels", main(frame{fn: "runtime/pprof.Do"}, frame{fn: "m/x.work"}), Base},
		{"work in a region", main(frame{fn: "runtime/trace.WithRegion"}, frame{fn: "main.main.func1"}), Base},
		{"the labels themselves", main(frame{fn: "runtime/pprof.Do"}, frame{fn: "runtime/pprof.WithLabels"}, frame{fn: "runtime.mallocgc"}), Base},
		{"a region's end", main(frame{fn: "runtime/trace.(*Region).End"}), Base},

		{"collector", []frame{{fn: "runtime.gcBgMarkWorker"}, {fn: "runtime.gcDrain"}}, Background},
		{"scheduler", []frame{{fn: "runtime.mcall"}, {fn: "runtime.park_m"}, {fn: "runtime.schedule"}}, Background},
		{"no stack at all", nil, Background},
	}
	var stacks [][]frame
	for _, test := range tests {
		stacks = append(stacks, test.stack)
	}
	p := sampled(stacks...)
	c := ClassifyProgram(p)
	for i, test := range tests {
		if c.Class[i] != test.want {
			t.Errorf("%s: %v, want %v", test.name, c.Class[i], test.want)
		}
	}
	agents := OfAgent(p)
	for i, test := range tests {
		named := slices.ContainsFunc(test.stack, func(f frame) bool {
			return strings.Contains(f.fn, "whet/agent.") || strings.Contains(f.fn, "internal/whetagent") || strings.Contains(f.fn, "traceAdvancerState")
		})
		if want := named && test.want != Base; agents[i] != want {
			t.Errorf("%s: of the agent %v, want %v", test.name, agents[i], want)
		}
	}
	if !c.LoopsKnown || c.RootsLost {
		t.Errorf("loops known %v, roots lost %v", c.LoopsKnown, c.RootsLost)
	}
	for col := range p.Types {
		var all int64
		for _, sum := range c.Sums(col) {
			all += sum
		}
		if all != p.Total(col) {
			t.Errorf("column %d: classes add up to %d of %d", col, all, p.Total(col))
		}
	}
}

func TestProgramParallel(t *testing.T) {
	for _, test := range []struct {
		name  string
		stack []frame
		want  bool
	}{
		{"main", []frame{{fn: "runtime.main"}, {fn: "main.main"}, {fn: "m/x.work"}}, false},
		{"main, as profiles write it", []frame{{fn: "main.main"}, {fn: "m/x.work"}}, false},
		{"a worker", []frame{{fn: "m/x.worker"}}, true},
		{"the agent", []frame{{fn: "whet/agent.loop"}}, false},
		{"the collector", []frame{{fn: "runtime.gcBgMarkWorker"}}, false},
	} {
		if got := ClassifyProgram(sampled(test.stack)).Parallel; got != test.want {
			t.Errorf("%s: parallel is %v", test.name, got)
		}
	}
	deep := make([]frame, deepestCPU)
	for i := range deep {
		deep[i].fn = "m/x.recurse"
	}
	if c := ClassifyProgram(sampled(deep)); !c.RootsLost || c.Parallel {
		t.Errorf("a stack that lost its root: roots lost %v, parallel %v", c.RootsLost, c.Parallel)
	}
}
