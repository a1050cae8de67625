package why

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

// built are the test binaries of testdata/pair, built once.
var built = make(map[string]Side)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "why-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	options := gobench.BuildOptions{Flags: []string{"-trimpath"}, Env: []string{"GOWORK=off"}} // it is no module of ours
	for _, name := range []string{"old", "new", "same", "again"} {
		t, err := gobench.Resolve(context.Background(), filepath.Join("testdata", "pair"), "./"+name, options)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		bin, err := gobench.Build(context.Background(), t, options, filepath.Join(dir, name+".test"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		built[name] = Side{Binary: bin, Build: options}
	}
	return m.Run()
}

// explain profiles benchmarks of two packages until there are that many samples.
func explain(t *testing.T, old, new string, samples int, benchmarks ...Benchmark) []compare.Change {
	t.Helper()
	o := DefaultOptions()
	// The samples end it: a busy machine takes its time for them.
	o.Samples, o.Budget, o.Scratch = samples, 5*time.Minute, t.TempDir()
	for _, b := range benchmarks {
		b.Package, b.Old, b.New = "example.org/pair/"+new, built[old], built[new]
		o.Benchmarks = append(o.Benchmarks, b)
	}
	changes, err := Explain(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != len(benchmarks) {
		t.Fatalf("%d changes of %d benchmarks", len(changes), len(benchmarks))
	}
	left, err := os.ReadDir(o.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the scratch directory: %v (%v)", left, err)
	}
	return changes
}

// report logs a change that was not as it should be.
func report(t *testing.T, c compare.Change) {
	t.Helper()
	t.Logf("%s: %d and %d samples; %q", c.Benchmark, c.SamplesOld, c.SamplesNew, c.Warnings)
	for _, f := range c.Functions {
		t.Logf("%s %s cpu %+v bytes %+v allocs %+v %+v", f.Function, f.Only, f.CPUNs, f.Bytes, f.Allocs, f.Decisions)
	}
}

func hasDecision(f compare.FunctionChange, side, kind, text string) bool {
	return slices.ContainsFunc(f.Decisions, func(d compare.Decision) bool {
		return d.Side == side && d.Kind == kind && strings.Contains(d.Text, text)
	})
}

// planted are the differences of testdata/pair, and what has to be said of each.
var planted = []struct {
	benchmark Benchmark
	function  string // of new
	check     func(t *testing.T, c compare.Change, f compare.FunctionChange)
}{
	{Benchmark{Name: "BenchmarkFill", NsPerOp: 250, AllocsPerOp: 1}, "fill", checkAllocation},
	{Benchmark{Name: "BenchmarkWalk", NsPerOp: 1700}, "step", checkInlining},
	{Benchmark{Name: "BenchmarkMix", NsPerOp: 12_000}, "mix", checkHash},
}

// On a machine that is busy with other things a few samples may scatter too
// much to name a function: more are taken then.
func TestExplainsPlantedDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	left := planted
	for _, samples := range []int{80, 300} {
		var benchmarks []Benchmark
		for _, p := range left {
			benchmarks = append(benchmarks, p.benchmark)
		}
		changes := explain(t, "old", "new", samples, benchmarks...)
		missed := left[:0:0]
		for i, p := range left {
			at := slices.IndexFunc(changes[i].Functions, func(f compare.FunctionChange) bool { return f.Function == "example.org/pair/new."+p.function })
			if at < 0 {
				report(t, changes[i])
				missed = append(missed, p)
				continue
			}
			p.check(t, changes[i], changes[i].Functions[at])
		}
		if left = missed; len(left) == 0 {
			return
		}
	}
	for _, p := range left {
		t.Errorf("%s: %s is not named", p.benchmark.Name, p.function)
	}
}

func checkAllocation(t *testing.T, c compare.Change, f compare.FunctionChange) {
	if f.Bytes == nil || f.Allocs == nil {
		report(t, c)
		t.Error("the allocations of fill are not listed")
		return
	}
	// 256 bytes of one allocation in each call, none before.
	if b, a := f.Bytes.Flat, f.Allocs.Flat; b.Old != 0 || b.New < 250 || b.New > 262 || a.Old != 0 || a.New < 0.98 || a.New > 1.02 {
		t.Errorf("bytes %+v, allocations %+v per operation; want 0 and 256, 0 and 1", b, a)
	}
	if !hasDecision(f, "new", "escapes", "make([]byte, 256) escapes to heap") {
		t.Errorf("decisions %+v: the escape is missing", f.Decisions)
	}
	if f.Only != "" {
		t.Errorf("only %s, though both have it", f.Only)
	}
}

func checkInlining(t *testing.T, _ compare.Change, f compare.FunctionChange) {
	if f.CPUNs == nil || f.CPUNs.Flat.Diff() <= 0 {
		t.Errorf("step: CPU time %+v, want more", f.CPUNs)
	}
	if !hasDecision(f, "old", "can-inline", "can inline step") || !hasDecision(f, "new", "cannot-inline", "marked go:noinline") {
		t.Errorf("step: decisions %+v", f.Decisions)
	}
}

func checkHash(t *testing.T, c compare.Change, f compare.FunctionChange) {
	if c.Functions[0].Function != f.Function {
		report(t, c)
		t.Errorf("first is %s and not mix", c.Functions[0].Function)
	}
	// Three times the work: the difference is two thirds of new.
	if v := f.CPUNs.Flat; v.Diff()+v.Error < v.New*2/3 || v.Diff()-v.Error > v.New*2/3 {
		t.Errorf("mix differs by %v ± %v of %v: two thirds lie outside", v.Diff(), v.Error, v.New)
	}
	for _, f := range c.Functions {
		if f.Bytes != nil || f.Allocs != nil {
			t.Errorf("%s: %+v, %+v allocated, and nothing is", f.Function, f.Bytes, f.Allocs)
		}
	}
}

// One chance in a hundred is left that something is named; that it happens
// twice is one in ten thousand.
func TestNamesNothingBetweenEqualSides(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	var c compare.Change
	for range 2 {
		c = explain(t, "same", "again", 60, Benchmark{Name: "BenchmarkJoin", NsPerOp: 1200, AllocsPerOp: 7})[0]
		if len(c.Functions) == 0 {
			break
		}
	}
	if len(c.Functions) > 0 {
		report(t, c)
		t.Errorf("%d functions are named between equal sides", len(c.Functions))
	}
	if c.SamplesOld < 30 || c.SamplesNew < 30 {
		t.Errorf("%d and %d samples only", c.SamplesOld, c.SamplesNew)
	}
	if base := c.Classes[0]; base.Class != "base" || base.Allocs == nil || base.Allocs.Old < 5 || base.Allocs.Old > 10 || base.Allocs.Differs() {
		t.Errorf("base: %+v", base.Allocs)
	}
}

func TestABenchmarkThatFails(t *testing.T) {
	c := explain(t, "old", "new", 10, Benchmark{Name: "BenchmarkBroken", NsPerOp: 10})[0]
	if len(c.Functions) > 0 || len(c.Warnings) == 0 || !strings.Contains(strings.Join(c.Warnings, " "), "it does not work") {
		t.Errorf("%+v: want a warning that says why", c)
	}
}

func TestExplainStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("the user wants to go home")
	cancel(reason)
	o := DefaultOptions()
	o.Scratch = t.TempDir()
	o.Benchmarks = []Benchmark{{Name: "BenchmarkMix", Old: built["old"], New: built["new"], NsPerOp: 1e4}}
	if _, err := Explain(ctx, o); !errors.Is(err, reason) {
		t.Errorf("error %v, want the context's", err)
	}
	if left, _ := os.ReadDir(o.Scratch); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"none":      func(o *Options) { o.Most = 0 },
		"samples":   func(o *Options) { o.Samples = 0 },
		"budget":    func(o *Options) { o.Budget = 0 },
		"clock":     func(o *Options) { o.Now = nil },
		"no binary": func(o *Options) { o.Benchmarks = []Benchmark{{Name: "BenchmarkX"}} },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	o := DefaultOptions()
	if err := o.Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
}
