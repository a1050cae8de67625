package suite

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

	"go.uber.org/goleak"
	"golang.org/x/perf/benchfmt"

	"whet/internal/callstack"
	"whet/internal/format/benchmark"
	"whet/internal/format/profile"
	"whet/internal/gobench"
	"whet/internal/history"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/worktree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// module returns a module with benchmarks of the same name in two packages, and with
// packages that cannot be measured, one way each.
func module(t *testing.T) string {
	t.Helper()
	const head = "import (\n\t\"sync\"\n\t\"testing\"\n)\n\nvar sink []byte\nvar mu sync.Mutex\n\n"
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go": "package a\n\n" + head +
			"func BenchmarkSame(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink = make([]byte, 100)\n\t}\n}\n\n" +
			"func BenchmarkParent(b *testing.B) {\n\tfor _, n := range []string{\"x\", \"y\"} {\n\t\tb.Run(n, func(b *testing.B) {\n\t\t\tfor range b.N {\n\t\t\t\tmu.Lock()\n\t\t\t\tmu.Unlock()\n\t\t\t}\n\t\t})\n\t}\n}\n\n" +
			"func TestFine(t *testing.T) {}\n",
		"b/b_test.go": "package b\n\n" + head +
			"func BenchmarkSame(b *testing.B) {\n\tfor range b.N {\n\t\tsink = make([]byte, 200)\n\t}\n\tb.ReportMetric(7, \"widgets/op\")\n}\n\n" +
			"func BenchmarkFails(b *testing.B) { mu.Lock(); b.Fatal(\"no luck\") }\n\nfunc BenchmarkSkips(b *testing.B) { b.Skip(\"not today\") }\n\n" +
			"func TestFails(t *testing.T) { t.Fatal(\"wrong\") }\n",
		"broken/c_test.go": "package broken\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { undefined() }\n",
		"none/d.go":        "package none\n",
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// options measure a moment, and keep what is temporary where a test sees it.
func options(t *testing.T, dir string, packages ...string) (o Options, scratch string) {
	t.Helper()
	scratch = t.TempDir()
	t.Setenv("TMPDIR", scratch)
	o = DefaultOptions()
	o.Dir, o.Packages, o.BenchTime = dir, packages, "20x"
	o.Out = filepath.Join(t.TempDir(), "out.whet")
	return o, scratch
}

func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left in the work directory: %v, %v", entries, err)
	}
}

// lineRecorder collects the lines of a run.
type lineRecorder struct{ lines []string }

func (s *lineRecorder) Result(settings []benchmark.Setting, l benchmark.Line) {
	pkg := ""
	for _, set := range settings {
		if set.Key == "pkg" {
			pkg = set.Value
		}
	}
	s.lines = append(s.lines, fmt.Sprintf("%s.%s*%d", pkg, l.Name, l.Procs))
}

func (s *lineRecorder) Ended(pkg, failed string, _ time.Duration) {
	s.lines = append(s.lines, strings.TrimSpace("end "+pkg+" "+failed))
}

