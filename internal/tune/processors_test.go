package tune

import (
	"math"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/scaling"
	"whet/internal/record"
	"whet/internal/recording"
)

// TestProcessors: a parallel benchmark is run at one processor and at two in pairs, with
// a CPU profile at one that no page lists; one whose work is on one goroutine is not.
func TestProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/par\n\ngo 1.26\n",
		"par.go": "package par\n\nimport \"sync/atomic\"\n\nvar n atomic.Int64\n\nfunc Count() {\n\tfor range 100 {\n\t\tn.Add(1)\n\t}\n}\n",
		"par_test.go": `package par

import "testing"

func BenchmarkMany(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			Count()
		}
	})
}

func BenchmarkOne(b *testing.B) {
	for b.Loop() {
		Count()
	}
}
`})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples, o.CPU = 5*time.Minute, 60, "2" }) // a busy machine takes as long
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	checkReadOnce(t, &outcome, rec, page)
	for _, b := range *part(t, rec, record.Benchmarks) {
		if b.Name == "BenchmarkOne" {
			if b.Parallel || b.Turns != nil || b.OneIterations != 0 {
				t.Errorf("%+v", b)
			}
			continue
		}
		if !b.Parallel || len(b.Turns) == 0 || len(b.Turns)%2 != 0 {
			t.Fatalf("%d turns of %+v; warnings %q", len(b.Turns), b, page.Warnings)
		}
		var one int64
		for i := 0; i < len(b.Turns); i += 2 {
			x, y := b.Turns[i], b.Turns[i+1]
			if i%4 != 0 { // each second pair is the other way round
				x, y = y, x
			}
			if x.Procs != 1 || y.Procs != 2 {
				t.Errorf("pair %d: at %d and at %d", i/2, x.Procs, y.Procs)
			}
			for _, turn := range []record.Turn{x, y} {
				if !(turn.NsPerOp > 0) || turn.Iterations <= 0 || turn.CPUNs <= 0 || float64(turn.WallNs) < turn.NsPerOp*float64(turn.Iterations) {
					t.Errorf("%+v", turn)
				}
			}
			one += x.Iterations
		}
		if b.OneIterations < one { // a run whose partner did not end counts too
			t.Errorf("the profile at one covers %d calls of %d", b.OneIterations, one)
		}
		if got := page.Processors; len(got) != 1 || got[0].Benchmark != b.Name || got[0].Pairs != len(b.Turns)/2 || got[0].Processors.Processors != 2 || got[0].Answer == scaling.NotBusy && !math.IsNaN(got[0].OneWanted) || // else nobody knows that others had the processor
			!strings.Contains(got[0].Text, " times as fast ") {
			t.Errorf("page %+v", got)
		}
	}
	n := 0
	for _, a := range rec.Artifacts {
		if a.Part == recording.PartOne {
			n++
			if a.Kind != recording.KindCPU || a.Benchmark != "BenchmarkMany" {
				t.Errorf("%+v", a)
			}
		}
	}
	if n != 1 || len(rec.Find(recording.KindCPU, "BenchmarkMany")) != 1 {
		t.Errorf("%d profiles at one processor, %d others", n, len(rec.Find(recording.KindCPU, "BenchmarkMany")))
	}
}

// A benchmark is run at one processor where the length of its runs is whet's to choose.
func TestWantsOne(t *testing.T) {
	parallel := func(change func(*benchmarkRun)) *benchmarkRun {
		s := &benchmarkRun{parallel: true, perCall: 100}
		s.Procs = 2
		if change != nil {
			change(s)
		}
		return s
	}
	r := &recorder{}
	for _, test := range []struct {
		name string
		s    *benchmarkRun
		want bool
	}{
		{"parallel", parallel(nil), true},
		{"on one goroutine", parallel(func(s *benchmarkRun) { s.parallel = false }), false},
		{"at one processor", parallel(func(s *benchmarkRun) { s.Procs = 1 }), false},
		{"long set-up", parallel(func(s *benchmarkRun) { s.setup = time.Second }), false},
		{"failed", parallel(func(s *benchmarkRun) { s.failed = true }), false},
		{"without a time", parallel(func(s *benchmarkRun) { s.perCall = 0 }), false},
	} {
		if r.wantsOne(test.s) != test.want {
			t.Errorf("%s: %t", test.name, !test.want)
		}
	}
	if r.o.BenchTime = "10x"; r.wantsOne(parallel(nil)) {
		t.Error("-benchtime is the user's")
	}
}
