package benchmarks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/machine"
)

// steady returns a lab with one benchmark that nothing is the matter with.
func steady() *lab {
	return newLab(map[string]float64{"BenchmarkA": 1000}, map[string]float64{"BenchmarkA": 1000})
}

func TestNothingIsSaidOfAGoodBenchmark(t *testing.T) {
	l := steady()
	// Garbage: the heap grows to what the collector lets it.
	l.packages[0].rss = [2]func(int64) int64{
		func(n int64) int64 { return 10<<20 + min(n*25, 8<<20) },
		func(n int64) int64 { return 10<<20 + min(n*2, 8<<20) },
	}
	if res := l.mustProve(t, nil); len(res.Disturbances) != 0 || len(res.Warnings) != 0 {
		t.Errorf("disturbances %+v, warnings %q", res.Disturbances, res.Warnings)
	}
}

// A process that runs for longer than its turn on a busy processor is put aside
// in between, each time that it is run again too: that is no growth of the
// benchmark's own.
func TestNothingIsSaidToGrowOnABusyProcessor(t *testing.T) {
	l := steady()
	l.packages[0].aside = func(n int64) float64 {
		if n < 50_000 {
			return 0
		}
		return 1500
	}
	if res := l.mustProve(t, nil); disturbed(res, kindGrows, "BenchmarkA") {
		t.Errorf("disturbances %+v", res.Disturbances)
	}
}

func TestWhatDependsOnTheNumberOfIterations(t *testing.T) {
	for _, c := range []struct {
		name, kind, text string
		plant            func(*labPackage)
	}{
		{"time grows", kindGrows, "accumulates data", func(p *labPackage) {
			p.ns[compare.New]["BenchmarkA"] = func(n int64) float64 { return 500 + float64(n)/50 }
		}},
		{"set-up is timed", kindDrifts, "the time includes set-up", func(p *labPackage) {
			p.ns[compare.New]["BenchmarkA"] = func(n int64) float64 { return 1000 + 3e7/float64(n) }
		}},
		{"bytes grow", kindGrows, "an operation allocates", func(p *labPackage) {
			p.bytes[compare.New] = func(n int64) float64 { return 64 * float64(n) / 1000 }
		}},
		// 1,000 bytes each of 100,000 operations, all kept: 100 MB.
		{"memory is kept", kindGrows, "retains the allocations of its operations", func(p *labPackage) {
			p.bytes[compare.New] = func(int64) float64 { return 1000 }
			p.rss[compare.New] = func(n int64) int64 { return 10<<20 + n*1000 }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := steady()
			c.plant(l.packages[0])
			res := l.mustProve(t, nil)
			// By the first run alone, whose 645 iterations take 47.5 µs each, a slice
			// of new would have three times 100 ms of these, which are 6,300.
			if n := row(t, res, "BenchmarkA", compare.NsPerOp).Iterations; c.kind == kindDrifts && n < 10_000 {
				t.Errorf("%d iterations", n)
			}
			if !disturbed(res, c.kind, "BenchmarkA") || !warned(res, c.text) || len(res.Disturbances) != 1 || res.Disturbances[0].Side != "new" {
				t.Errorf("disturbances %+v", res.Disturbances)
			}
		})
	}
}