// flat returns a function's, in a column.
func flat(p *callstack.Frames, column int, function string) int64 {
	return p.Costs(column, nil, func(f *callstack.Frame) string { return f.Function })[function].Flat
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	o, scratch := options(t, module(t), "./...")
	s := &lineRecorder{}
	o.Count, o.CPU, o.Profiles, o.Lines, o.Version = 2, "1,2", kinds, s, "test"
	o.History = filepath.Join(t.TempDir(), "history")
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, scratch)

	// In rounds: every benchmark once with each number of processors before any
	// comes again; what failed or skipped itself does not come again.
	const m = "example.com/m/"
	round := []string{m + "a.BenchmarkSame*1", m + "a.BenchmarkSame*2", m + "a.BenchmarkParent/x*1", m + "a.BenchmarkParent/y*1", m + "a.BenchmarkParent/x*2", m + "a.BenchmarkParent/y*2"}
	same := []string{m + "b.BenchmarkSame*1", m + "b.BenchmarkSame*2"}
	want := slices.Concat([]string{"end " + m + "broken [build failed]"}, round, same, round, []string{"end " + m + "a"}, same, []string{"end " + m + "b failed"})
	if !slices.Equal(s.lines, want) {
		t.Errorf("it said\n%s\nwant\n%s", strings.Join(s.lines, "\n"), strings.Join(want, "\n"))
	}
	var failures []string
	for _, f := range res.Failures {
		failures = append(failures, f.Package+" "+f.Benchmark)
	}
	if want := []string{m + "broken ", m + "b BenchmarkFails"}; !slices.Equal(failures, want) {
		t.Errorf("failures %q, want %q", failures, want)
	}
	if res.Rounds != 2 || res.Without != 1 || res.Partial != "" || len(res.Packages) != 2 || !strings.Contains(strings.Join(res.Warnings, "\n"), "BenchmarkSkips skips itself") {
		t.Errorf("%+v", res)
	}

	rec, err := recording.Open(res.Recording)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if rec.Kind != recording.TargetBenchmark || rec.Partial != "" || rec.Tool != "test" || rec.Build.Package != "" || rec.Build.Module != "example.com/m" || rec.Host.GOMAXPROCS != 1 {
		t.Errorf("manifest %+v", rec.Manifest)
	}
	// Every benchmark has its profiles, by its own name alone, once for each kind.
	for _, kind := range kinds {
		for name, n := range map[string]int{m + "a.BenchmarkSame": 1, m + "b.BenchmarkSame": 1, m + "a.BenchmarkParent/x": 1, "BenchmarkSame": 2, m + "a": 3, "BenchmarkFails": 0, "": 4} {
			if got := rec.Find(kind, name); len(got) != n {
				t.Errorf("%d %s profiles of %q, want %d", len(got), kind, name, n)
			}
		}
	}
	for _, a := range rec.Artifacts {
		data, err := rec.Read(a)
		if err != nil {
			t.Errorf("%v", err)
		}
		if strings.HasSuffix(a.Path, ".pb.gz") {
			if _, err := profile.ReadFrames(data, profile.DefaultLimits()); err != nil || a.EndNs <= a.StartNs {
				t.Errorf("%s: %v, from %d to %d", a.Path, err, a.StartNs, a.EndNs)
			}
		}
	}
	// Each package's own allocations are in its own profile: 21 calls (one of
	// them is package testing's first) of 100 bytes, in a size class of 112, and
	// of 200, in one of 208.
	for name, want := range map[string][2]int64{m + "a.BenchmarkSame": {20, 112}, m + "b.BenchmarkSame": {21, 208}} {
		data, err := rec.Read(rec.Find(recording.KindAllocs, name)[0])
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.ReadFrames(data, profile.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		objects, _ := p.TypeIndex("alloc_objects")
		space, _ := p.TypeIndex("alloc_space")
		if n, b := flat(p, objects, name), flat(p, space, name); n != want[0] || b != want[0]*want[1] {
			t.Errorf("%s allocates %d objects of %d bytes, want %d of %d", name, n, b, want[0], want[1])
		}
	}
	for _, b := range *part(t, rec, record.Benchmarks) {
		calls := map[string]int64{m + "a.BenchmarkSame": 20, m + "b.BenchmarkSame": 21, m + "a.BenchmarkParent/x": 21, m + "a.BenchmarkParent/y": 21}[b.Name]
		if b.Failure == "" && b.Procs == 1 && (!b.Profiled || b.AllocIterations != calls || b.Iterations != 20) {
			t.Errorf("%+v, want %d calls under the profiler", b, calls)
		}
	}
	if len(rec.Sources) == 0 || !slices.ContainsFunc(rec.Sources, func(s recording.Source) bool { return s.Path == "b/b_test.go" && s.Module == "example.com/m" }) {
		t.Errorf("sources %+v", rec.Sources)
	}

	// benchstat's reader finds all results in the recording, and the history the
	// same.
	n := 0
	for _, a := range rec.Find(recording.KindBench, "") {
		data, err := rec.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		r := benchfmt.NewReader(strings.NewReader(string(data)), a.Path)
		for r.Scan() {
			if res, ok := r.Result().(*benchfmt.Result); ok && strings.HasPrefix(res.GetConfig("pkg"), m) {
				n++
			}
		}
	}
	store, err := history.Read(o.History)
	if err != nil || len(store.Problems) > 0 {
		t.Fatal(err, store)
	}
	if want := 2*6 + 2*2; n != want || len(store.Results) != want {
		t.Errorf("%d results in the recording and %d in the history, want %d", n, len(store.Results), want)
	}
}

