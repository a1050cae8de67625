package tune

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/record"
	"whet/internal/recording"
)

// Each call of work allocates exactly one block of 4,096 bytes: the profile
// itself says how many calls it covers.
func TestCallsOfAllocationProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/calls\n\ngo 1.26\n",
		"x_test.go": `package calls

import (
	"testing"
	"time"
)

var sink []byte

//go:noinline
func work() { sink = make([]byte, 4096) }

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		work()
		time.Sleep(10 * time.Millisecond)
	}
}

func BenchmarkN(b *testing.B) {
	for range b.N {
		work()
		time.Sleep(10 * time.Millisecond)
	}
}

func BenchmarkOne(b *testing.B) {
	for range b.N {
		work()
		time.Sleep(400 * time.Millisecond)
	}
}
`,
	})
	for _, name := range []string{"Loop", "N", "One"} {
		outcome, err := recordModule(t, dir, func(o *Options) { o.Bench, o.Budget = name+"$", 2*time.Second })
		if err != nil {
			t.Fatal(err)
		}
		rec, page := openPage(t, outcome.Path)
		var bytes int64
		for _, p := range page.Profiles {
			if p.Kind == recording.KindAllocs {
				bytes = cum(&p, "calls.work")
			}
		}
		if got := (*part(t, rec, record.Benchmarks))[0].AllocIterations; bytes == 0 || got*4096 != bytes {
			t.Errorf("%s: %d calls, but the profile has %d bytes, %g times 4096", name, got, bytes, float64(bytes)/4096)
		}
		if name == "One" && (*part(t, rec, record.Benchmarks))[0].AllocIterations != 1 {
			t.Errorf("%s: %d calls, so the test of a single one is void", name, (*part(t, rec, record.Benchmarks))[0].AllocIterations)
		}
	}
}

// Alternatives with levels of their own select as go test does, each benchmark
// once; what is done only once does not end in too short a clean run; and the
// benchmark that got too few samples is named.
func TestSelectionAndShortage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/sel\n\ngo 1.26\n",
		"x_test.go": `package sel

import (
	"sync"
	"testing"
	"time"
)

var once sync.Once
var sink int

func table(b *testing.B) {
	for _, name := range []string{"x", "y"} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				once.Do(func() { time.Sleep(100 * time.Millisecond) })
				for i := range 1000 {
					sink += i
				}
			}
		})
	}
}

func BenchmarkA(b *testing.B) { table(b) }
func BenchmarkC(b *testing.B) { table(b) }
`,
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Bench, o.Budget, o.Samples = "A/x|C/y", 10*time.Second, 100_000 })
	if err != nil {
		t.Fatal(err)
	}
	rec, _ := openPage(t, outcome.Path)
	var names []string
	for _, b := range *part(t, rec, record.Benchmarks) {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	if want := []string{"BenchmarkA/x", "BenchmarkC/y"}; !slices.Equal(names, want) {
		t.Errorf("measured %q, want %q", names, want)
	}
	// 100 ms of the quick pass at 1 operation would plan 5 for the clean run.
	if b := (*part(t, rec, record.Benchmarks))[0]; b.Iterations < 1000 {
		t.Errorf("%s: the clean run had %d operations of %.0f ns", b.Name, b.Iterations, b.NsPerOp)
	}
	if !slices.ContainsFunc(rec.Warnings, func(w string) bool {
		return strings.Contains(w, "100000 samples of the measured code: "+rec.Plan.Selected[0]+" has ")
	}) {
		t.Errorf("no warning about too few samples: %q", rec.Warnings)
	}
}

// A recursion deeper than the profiler's stacks hides where it began, and the
// report says so.
func TestDeepRecursionIsSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/deep\n\ngo 1.26\n",
		"x_test.go": `package deep

import "testing"

var sink int

func deep(n int) int {
	if n > 0 {
		return deep(n-1) + sink
	}
	return sink
}

func BenchmarkDeep(b *testing.B) {
	for b.Loop() {
		sink = deep(1000) & 1
	}
}
`,
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 60*time.Second, 50 })
	if err != nil {
		t.Fatal(err)
	}
	_, page := openPage(t, outcome.Path)
	if !slices.ContainsFunc(page.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "BenchmarkDeep: stacks are deeper than the profiler records")
	}) {
		t.Errorf("warnings: %q", page.Warnings)
	}
}

// More sub-benchmarks than the quick pass has time for are no failure.
func TestManySubBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/many\n\ngo 1.26\n",
		"x_test.go": `package many

import (
	"strconv"
	"testing"
	"time"
)

func BenchmarkMany(b *testing.B) {
	for i := range 1000 {
		b.Run(strconv.Itoa(i), func(b *testing.B) {
			for b.Loop() {
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}
`,
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget = 7 * time.Second })
	if err != nil || len(outcome.Failures) > 0 {
		t.Fatalf("%v, failures %q", err, outcome.Failures)
	}
	rec, _ := openPage(t, outcome.Path)
	if !slices.ContainsFunc(rec.Warnings, func(w string) bool { return strings.HasPrefix(w, "the quick pass of BenchmarkMany stopped after ") }) {
		t.Errorf("warnings: %q", rec.Warnings)
	}
}