// Where something else took the processors, or CPU time is not known, a cause is
// not stated; and what it says is not so is not said at all.
func TestCausesAreAskedOfCPUTime(t *testing.T) {
	grows := func(p *labPackage) {
		p.ns[compare.New]["BenchmarkA"] = func(n int64) float64 { return 500 + float64(n)/50 }
	}
	drifts := func(p *labPackage) {
		p.ns[compare.New]["BenchmarkA"] = func(n int64) float64 { return 1000 + 3e7/float64(n) }
	}
	for _, c := range []struct {
		name  string
		plant func(*labPackage)
		busy  bool
		noCPU bool
		want  string // "": nothing
	}{
		{"grows", grows, false, false, "the benchmark accumulates data, and the ratio holds"},
		{"grows on a busy machine", grows, true, false, "the benchmark may accumulate data, and the ratio may hold for one number of iterations only; the machine was disturbed"},
		{"grows, by the clock alone", grows, false, true, "the benchmark may accumulate data"},
		{"set-up", drifts, false, false, "the time includes set-up"},
		{"set-up on a busy machine", drifts, true, false, "the time may include set-up"},
		{"set-up, by the clock alone", drifts, false, true, "the time may include set-up"},
		{"first runs that are put aside", func(p *labPackage) {
			p.aside = func(n int64) float64 {
				if n > 50_000 || n < 100 {
					return 0
				}
				return 1500
			}
		}, false, false, ""},
		{"first operations that take more", func(p *labPackage) {
			p.ns[compare.New]["BenchmarkA"] = func(n int64) float64 { return 1000 + 2000*float64(min(n, 20_000))/float64(n) }
		}, false, false, "that of a first use"},
		// 30 MiB are held from the start, and as much garbage is let grow.
		{"garbage beside a large heap", func(p *labPackage) {
			p.bytes[compare.New] = func(int64) float64 { return 600 }
			p.rss[compare.New] = func(n int64) int64 { return 40<<20 + min(n*600, 40<<20) }
		}, false, false, ""},
	} {
		l := steady()
		c.plant(l.packages[0])
		l.noCPU = c.noCPU
		s := l.session(nil)
		if err := s.measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.busy {
			s.Disturb(compare.Disturbance{Kind: machine.Load, Text: "other processes used 40 %"})
		}
		s.conclude()
		said := ""
		for _, d := range s.Result.Disturbances {
			if d.Benchmark != "" {
				said += d.Text
			}
		}
		if !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
	}
}

// Without a collector memory grows, and that is no fault of the benchmark.
func TestMemoryWithoutCollector(t *testing.T) {
	l := steady()
	l.packages[0].bytes[compare.New] = func(int64) float64 { return 1000 }
	l.packages[0].rss[compare.New] = func(n int64) int64 { return 10<<20 + n*1000 }
	s := l.session(nil)
	s.extra[compare.New] = []string{"GOGC=off"}
	if err := s.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.conclude()
	if disturbed(s.Result, kindGrows, "BenchmarkA") || !disturbed(s.Result, kindCollector, "") || !warned(s.Result, `GOGC differs: unset for old, "off" for new`) {
		t.Errorf("disturbances %+v", s.Result.Disturbances)
	}
}

// One slow process is no growth: the doubt is settled by running again.
func TestDisturbedCalibrationIsNoGrowth(t *testing.T) {
	for _, factor := range []float64{3, 0.2} {
		l := steady()
		once := false
		l.packages[0].ns[compare.Old]["BenchmarkA"] = func(n int64) float64 {
			// A fast process does not happen by chance; a slow first one does.
			if slow := n > 90_000 == (factor > 1); slow && n > 1000 && !once {
				once = true
				return 3000
			}
			return 1000
		}
		if res := l.mustProve(t, nil); !once || len(res.Disturbances) != 0 {
			t.Errorf("planted %v, disturbances %+v", once, res.Disturbances)
		}
	}
}

func TestShortOperations(t *testing.T) {
	l := newLab(map[string]float64{"BenchmarkA": 3, "BenchmarkB": 300, "BenchmarkC": 40, "BenchmarkD": 0.3}, map[string]float64{"BenchmarkA": 2, "BenchmarkB": 300, "BenchmarkC": 25, "BenchmarkD": 100})
	res := l.mustProve(t, nil)
	if !disturbed(res, kindShort, "") || !warned(res, "2 benchmarks below 30.0 ns an operation (BenchmarkA)") {
		t.Errorf("disturbances %+v", res.Disturbances)
	}
	if !disturbed(res, kindRemoved, "BenchmarkD") || !warned(res, "BenchmarkD (old): 0.3") || len(res.Disturbances) != 2 {
		t.Errorf("disturbances %+v", res.Disturbances)
	}
}

const timerSource = `package x

import "testing"

func BenchmarkInside(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		in := prepare()
		b.StartTimer()
		use(in)
	}
}

func BenchmarkRange(b *testing.B) {
	b.Run("sub", func(b *testing.B) {
		for range b.N {
			if true {
				b.StartTimer()
			}
		}
	})
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		for range 3 {
			b.StopTimer()
		}
	}
}

func helper(b *testing.B, n int) {
	for i := b.N - 1; i >= 0; i-- { b.StopTimer(); b.StartTimer() }
}

func BenchmarkNested(b *testing.B) {
	for range b.N { for i := 0; i < b.N; i++ { b.StartTimer() } }
}

func BenchmarkOutside(b *testing.B) {
	b.StopTimer()
	in := prepare()
	for range 10 { // sizes
		b.StartTimer()
		for b.Loop() { use(in) }
		b.StopTimer()
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() { b.StopTimer() }
	})
}

// b.N of another name, and a StopTimer that takes something, are not these.
func BenchmarkOther(b *testing.B) {
	n := b.N
	for range n { clock.StopTimer(1) }
}
`