// One package's names are its own, and tests that fail keep it from being
// measured where they were asked for.
func TestRunOnePackage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := module(t)
	o, scratch := options(t, dir, "./a")
	o.Bench, o.Run, o.Profiles = "Parent/y", "Fine", []string{recording.KindAllocs}
	res, err := Run(context.Background(), o)
	if err != nil || len(res.Failures) > 0 {
		t.Fatal(err, res)
	}
	rec, err := recording.Open(res.Recording)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if len(*part(t, rec, record.Benchmarks)) != 1 || (*part(t, rec, record.Benchmarks))[0].Name != "BenchmarkParent/y" || rec.Build.Package != "example.com/m/a" || len(rec.Find(recording.KindAllocs, "BenchmarkParent/y")) != 1 || len(rec.Find(recording.KindCPU, "")) != 0 {
		t.Errorf("%+v", rec.Manifest)
	}
	nothingLeft(t, scratch)

	o, scratch = options(t, dir, "./b")
	o.Run = "Test"
	_, err = Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "TestFails") {
		t.Errorf("with tests that fail: %v", err)
	}
	nothingLeft(t, scratch)
	if _, err := os.Stat(o.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a recording of nothing: %v", err)
	}
}

// Obstacles to keeping the results are reported before measuring.
func TestHistoryThatCannotBeMade(t *testing.T) {
	o, scratch := options(t, module(t), "./a")
	o.History = filepath.Join(t.TempDir(), "history")
	if err := os.Symlink("nowhere/to/go", o.History); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	s := &lineRecorder{}
	o.Lines = s
	_, err := Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "name a writable directory") || len(s.lines) > 0 {
		t.Errorf("%q measured, error %v", s.lines, err)
	}
	nothingLeft(t, scratch)
	nothingLeft(t, filepath.Dir(o.Out))
}

// A run that was killed leaves its work directory to the next one.
func TestNextRunRemovesWhatAKilledOneLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	o, scratch := options(t, module(t), "./a")
	s, err := worktree.NewScratch(scratch)
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(scratch, "whet-trees-1")
	if err := os.CopyFS(left, os.DirFS(s.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, scratch)
}

func TestNothingToRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := module(t)
	for _, tt := range []struct {
		bench    string
		packages []string
		want     string
		kind     gobench.Kind
	}{
		{"Nope", []string{"./a"}, "no benchmark of example.com/m/a matches -bench Nope", gobench.KindNoBenchmarks},
		{"Nope", []string{"./a", "./none"}, "no benchmark in 2 packages matches -bench Nope", gobench.KindNoBenchmarks},
		{".", []string{"./none"}, "no benchmark of example.com/m/none", gobench.KindNoBenchmarks},
		{".", []string{"./broken"}, "no benchmark could be measured: example.com/m/broken does not compile", gobench.KindFailed},
		{".", []string{"./nowhere"}, "no directory ./nowhere", gobench.KindNoPackage},
	} {
		o, scratch := options(t, dir, tt.packages...)
		o.Bench = tt.bench
		_, err := Run(context.Background(), o)
		var ge *gobench.Error
		if !errors.As(err, &ge) || ge.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %q", tt.bench, tt.packages, err, tt.want)
		}
		nothingLeft(t, scratch)
		if entries, _ := os.ReadDir(filepath.Dir(o.Out)); len(entries) > 0 {
			t.Errorf("left beside the recording: %v", entries)
		}
	}
}

// Each look at the clock takes a second of this one.
func TestBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	o, scratch := options(t, module(t), "./a", "./b")
	s := &lineRecorder{}
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { now = now.Add(time.Second); return now }
	o.Count, o.Budget, o.Lines = 3, 3*time.Second, s
	o.Bench, o.CPU = "Same", "2"
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	warned := strings.Join(res.Warnings, "\n")
	if !strings.Contains(warned, "the budget of 3s ran out after 2 of 6 timing runs, before any profile") || res.Partial != "the budget of 3s ended" || res.Rounds != 1 {
		t.Errorf("rounds %d, partial %q, warnings %q", res.Rounds, res.Partial, warned)
	}
	want := []string{"example.com/m/a.BenchmarkSame*2", "example.com/m/b.BenchmarkSame*2", "end example.com/m/a", "end example.com/m/b"}
	if !slices.Equal(s.lines, want) {
		t.Errorf("it said %q, want %q", s.lines, want)
	}
	nothingLeft(t, scratch)
}

