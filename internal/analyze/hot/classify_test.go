package hot

import (
	"testing"

	"whet/internal/callstack"
)

const benchSource = `package x

func BenchmarkX(b *testing.B) { // 3
	data := load()
	for b.Loop() { // 5
		work(data)
	}
	b.Cleanup(func() {
		stop() // 9
	})
}

func BenchmarkP(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) { // 14
		local := load()
		for pb.Next() { // 16
			work(local)
		}
	})
}

func BenchmarkS(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer() // 24
		load()
		b.StartTimer()
		work()
	}
}

func BenchmarkSub(b *testing.B) {
	load() // 32
	b.Run("a", func(b *testing.B) {
		load() // 34
		for b.Loop() {
			work() // 36
		}
	})
}
`

func known(t *testing.T) *Loops {
	t.Helper()
	var l Loops
	if err := l.AddFile("x_test.go", []byte(benchSource)); err != nil {
		t.Fatal(err)
	}
	return &l
}

// frame of a stack, root first in these tests.
type frame struct {
	fn   string
	line int // in x_test.go; 0: another file
}

// sampled builds a profile with one sample for each stack; sample i has the
// value 1<<i, so that sums say which samples they hold.
func sampled(stacks ...[]frame) *callstack.Frames {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for i, stack := range stacks {
		var ids []callstack.Frame
		for j := len(stack) - 1; j >= 0; j-- {
			f := callstack.Frame{Function: stack[j].fn, File: "other.go", Line: 1}
			switch line := stack[j].line; {
			case line > 0:
				f.File, f.Line = "x_test.go", line
			case line < 0:
				f.File = "/usr/local/go/src/runtime/time_linux_amd64.s"
			}
			ids = append(ids, f)
		}
		b.AddFrames(ids, nil, 1<<i, 10<<i)
	}
	p := b.Frames()
	p.PeriodType = p.Types[1]
	return p
}

