package benchmarks

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
	"whet/internal/format/benchmark"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/prove/sides"
)

func stepLines(ns ...float64) (out []benchmark.Line) {
	for _, v := range ns {
		zero := 0.0
		out = append(out, benchmark.Line{Name: "BenchmarkX", N: 100, NsPerOp: v, BytesPerOp: &zero})
	}
	return out
}

// What meets all three processes of a step leaves their ratios as they are, whatever it
// is; a step in which one of them was disturbed hardly moves them.
func TestStepsKeepRatios(t *testing.T) {
	speed := [3]float64{100, 110, 121}
	var lines [3][]benchmark.Line
	for k, together := range []float64{1, 1, 2, 1.5, 7, 1, 1.2, 1, 3, 1, 1} {
		for i, ns := range speed {
			if k == i+3 {
				ns *= 50
			}
			lines[i] = append(lines[i], stepLines(ns*together)...)
		}
	}
	got := combine(lines)
	old, new, again := got[0][compare.NsPerOp], got[1][compare.NsPerOp], got[2][compare.NsPerOp]
	if math.Abs(new/old-1.1) > 1e-9 || math.Abs(again/old-1.21) > 1e-9 {
		t.Errorf("%v, %v and %v: ratios %v and %v, want 1.1 and 1.21", old, new, again, new/old, again/old)
	}
	// The level is that of the median step: 1.2 of the middle process.
	if want := 110 * 1.2; math.Abs(new-want) > 1e-9*want {
		t.Errorf("the middle process takes %v, want %v", new, want)
	}
	if b := got[0][compare.BytesPerOp]; b != 0 {
		t.Errorf("%v bytes", b)
	}
}

// Which of three processes is called what does not matter to their values.
func TestStepsTreatProcessesAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var values, turned [3][]float64
		for i := range values {
			for range 1 + rng.IntN(12) {
				values[i] = append(values[i], math.Exp(rng.NormFloat64()))
			}
		}
		least := min(len(values[0]), len(values[1]), len(values[2]))
		order := rng.Perm(3)
		for i := range values {
			values[i] = values[i][:least]
		}
		for i, j := range order {
			turned[i] = values[j]
		}
		got, _ := paired(values)
		again, _ := paired(turned)
		for i, j := range order {
			if math.Abs(again[i]/got[j]-1) > 1e-12 {
				t.Fatalf("%v: %v, and in the order %v %v", values, got, order, again)
			}
		}
	}
	if _, ok := paired([3][]float64{{1, 0}, {1, 1}, {1, 1}}); ok {
		t.Error("a time of 0 has a logarithm")
	}
}

// stepped is a package whose benchmarks can be measured in steps, or cannot.
const stepped = `package stepped

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

var sink int

func work() {
	for i := range 1000 {
		sink += i * sink
	}
}

func BenchmarkPlain(b *testing.B) {
	for range b.N {
		work()
	}
}

// Each call of the function leaves a byte.
func BenchmarkCalled(b *testing.B) {
	f, err := os.OpenFile(os.Getenv("STEPPED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	f.Write([]byte{'.'})
	f.Close()
	b.ResetTimer()
	for range b.N {
		work()
	}
}

func BenchmarkPrints(b *testing.B) {
	for range b.N {
		work()
	}
	fmt.Println("I have done it")
}

func BenchmarkPrintsBefore(b *testing.B) {
	fmt.Println("I begin")
	for range b.N {
		work()
	}
}

func BenchmarkReports(b *testing.B) {
	for range b.N {
		work()
	}
	b.ReportMetric(1, "runs")
}

func BenchmarkSetUp(b *testing.B) {
	for range 100000 {
		work()
	}
	b.ResetTimer()
	for range b.N {
		work()
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		n := 0
		for pb.Next() {
			for i := range 100000 {
				n += i * n
			}
		}
		parallel.Add(int64(n))
	})
}

var parallel atomic.Int64

var alone net.Listener

// Of two processes at the same time the second fails.
func BenchmarkAlone(b *testing.B) {
	if alone == nil {
		var err error
		if alone, err = net.Listen("unix", "@"+os.Getenv("STEPPED")); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for range b.N {
		work()
	}
}

var kept []byte

func BenchmarkAllocates(b *testing.B) {
	for range b.N {
		work()
		kept = make([]byte, 1000)
	}
}

// The first operation of each run allocates for all.
func BenchmarkFirst(b *testing.B) {
	kept = nil
	for range b.N {
		if kept == nil {
			kept = make([]byte, 10<<20)
		}
		work()
	}
}
`

