package tune

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/gobench"
)

func TestRank(t *testing.T) {
	lines := []benchmark.Line{
		{Name: "BenchmarkA/small", NsPerOp: 10},
		{Name: "BenchmarkA/large", NsPerOp: 900},
		{Name: "BenchmarkB", NsPerOp: 50},
		{Name: "BenchmarkC/x", NsPerOp: 2000},
		{Name: "BenchmarkC/y", NsPerOp: 2000},
	}
	var got []string
	for _, l := range rank(lines) {
		got = append(got, strings.TrimPrefix(l.Name, "Benchmark"))
	}
	// First turn: C/x 2000 (before C/y by name), A/large 900, B 50. Second: C/y 2000, A/small 10.
	if want := "C/x A/large B C/y A/small"; strings.Join(got, " ") != want {
		t.Errorf("rank = %v, want %s", got, want)
	}
}

func TestPlanFigures(t *testing.T) {
	for _, tc := range []struct {
		name      string
		got, want any
	}{
		// 1.2 s before, 2.6 s after, and 400 samples in 4 s: 7.8 s each.
		{"48 s at 100 a second", capacity(48*time.Second, 0, 100, 400), 6},
		{"after two, which lack 5.2 s", capacity(48*time.Second, 2, 100, 400), 5},
		{"a busy machine gives 20 a second: 23.8 s each", capacity(48*time.Second, 0, 20, 400), 2},
		{"nothing is left", capacity(-time.Second, 3, 100, 400), 0},
		// 48 s less 2.6 s for each of four.
		{"with three to come: half of 37.6 s", mayTake(48*time.Second, 3), 18800 * time.Millisecond},
		{"the last one: all but 2.6 s", mayTake(48*time.Second, 0), 45400 * time.Millisecond},
		{"when all is spent", mayTake(time.Second, 3), time.Duration(0)},
		{"a fifth for the choice", quickShare(60*time.Second, 23), 12 * time.Second},
		{"and none to make", quickShare(60*time.Second, 1), 60 * time.Second},
		{"a fifth of 10 s over 400 benchmarks", quickTime(10*time.Second, 400), 5 * time.Millisecond},
		{"few benchmarks get the longest", quickTime(60*time.Second, 2), 10 * time.Millisecond},
		{"many the shortest", quickTime(10*time.Second, 5000), 2 * time.Millisecond},
		{"2 s of 1,000 ns", gobench.Iterations(2*time.Second, 1000), int64(2_000_000)},
		{"an operation longer than the run", gobench.Iterations(time.Second, 5e9), int64(1)},
		{"an operation that is too fast to measure", gobench.Iterations(time.Second, 0), int64(1e9)},
		{"an operation of no number", gobench.Iterations(time.Second, math.NaN()), int64(1e9)},
		{"a negative number of allocations", gobench.AllocIterations(allocRun, 1000, -1), int64(300_000)},
		{"the benchmark's own time", int64(perCall(benchmark.Line{N: 7, NsPerOp: 1000}, 10*time.Millisecond)), int64(1000)},
		{"a time that is hidden", int64(perCall(benchmark.Line{N: 5000}, 10*time.Millisecond)), int64(2000)},
		{"a time that is nonsense", int64(perCall(benchmark.Line{N: 5000, NsPerOp: -3}, 10*time.Millisecond)), int64(2000)},
		{"one call of a hidden time", gobench.Iterations(time.Second, perCall(benchmark.Line{N: 1}, 10*time.Millisecond)), int64(1)},
		{"300 ms of 1,000 ns and 2 allocations", gobench.AllocIterations(allocRun, 1000, 2), int64(75_000)},
		{"a slow one is called once", gobench.AllocIterations(allocRun, 3e8, 1e6), int64(1)},
		{"at least a hundred calls where that takes under 2 s", gobench.AllocIterations(allocRun, 1e6, 6000), int64(100)},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, tc.got, tc.want)
		}
	}
}

func TestValidate(t *testing.T) {
	good := DefaultOptions()
	good.Operand = "./x"
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	good.Bench = "A[/]b|C/d" // a slash in brackets parts nothing
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"no package":  func(o *Options) { o.Operand = "" },
		"-budget":     func(o *Options) { o.Budget = time.Millisecond },
		"-timeout":    func(o *Options) { o.Timeout = -1 },
		"-samples":    func(o *Options) { o.Samples = 0 },
		"-benchtime":  func(o *Options) { o.BenchTime = "fast" },
		"-cpu 1,2":    func(o *Options) { o.CPU = "1,2" },
		`-cpu "zero"`: func(o *Options) { o.CPU = "zero" },
		"-bench":      func(o *Options) { o.Bench = "a/(b" },
		"-run":        func(o *Options) { o.Run = "(" },
	} {
		o := good
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOutputKeeperIsBounded(t *testing.T) {
	k := newOutputKeeper(nil)
	k.begin("BenchmarkX")
	line := []byte(strings.Repeat("x", 999) + "\n")
	for range 1000 {
		k.Write(line)
	}
	data := string(k.Bytes())
	// The title "=== BenchmarkX\n" takes 15 bytes of the bound.
	if want := "\n=== 737871 more bytes were dropped\n"; !strings.HasPrefix(data, "=== BenchmarkX\nxxx") || !strings.HasSuffix(data, want) {
		t.Errorf("kept %d bytes, ends %q, want %q", len(data), data[len(data)-50:], want)
	}
	if len(data) > keepOutput+100 {
		t.Errorf("kept %d bytes, bound is %d", len(data), keepOutput)
	}
}

// TestSelection: which benchmarks were measured, and why no others, is in the
// recording and on its page.
func TestSelection(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/two\n\ngo 1.26\n",
		"x_test.go": `package two

import "testing"

var sink uint64

func spin(b *testing.B, n int) {
	for b.Loop() {
		for range n {
			sink = sink*6364136223846793005 + 1
		}
	}
}

func BenchmarkShort(b *testing.B) { spin(b, 10) }
func BenchmarkLong(b *testing.B)  { spin(b, 1_000_000) }
`})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 3*time.Second, 1000 })
	if err != nil {
		t.Fatal(err)
	}
	_, page := openPage(t, outcome.Path)
	s := page.Selection
	if s == nil || !slices.Equal(s.Measured, []string{"BenchmarkLong"}) || !slices.Equal(s.LeftOut, []string{"BenchmarkShort"}) || !strings.HasPrefix(s.Reason, "the slowest per call: at ") {
		t.Errorf("selection %+v", s)
	}
	if text := strings.Join(page.Warnings, "\n"); !strings.Contains(text, "1 of 2 benchmarks were measured, "+s.Reason) {
		t.Errorf("warnings %q", page.Warnings)
	}
}