// Whatever is running when somebody stops it: what was measured is in a partial
// recording, nothing else is left, and the history is as it was.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := module(t)
	for _, tt := range []struct {
		stage     string
		benchmark string
		kept      bool
	}{
		{"building", "", false}, {"round 1", "BenchmarkSame", false}, {"round 1", "BenchmarkParent", true}, {"profiling cpu", "BenchmarkParent/x", true}, {"profiling allocs", "", true},
	} {
		o, scratch := options(t, dir, "./a")
		o.History = filepath.Join(t.TempDir(), "history")
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(p Progress) {
			if strings.HasPrefix(p.Stage, tt.stage) && strings.HasPrefix(p.Benchmark, tt.benchmark) {
				cancel()
			}
		}
		res, err := Run(ctx, o)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tt.stage, err)
		}
		if (res != nil) != tt.kept {
			t.Errorf("%s %s: kept %v", tt.stage, tt.benchmark, res)
		}
		if res != nil {
			rec, err := recording.Open(res.Recording)
			if err != nil {
				t.Fatal(err)
			}
			if rec.Partial != "interrupted" || len(*part(t, rec, record.Benchmarks)) == 0 {
				t.Errorf("%s: %+v", tt.stage, rec.Manifest)
			}
			rec.Close()
		}
		nothingLeft(t, scratch)
		if _, err := os.Stat(o.History); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the history was begun: %v", tt.stage, err)
		}
		entries, _ := os.ReadDir(filepath.Dir(o.Out))
		if len(entries) > 1 || len(entries) == 1 && !tt.kept {
			t.Errorf("%s: left beside the recording: %v", tt.stage, entries)
		}
	}
}

// What is built in another way is not mixed with what is not.
func TestOddBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	o, _ := options(t, module(t), "./a")
	o.Bench, o.Profiles, o.Flags = "Same", nil, []string{"-gcflags=-N -l"}
	o.History = filepath.Join(t.TempDir(), "history")
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(res.Warnings, "\n"); !strings.Contains(all, "optimisation or inlining off") || !strings.Contains(all, "not added to the history") {
		t.Errorf("warnings %q", all)
	}
	if _, err := os.Stat(o.History); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the history was begun: %v", err)
	}
}

func TestValidate(t *testing.T) {
	good, _ := options(t, ".", "./...")
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Options){
		"no packages":                    func(o *Options) { o.Packages = nil },
		`-benchtime "often"`:             func(o *Options) { o.BenchTime = "often" },
		`-benchtime "0x"`:                func(o *Options) { o.BenchTime = "0x" },
		`-benchtime "-1s"`:               func(o *Options) { o.BenchTime = "-1s" },
		"-count 0":                       func(o *Options) { o.Count = 0 },
		"-count 1001":                    func(o *Options) { o.Count = 1001 },
		`-cpu "0"`:                       func(o *Options) { o.CPU = "0" },
		`-cpu "1,,2"`:                    func(o *Options) { o.CPU = "1,,2" },
		"-timeout -1s":                   func(o *Options) { o.Timeout = -time.Second },
		"-budget -1s":                    func(o *Options) { o.Budget = -time.Second },
		`-profiles "heap"`:               func(o *Options) { o.Profiles = []string{"heap"} },
		`-profiles ""`:                   func(o *Options) { o.Profiles = []string{""} },
		`-bench "("`:                     func(o *Options) { o.Bench = "(" },
		`-run "["`:                       func(o *Options) { o.Run = "[" },
		"a recording's name ends":        func(o *Options) { o.Out = "out" },
		"it is a file: name a directory": func(o *Options) { o.History = file },
		"more than 100":                  func(o *Options) { o.Host = strings.Repeat("x", 101) },
	} {
		o := good
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// part returns a part of a recording's manifest, which it has.
func part[T any](t *testing.T, rec *recording.Recording, p recording.Part[T]) *T {
	t.Helper()
	v, err := p.Of(&rec.Manifest)
	if err != nil || v == nil {
		t.Fatalf("%s: %v, %v", p, v, err)
	}
	return v
}
