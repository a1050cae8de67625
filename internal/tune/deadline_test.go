package tune

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/recording"
)

// TestDeadline: when a process took until long after the budget, no other is
// begun, the compiler is not waited for, and the recording is whole.
func TestDeadline(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/late\n\ngo 1.26\n",
		"x.go":   "package late\n\nfunc Spin(n int) (x uint64) {\n\tfor range n {\n\t\tx = x*6364136223846793005 + 1\n\t}\n\treturn x\n}\n",
		"x_test.go": `package late

import "testing"

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			Spin(100_000)
		}
	})
}
`})
	var late atomic.Int64 // by which the clock jumped
	o := DefaultOptions()
	o.Dir, o.Operand, o.Out, o.Samples = dir, ".", filepath.Join(t.TempDir(), "x.whet"), 50
	o.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	var stages []string
	o.Progress = func(p Progress) {
		stages = append(stages, p.Stage)
		if p.Stage == recording.KindBlock {
			late.Store(int64(80 * time.Second))
		}
	}
	outcome, err := Record(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	last := slices.Index(stages, recording.KindBlock)
	if last < 0 {
		t.Fatalf("no block profile was taken: %q", stages)
	}
	for _, stage := range stages[last+1:] {
		if stage != "copying sources" && stage != "asking the compiler" && stage != "diagnosing" {
			t.Errorf("%s, after the deadline", stage)
		}
	}
	rec, page := openPage(t, outcome.Path)
	if warnings := strings.Join(page.Warnings, "\n"); rec.Partial != "" || !strings.Contains(warnings, "findings that need type information may be missing: ") {
		t.Errorf("partial %q, warnings %q", rec.Partial, page.Warnings)
	}
}

// A process that the budget's end finds at work has 10 s, whichever of a step it
// is; the compiler is given up 15 s after the budget.
func TestLimits(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ left, process, compiler time.Duration }{
		{30 * time.Second, 40 * time.Second, 15 * time.Second},
		{0, 10 * time.Second, 15 * time.Second},
		{-4 * time.Second, 6 * time.Second, 11 * time.Second},
		{-time.Minute, time.Second, 0},
	} {
		r := recorder{session: session{c: Common{Now: func() time.Time { return now }}, deadline: now.Add(c.left)}}
		if process, compiler := r.limit(), r.compilerLimit(); process != c.process || compiler != c.compiler {
			t.Errorf("%v left: %v for a process, %v for the compiler", c.left, process, compiler)
		}
	}
	if unknown := (&session{c: Common{Now: time.Now}}).compilerLimit(); unknown != 15*time.Second {
		t.Errorf("without a budget: %v", unknown)
	}
}

// TestLeakDetector: a TestMain that finds the agent's goroutines and fails costs
// nothing of what the run was made for.
func TestLeakDetector(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/leaks\n\ngo 1.26\n",
		"x_test.go": `package leaks

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for range 100 { // those of package testing are on their way out
		if runtime.NumGoroutine() == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > 1 {
		fmt.Fprintln(os.Stderr, n, "goroutines are left")
		code = 1
	}
	os.Exit(code)
}

func BenchmarkX(b *testing.B) {
	for b.Loop() {
	}
}
`})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 20*time.Second, 1 })
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	if len(rec.Find(recording.KindMetrics, "BenchmarkX")) != 1 || strings.Contains(strings.Join(page.Warnings, "\n"), "over time") {
		t.Errorf("artifacts %+v, warnings %q", rec.Artifacts, page.Warnings)
	}
}