func TestClassify(t *testing.T) {
	launch := []frame{{fn: "testing.(*B).launch"}, {fn: "testing.(*B).runN"}}
	under := func(fs ...frame) []frame { return append(append([]frame{}, launch...), fs...) }
	parallel := func(fs ...frame) []frame {
		return append([]frame{{fn: "testing.(*B).RunParallel.func1"}}, fs...)
	}
	tests := []struct {
		name  string
		stack []frame
		want  Class
	}{
		{"in the loop", under(frame{"m/x.BenchmarkX", 6}, frame{fn: "m/x.work"}), Base},
		{"the loop's own line", under(frame{"m/x.BenchmarkX", 5}), Base},
		{"runtime below the loop", under(frame{"m/x.BenchmarkX", 6}, frame{fn: "runtime.mallocgc"}), Base},
		{"b.Loop itself", under(frame{"m/x.BenchmarkX", 5}, frame{fn: "testing.(*B).Loop"}), Harness},
		{"before the loop", under(frame{"m/x.BenchmarkX", 4}, frame{fn: "m/x.load"}), Setup},
		{"cleanup", under(frame{fn: "testing.(*B).runN.func1"}, frame{fn: "testing.(*common).runCleanup"}, frame{"m/x.BenchmarkX.func1", 9}, frame{fn: "m/x.stop"}), Setup},
		{"package testing's root benchmark", []frame{{fn: "runtime.main"}, {fn: "main.main"}, {fn: "testing.(*M).Run"}, {fn: "testing.(*B).runN"}, {fn: "testing.runBenchmarks.func1"}, {fn: "testing.(*B).Run"}, {fn: "fmt.Fprintf"}}, Harness},
		{"runN itself", under(frame{fn: "runtime.GC"}), Harness},
		{"stopped", under(frame{"m/x.BenchmarkS", 25}, frame{fn: "m/x.load"}), Setup},
		{"StopTimer reads memory statistics", under(frame{"m/x.BenchmarkS", 24}, frame{fn: "testing.(*B).StopTimer"}, frame{fn: "runtime.ReadMemStats"}), Harness},
		{"started again", under(frame{"m/x.BenchmarkS", 27}, frame{fn: "m/x.work"}), Base},
		{"before b.Run", under(frame{"m/x.BenchmarkSub", 32}, frame{fn: "m/x.load"}), Setup},
		{"sub-benchmark before its loop", under(frame{"m/x.BenchmarkSub.func1", 34}, frame{fn: "m/x.load"}), Setup},
		{"sub-benchmark's loop", under(frame{"m/x.BenchmarkSub.func1", 36}, frame{fn: "m/x.work"}), Base},
		{"parallel before pb.Next", parallel(frame{"m/x.BenchmarkP.func1", 15}, frame{fn: "m/x.load"}), Setup},
		{"parallel loop", parallel(frame{"m/x.BenchmarkP.func1", 17}, frame{fn: "m/x.work"}), Base},
		{"pb.Next itself", parallel(frame{"m/x.BenchmarkP.func1", 16}, frame{fn: "testing.(*PB).Next"}), Harness},
		{"goroutine of the program", []frame{{fn: "m/x.(*Server).serve"}, {fn: "m/x.work"}}, Base},
		{"goroutine of the standard library", []frame{{fn: "net/http.(*conn).serve"}, {fn: "m/x.work"}}, Base},
		{"goroutine started by init", []frame{{fn: "m/x.init.0.func1"}, {fn: "m/x.work"}}, Base},
		{"method named init", []frame{{fn: "m/x.(*T).init.func1"}}, Base},
		{"package initialisation", []frame{{fn: "runtime.main"}, {fn: "runtime.doInit1"}, {fn: "m/x.init.0"}, {fn: "m/x.load"}}, Setup},
		{"variable's initialisation", []frame{{fn: "runtime.main"}, {fn: "runtime.doInit1"}, {fn: "regexp.MustCompile"}}, Setup},
		{"TestMain", []frame{{fn: "runtime.main"}, {fn: "main.main"}, {fn: "m/x.TestMain"}, {fn: "m/x.load"}}, Setup},
		{"package testing", []frame{{fn: "runtime.main"}, {fn: "main.main"}, {fn: "testing.(*M).Run"}}, Harness},
		{"testing's goroutine", []frame{{fn: "testing.(*B).run1.func1"}, {fn: "runtime.Goexit"}}, Harness},
		{"the profiler", []frame{{fn: "runtime/pprof.profileWriter"}, {fn: "compress/flate.(*Writer).Write"}}, Harness},
		{"collector", []frame{{fn: "runtime.gcBgMarkWorker"}, {fn: "runtime.gcDrain"}}, Background},
		{"collector's assistance", under(frame{"m/x.BenchmarkX", 6}, frame{fn: "m/x.work"}, frame{fn: "runtime.mallocgc"}, frame{fn: "runtime.gcAssistAlloc"}), Base},
		{"sweeper", []frame{{fn: "runtime.bgsweep"}}, Background},
		{"scheduler", []frame{{fn: "runtime.mcall"}, {fn: "runtime.park_m"}, {fn: "runtime.schedule"}}, Background},
		{"assembly that lost its caller", []frame{{fn: "gcWriteBarrier"}}, Background},
		{"the runtime's part of another package", []frame{{fn: "time.now", line: -1}}, Background},
		{"such a part with its caller", under(frame{"m/x.BenchmarkX", 6}, frame{fn: "time.now", line: -1}), Base},
		{"no stack at all", nil, Background},
	}
	var stacks [][]frame
	for _, test := range tests {
		stacks = append(stacks, test.stack)
	}
	p := sampled(stacks...)
	c := Classify(p, known(t))
	for i, test := range tests {
		if c.Class[i] != test.want {
			t.Errorf("%s: %v, want %v", test.name, c.Class[i], test.want)
		}
	}
	if !c.LoopsKnown {
		t.Error("a loop is not known")
	}

	// Conservation: the classes add up to the profile, and to what Keep keeps.
	for col := range p.Types {
		sums := c.Sums(col)
		var all int64
		for class := Base; class < NumClasses; class++ {
			all += sums[class]
			if kept := p.Sum(col, c.Keep(class)); kept != sums[class] {
				t.Errorf("column %d: %v is %d by Sums and %d by Keep", col, class, sums[class], kept)
			}
		}
		if all != p.Total(col) {
			t.Errorf("column %d: classes add up to %d of %d", col, all, p.Total(col))
		}
	}
}