func TestTimerUses(t *testing.T) {
	var got []string
	for _, u := range timerUses("dir/x_test.go", []byte(timerSource)) {
		got = append(got, u.function+" "+u.call)
		line := strings.Split(timerSource, "\n")[u.line-1]
		if !strings.Contains(line, u.call) || u.file != "x_test.go" {
			t.Errorf("%+v stands at %q", u, line)
		}
	}
	want := []string{"BenchmarkInside StopTimer", "BenchmarkInside StartTimer", "BenchmarkRange StartTimer", "BenchmarkLoop StopTimer", "helper StopTimer", "helper StartTimer", "BenchmarkNested StartTimer", "BenchmarkParallel StopTimer"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := timerUses("x_test.go", []byte("package x; func (")); got != nil {
		t.Errorf("%+v in what does not parse", got)
	}
}

// Whatever a file holds, each use stands where the call is written.
func FuzzTimerUses(f *testing.F) {
	f.Add(timerSource)
	f.Add("package x\nfunc F() { for b.N { b.StopTimer() } }")
	f.Fuzz(func(t *testing.T, src string) {
		seen := make(map[timerUse]int)
		for _, u := range timerUses("x_test.go", []byte(src)) {
			if seen[u]++; seen[u] > strings.Count(src, u.call) {
				t.Errorf("%+v is said %d times", u, seen[u])
			}
		}
		if len(seen) > 0 && !strings.Contains(src, "StopTimer") && !strings.Contains(src, "StartTimer") {
			t.Errorf("uses %v in %q", seen, src)
		}
	})
}

// Only benchmarks that are measured are spoken of, with the side where one
// differs from the other.
func TestTimersOfASession(t *testing.T) {
	times := map[string]float64{"BenchmarkInside": 1000, "BenchmarkRange/sub": 1000, "BenchmarkOutside": 1000}
	l := newLab(times, times)
	s := l.session(nil)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mended := strings.Replace(timerSource, "\t\tb.StopTimer()\n\t\tin := prepare()\n\t\tb.StartTimer()\n", "", 1)
	mended = mended[:strings.Index(mended, "func helper")]
	s.tests = [][2][]string{{
		{write("old_test.go", timerSource[:strings.Index(timerSource, "func helper")]), filepath.Join(dir, "gone_test.go")},
		{write("new_test.go", mended), write("helper_test.go", "package x\n"+timerSource[strings.Index(timerSource, "func helper"):])},
	}}
	if err := s.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.conclude()
	var got []string
	for _, d := range s.Result.Disturbances {
		if d.Kind == kindTimer {
			got = append(got, strings.TrimSpace(d.Benchmark+" "+d.Side))
		}
	}
	if want := []string{"BenchmarkRange", "helper new", "BenchmarkInside old"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !warned(s.Result, "BenchmarkInside (old) calls StopTimer inside its loop (old_test.go:7)") {
		t.Errorf("warnings %q", s.Result.Warnings)
	}
}

func TestPinned(t *testing.T) {
	s := steady().session(func(o *Options) { o.Pin = []int{1} })
	if err := s.watched(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !disturbed(s.Result, kindPinned, "") || !warned(s.Result, "run on processors [1] only") {
		t.Errorf("%+v", s.Result.Disturbances)
	}
}

func TestEnvironments(t *testing.T) {
	t.Setenv("GOGC", "50")
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GODEBUG", "")
	s := steady().session(nil)
	s.extra[compare.Old] = []string{"GODEBUG=a=1", "GODEBUG=b=2"}
	s.watchEnvironment()
	if len(s.Result.Disturbances) != 2 || !warned(s.Result, `both sides run with GOGC="50"`) || !warned(s.Result, `GODEBUG differs: "b=2" for old, unset for new`) {
		t.Errorf("%+v", s.Result.Disturbances)
	}
}