// A benchmark is measured in steps where that changes nothing but their noise.
func TestStepsWhereTheyServe(t *testing.T) {
	if testing.Short() || !process.Gates {
		t.Skip("builds a package, and needs Linux")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/stepped\n\ngo 1.26\n", "stepped.go": "package stepped\n", "stepped_test.go": stepped} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	calls := filepath.Join(t.TempDir(), "calls")
	t.Setenv("STEPPED", calls)
	o := DefaultOptions()
	o.Dir, o.Old, o.New, o.Layouts = dir, ".", ".", false
	ctx := t.Context()
	pair, err := sides.Open(ctx, sides.Options{Dir: dir, Old: o.side(compare.Old), New: o.side(compare.New)})
	if err != nil {
		t.Fatal(err)
	}
	defer pair.Close()
	s := newSession(&o, newBinaries(&o, pair), pair, make([][2]data, len(pair.Packages())), prove.Begin(&o.Options, compare.KindBenchmarks))
	s.stepsFrom = 1e-9 // on any machine
	if err := s.discover(ctx); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"BenchmarkPlain": true, "BenchmarkCalled": true}
	for i, b := range s.subjects {
		// On a busy machine the operations may seem to grow, and a step may take too long,
		// which is all that may be said against it.
		could := func() bool { return b.cost.steps > 0 || b.cost.eachStep > 0 && b.cost.step() > longestStep }
		for range 20 {
			if err := s.calibrate(ctx, b); err != nil || b.failed {
				t.Fatalf("%s: %v %v", b.name, err, s.Result.Failures)
			}
			if could() || !want[b.name] {
				break
			}
		}
		if want[b.name] != could() && b.name != "BenchmarkSetUp" || b.cost.steps > 0 && !want[b.name] {
			t.Fatalf("%s: %d steps of %v, want any: %v", b.name, b.cost.steps, b.cost.step(), want[b.name])
		}
		switch b.name {
		case "BenchmarkPrints", "BenchmarkAlone":
			// Found out in a turn only, it runs alone from then on.
			b.cost.steps, b.n = stepsHeld, stepsHeld*iterations(b.cost, stepTime, 1)
			var requests [3]rounds.SliceRequest
			for k := range requests {
				requests[k] = rounds.SliceRequest{Benchmark: i, Side: compare.Old, Round: 1, Turn: 1, Doubled: true}
			}
			if got, _, err := (*turns)(s).Turn(ctx, requests); err != nil || b.cost.steps != 0 || got[2][compare.NsPerOp] <= 0 {
				t.Errorf("%s: %v, %d steps, %v", b.name, got, b.cost.steps, err)
			}
			continue
		case "BenchmarkPlain":
			// With -test.v package testing writes the names later: nothing would wait.
			s.o.Args = []string{"-test.v"}
			if err := s.calibrate(ctx, b); err != nil || b.failed || b.cost.steps > 0 {
				t.Errorf("-test.v: %v %v, %d steps", err, s.Result.Failures, b.cost.steps)
			}
			s.o.Args = nil
			continue
		case "BenchmarkCalled":
		default:
			continue
		}
		b.cost.steps, b.n = stepsHeld, stepsHeld*iterations(b.cost, b.cost.step(), 1)
		if err := os.Remove(calls); err != nil {
			t.Fatal(err)
		}
		var requests [3]rounds.SliceRequest
		for k, side := range []compare.Side{compare.New, compare.Old, compare.New} {
			requests[k] = rounds.SliceRequest{Benchmark: i, Side: side, Round: 1, Turn: 1, Doubled: side == compare.New}
		}
		got, _, err := (*turns)(s).Turn(ctx, requests)
		if err != nil {
			t.Fatal(err)
		}
		for _, slice := range got {
			if slice[compare.NsPerOp] <= 0 || slice[compare.AllocsPerOp] != 0 {
				t.Errorf("a slice of %v", slice)
			}
		}
		// Three processes of one run and the steps each; package testing calls the function twice a run, to begin with one iteration.
		data, err := os.ReadFile(calls)
		if want := 3 * (1 + stepsHeld) * 2; err != nil || len(data) != want {
			t.Errorf("it was called %d times, want %d (%v)", len(data), want, err)
		}
	}
	if len(s.subjects) != 10 {
		t.Errorf("%d benchmarks", len(s.subjects))
	}
}