func TestParallel(t *testing.T) {
	own := []frame{{fn: "testing.(*B).runN"}, {fn: "m/x.BenchmarkX", line: 6}, {fn: "m/x.work"}}
	deep := []frame{}
	for range 80 {
		deep = append(deep, frame{fn: "m/x.recurse"})
	}
	tests := []struct {
		name  string
		stack []frame
		want  bool
	}{
		{"the benchmark's own goroutine", own, false},
		{"set-up of a parallel benchmark", []frame{{fn: "testing.(*B).RunParallel.func1"}, {fn: "m/x.BenchmarkP.func1", line: 15}}, false},
		{"a parallel benchmark", []frame{{fn: "testing.(*B).RunParallel.func1"}, {fn: "m/x.BenchmarkP.func1", line: 17}}, true},
		{"a goroutine of the program", []frame{{fn: "m/x.worker"}}, true},
		{"the collector", []frame{{fn: "runtime.gcBgMarkWorker"}}, false},
		{"a stack that lost its root", deep, false},
	}
	for _, test := range tests {
		if got := Classify(sampled(test.stack), known(t)).Parallel; got != test.want {
			t.Errorf("%s: parallel is %v", test.name, got)
		}
	}
}

// A CPU profile holds 64 frames of a stack, an allocation profile 128. Inlined
// frames come on top of them.
func TestRootsLost(t *testing.T) {
	deep := func(n int, period string, inlined bool) *callstack.Frames {
		b := callstack.NewBuilder(callstack.ValueType{Type: "x", Unit: "count"})
		b.Profile().PeriodType.Type = period
		var ids []callstack.Frame
		for i := range n {
			ids = append(ids, callstack.Frame{Function: "m/x.recurse", Line: i, Inlined: inlined && i == 0})
		}
		b.AddFrames(ids, nil, 1)
		return b.Frames()
	}
	for _, test := range []struct {
		frames  int
		period  string
		inlined bool
		want    bool
	}{
		{63, "cpu", false, false}, {64, "cpu", false, true}, {64, "cpu", true, false}, {65, "cpu", true, true},
		{127, "space", false, false}, {128, "space", false, true},
	} {
		c := Classify(deep(test.frames, test.period, test.inlined), nil)
		if c.RootsLost != test.want || c.Parallel == test.want {
			t.Errorf("%+v: roots lost %v, parallel %v", test, c.RootsLost, c.Parallel)
		}
	}
	whole := []frame{{fn: "testing.(*B).runN"}, {fn: "m/x.BenchmarkX", line: 6}}
	for range 70 {
		whole = append(whole, frame{fn: "m/x.recurse"})
	}
	if Classify(sampled(whole), known(t)).RootsLost {
		t.Error("a deep stack with its root is said to have lost it")
	}
}

// One stray stack makes no parallel benchmark: 1 of 255 samples is below 1 %,
// 1 of 15 is not.
func TestParallelBearsAStraySample(t *testing.T) {
	own := []frame{{fn: "testing.(*B).runN"}, {fn: "m/x.BenchmarkX", line: 6}}
	stacks := [][]frame{{{fn: "m/x.worker"}}} // value 1
	for range 7 {
		stacks = append(stacks, own) // values 2 to 128
	}
	if Classify(sampled(stacks...), known(t)).Parallel {
		t.Error("1 sample of 255 makes it parallel")
	}
	if !Classify(sampled(stacks[:4]...), known(t)).Parallel {
		t.Error("1 sample of 15 is not counted")
	}
}

// Without source everything below the benchmark function is base, and said to
// be a guess.
func TestClassifyWithoutSource(t *testing.T) {
	setup := []frame{{fn: "testing.(*B).runN"}, {fn: "m/x.BenchmarkX", line: 4}, {fn: "m/x.load"}}
	c := Classify(sampled(setup), &Loops{})
	if c.Class[0] != Base || c.LoopsKnown {
		t.Errorf("class %v, loops known %v; want base and unknown", c.Class[0], c.LoopsKnown)
	}
	if c = Classify(sampled(setup), nil); c.Class[0] != Base || c.LoopsKnown {
		t.Errorf("nil loops: class %v, loops known %v; want base and unknown", c.Class[0], c.LoopsKnown)
	}
}

// One stray sample of a hundred and more says nothing about the loop.
func TestLoopsKnownBearsAStraySample(t *testing.T) {
	measured := []frame{{fn: "testing.(*B).runN"}, {fn: "m/x.BenchmarkX", line: 6}}
	stray := []frame{{fn: "testing.(*B).runN"}, {fn: "m/y.BenchmarkY"}}
	stacks := [][]frame{stray} // value 1
	for range 7 {
		stacks = append(stacks, measured) // values 2 to 128: 254
	}
	if c := Classify(sampled(stacks...), known(t)); !c.LoopsKnown {
		t.Error("1 sample of 255 makes the loop unknown")
	}
	if c := Classify(sampled(stacks[:4]...), known(t)); c.LoopsKnown { // 1 of 15
		t.Error("1 sample of 15 is not counted")
	}
}
