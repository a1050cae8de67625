package benchmarks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/prove/sides"
	"whet/internal/recording"
	"whet/internal/stat"
)

// pair returns options for two packages of a copy of testdata/pair, with a directory
// for temporary files that must be empty when Run is done. The copy is in no
// repository: of whet's own each run would look at every file.
func pair(t *testing.T, old, new string) Options {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	t.Cleanup(func() {
		// The go command may leave its own; ours have a name.
		left, err := filepath.Glob(filepath.Join(tmp, "whet-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if left := processesUnder(tmp); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
	})
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "pair"))); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Dir, o.Old, o.New = dir, "./"+old, "./"+new
	o.Rounds, o.Seed, o.Layouts = 6, 1, false
	return o
}

// processesUnder lists the running processes whose program lies in dir. Only
// Linux tells; elsewhere the test of package gobench stands for it.
func processesUnder(dir string) []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	var found []string
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, l := range links {
		if exe, err := os.Readlink(l); err == nil && strings.HasPrefix(exe, dir+string(filepath.Separator)) {
			found = append(found, exe)
		}
	}
	return found
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "old", "new")
	o.Dir = filepath.Join("testdata", "pair") // a directory of a repository
	t.Setenv("GOWORK", "off")                 // whose workspace does not have it
	o.Out = filepath.Join(t.TempDir(), "run.whet")
	o.Version, o.Command = "test", []string{"prove", "./old", "./new"}
	var stages []string
	o.Progress = func(e prove.Event) {
		stage, _, _ := strings.Cut(e.Stage, ":")
		if e.Warning != "" {
			stage = "warning"
		}
		if len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
		}
	}
	explained := 0
	o.Explain = func(_ context.Context, pair *sides.Pair, res *compare.Result) error {
		explained++
		if _, err := os.Stat(pair.Binary(compare.Old, 0).Path); err != nil || len(res.Benchmarks) == 0 {
			t.Errorf("%d rows, %v", len(res.Benchmarks), err)
		}
		res.Why = append(res.Why, compare.Change{Benchmark: "BenchmarkMake"})
		return errors.New("the compiler is gone")
	}
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"BenchmarkMake/size=small", "BenchmarkMake/size=large"} {
		r := row(t, res, name, compare.AllocsPerOp)
		// 100 calls of three allocations each, and none.
		if *r.AllocsOld != 300 || *r.AllocsNew != 0 || r.Verdict != compare.Faster || r.Ratio != compare.MaxRatio || !r.Exact || r.Rounds != 6 {
			t.Errorf("allocs row = %+v", r)
		}
		if r := row(t, res, name, compare.BytesPerOp); r.Old != 2400 || r.New != 0 { // three ints of 8 bytes, 100 times
			t.Errorf("bytes row = %+v", r)
		}
		// Six rounds cannot carry a verdict on time, whatever they show.
		if r := row(t, res, name, compare.NsPerOp); r.Verdict != compare.CannotTell || r.Old <= 0 || r.New <= 0 || r.Package != "example.org/pair/new" {
			t.Errorf("time row = %+v", r)
		}
		if r := row(t, res, name, compare.CPUNsPerOp); r.Old <= 0 || r.New <= 0 {
			t.Errorf("CPU time row = %+v", r)
		}
	}
	if !slices.Equal(res.OnlyOld, []string{"BenchmarkOnlyOld"}) || len(res.OnlyNew) != 0 || len(res.Failures) != 0 {
		t.Errorf("only old %v, only new %v, failures %v", res.OnlyOld, res.OnlyNew, res.Failures)
	}
	if res.Old.Tests != "passed" || res.New.Tests != "passed" || res.Old.GoVersion != res.New.GoVersion || res.Old.SHA256 == res.New.SHA256 || res.Seed != 1 || res.Run != 1 || res.Layouts != 1 {
		t.Errorf("sides = %+v, %+v", res.Old, res.New)
	}
	if res.ExitCode() != 4 || !warned(res, "-rounds asks for 6 rounds") || !warned(res, "the cause of the change is unknown: the compiler is gone") || explained != 1 || len(res.Why) != 1 {
		t.Errorf("exit %d, warnings %q", res.ExitCode(), res.Warnings)
	}
	want := []string{"reading old", "reading new", "building old", "building new", "comparing the code", "testing old", "testing new", "looking at old", "looking at new", "calibrating", "warning", "plan", "rounds"} // of too few rounds, before any
	if !slices.Equal(stages, want) {
		t.Errorf("stages = %q", stages)
	}
	checkRecording(t, res)
}

// checkRecording reads the raw figures back with another implementation of
// the format, and the medians come out as in the result.
func checkRecording(t *testing.T, res *compare.Result) {
	t.Helper()
	rec, err := recording.Open(res.Recording)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if rec.Kind != "prove" || rec.Partial != "" || rec.Build.Package != "example.org/pair/new" {
		t.Errorf("manifest = %+v", rec.Manifest)
	}
	files := rec.Find(recording.KindBench, "")
	if len(files) != 3 {
		t.Fatalf("artifacts = %+v", rec.Artifacts)
	}
	times := map[string]map[string][]float64{"old": {}, "new": {}}
	again := make(map[string]int)
	for _, f := range files {
		data, err := rec.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		r := benchfmt.NewReader(strings.NewReader(string(data)), f.Path)
		lines := 0
		for r.Scan() {
			b, ok := r.Result().(*benchfmt.Result)
			if !ok {
				t.Fatalf("%s: %v", f.Path, r.Result())
			}
			lines++
			sec, _ := b.Value("sec/op")
			if _, ok := b.Value("cpu-sec/op"); !ok {
				t.Errorf("%s: %s has no CPU time", f.Path, b.Name)
			}
			name := "Benchmark" + strings.TrimSuffix(string(b.Name), fmt.Sprintf("-%d", res.Host.GOMAXPROCS))
			side := strings.TrimSuffix(filepath.Base(f.Path), ".txt")
			if side == "again" {
				// Which side was doubled stands in it; the medians are without these.
				side = b.GetConfig("side")
				again[side]++
			} else {
				times[side][name] = append(times[side][name], sec*1e9)
			}
			if pkg := b.GetConfig("pkg"); pkg != "example.org/pair/new" {
				t.Errorf("%s: pkg = %q", f.Path, pkg)
			}
		}
		if r.Err() != nil || lines != 2*6 {
			t.Errorf("%s holds %d lines: %v", f.Path, lines, r.Err())
		}
	}
	for side, by := range times {
		for name, ns := range by {
			r := row(t, res, name, compare.NsPerOp)
			want := r.Old
			if side == "new" {
				want = r.New
			}
			if got := stat.Median(ns); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%s of %s has a median of %v over %d slices, the result says %v", name, side, got, len(ns), want)
			}
		}
		if len(by) != 2 {
			t.Errorf("%s has %d benchmarks", side, len(by))
		}
	}
	if again["old"] == 0 || again["new"] == 0 || again["old"]+again["new"] != 2*6 {
		t.Errorf("doubled sides: %v", again)
	}
	doc := rec.Find(recording.KindProof, "")
	if len(doc) != 1 {
		t.Fatalf("artifacts = %+v", rec.Artifacts)
	}
	data, err := rec.Read(doc[0])
	if err != nil {
		t.Fatal(err)
	}
	var back compare.Result
	if err := json.Unmarshal(data, &back); err != nil || len(back.Benchmarks) != len(res.Benchmarks) || back.Schema != "whet/prove/1" || len(back.Why) != 1 {
		t.Errorf("result in the recording: %d rows, %v", len(back.Benchmarks), err)
	}
}

// Each round has a layout of its own: what ran is another file each time, and
// the same on both sides where the sources are. A second run is pooled.
func TestLayoutsAndPool(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "new", "new")
	o.Rounds, o.Tests, o.Layouts, o.AA, o.Cache, o.Bench = 2, 0, true, true, t.TempDir(), "Make/size=small"
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Layouts != 2 || len(res.Failures) != 0 || res.Run != 1 || !warned(res, "same binary") {
		t.Errorf("%d layouts, failures %v, run %d, warnings %q", res.Layouts, res.Failures, res.Run, res.Warnings)
	}
	o.Rounds = 1
	res, err = Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r := row(t, res, "BenchmarkMake/size=small", compare.NsPerOp); res.Run != 2 || res.Earlier != 2 || r.Rounds != 3 || r.RoundsEarlier != 2 {
		t.Errorf("run %d, %d earlier, row of %d rounds", res.Run, res.Earlier, r.Rounds)
	}
}

// Packages of two trees are measured in one run; one that only one side has is
// reported.
func TestTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "", "")
	o.Old, o.New = "./old", "./new"
	o.Dir = trees(t)
	o.Rounds, o.Tests, o.AA = 5, 0, true
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range res.Benchmarks {
		if r.Metric == compare.NsPerOp {
			got = append(got, r.Package+" "+r.Name)
		}
	}
	if want := []string{"example.org/tree BenchmarkA", "example.org/tree/sub BenchmarkA"}; !slices.Equal(got, want) {
		t.Errorf("rows %q", got)
	}
	if !slices.Equal(res.OnlyOld, []string{"example.org/tree/gone"}) || !slices.Equal(res.OnlyNew, []string{"example.org/tree/sub.BenchmarkB"}) {
		t.Errorf("only old %q, only new %q", res.OnlyOld, res.OnlyNew)
	}
	if !disturbed(res, kindTimer, "example.org/tree.BenchmarkA") {
		t.Errorf("disturbances %+v", res.Disturbances)
	}
}

// Of several packages those that are the same are not measured.
func TestOnePackageIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "", "")
	o.Old, o.New = "./old", "./new"
	o.Dir = trees(t)
	o.Rounds, o.Tests = 5, 0
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Benchmarks {
		if r := &res.Benchmarks[i]; r.Measured() != (r.Package == "example.org/tree/sub") || r.Measured() != (r.Reason != "same binary") {
			t.Errorf("row %+v", r)
		}
	}
	if first := res.Benchmarks[0].Package; first != "example.org/tree" || !warned(res, "1 package of 2 build to the same binary") || disturbed(res, kindTimer, "example.org/tree.BenchmarkA") {
		t.Errorf("first row of %s, warnings %q", first, res.Warnings)
	}
}

// trees makes two modules that are no repository.
func trees(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bench := func(name, in string) string {
		return "func Benchmark" + name + "(b *testing.B) {\n\tfor b.Loop() {\n\t\t" + in + "\n\t}\n}\n"
	}
	for side := range compare.Sides {
		at := side.String() + "/"
		write(at+"go.mod", "module example.org/tree\n\ngo 1.26\n")
		write(at+"x_test.go", "package tree\n\nimport \"testing\"\n\n"+bench("A", "b.StopTimer()\n\t\tb.StartTimer()\n\t\tfor range 100_000 {\n\t\t}"))
		text := "package sub\n\nimport \"testing\"\n\n" + bench("A", "work()")
		if side == compare.Old {
			text += "\nfunc work() {\n\tfor range 100 {\n\t}\n}\n"
		} else {
			text += bench("B", "work()") + "\nfunc work() {\n\tfor range 101 {\n\t}\n}\n"
		}
		write(at+"sub/x_test.go", text)
	}
	write("old/gone/x_test.go", "package gone\n\nimport \"testing\"\n\n"+bench("A", ""))
	return dir
}

func TestBadCandidates(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	for _, c := range []struct {
		old, new string
		kind     gobench.Kind
		want     string
	}{
		{"old", "failing", gobench.KindTestFailed, "example.org/pair/failing (new) was not measured: its tests fail: "},
		{"old", "broken", gobench.KindCompile, "./broken (new): "},
		{"nowhere", "new", gobench.KindUsage, "./nowhere (old): "},
	} {
		t.Run(c.new, func(t *testing.T) {
			res, err := Run(context.Background(), pair(t, c.old, c.new))
			var ge *gobench.Error
			if res != nil || !errors.As(err, &ge) || ge.Kind != c.kind || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("result %+v, error %v", res, err)
			}
		})
	}
}

// -run chooses the tests: without the failing ones a candidate is one, and
// says that it was not tested.
func TestRunChoosesTests(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	for _, c := range []struct{ run, tests, warning string }{
		{"^$", "not run", ""},
		{"NoSuchTest", "none", `(new) has no tests that match -run "NoSuchTest"`},
	} {
		o := pair(t, "failing", "failing")
		o.Run, o.Rounds, o.AA = c.run, 5, true
		res, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if res.New.Tests != c.tests || res.Old.Tests != c.tests || c.warning != "" && !warned(res, c.warning) {
			t.Errorf("-run %s: old %q, new %q, warnings %q", c.run, res.Old.Tests, res.New.Tests, res.Warnings)
		}
	}
}

// Failing tests of old do not stand in the way of their mending.
func TestFailingOldIsAWarning(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "failing", "old")
	o.Rounds = 5
	res, err := Run(context.Background(), o)
	if err == nil && res == nil {
		t.Fatal("neither a result nor an error")
	}
	// They have BenchmarkMake in common by name only: failing has no
	// sub-benchmarks, old nothing else.
	if err == nil || !strings.Contains(err.Error(), "no benchmark of the same name") {
		t.Errorf("result %+v, error %v", res, err)
	}
}

func TestHangingBenchmarkEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "old", "hanging")
	o.Timeout = 10 * time.Second // the other side has as long to end
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 || res.Failures[0].Side != "new" || res.ExitCode() != 3 || !strings.Contains(res.Verdict.Text, "BenchmarkMake of new") {
		t.Errorf("result = %+v", res)
	}
}

// One thing on both sides is not measured, and every format can show it.
func TestSameBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := pair(t, "new", "new")
	o.Out = filepath.Join(t.TempDir(), "run.whet")
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode() != 0 || res.Verdict.Kind != "no change" || !strings.Contains(res.Verdict.Text, "same binary") || len(res.Warnings) != 0 || res.New.Tests != "not run" || res.RoundsPlanned != 0 {
		t.Errorf("%+v, exit code %d, warnings %q", res.Verdict, res.ExitCode(), res.Warnings)
	}
	for _, unit := range []string{compare.NsPerOp, compare.BytesPerOp, compare.AllocsPerOp} {
		if r := row(t, res, "BenchmarkMake", unit); r.Verdict != compare.NoChange || r.Reason != "same binary" || r.Measured() || r.Gates != (unit != compare.BytesPerOp) {
			t.Errorf("row %+v", r)
		}
	}
	res.Require = compare.Faster
	if res.Summarize(); res.ExitCode() != 1 {
		t.Errorf("with -require faster: exit code %d", res.ExitCode())
	}
	rec, err := recording.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	rec.Close()
}

// What is not the same in all that a process sees is measured, and -aa measures
// whatever it is.
func TestSameBinaryIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	for name, c := range map[string]struct {
		change func(*Options)
		said   string
	}{
		"-aa":         {func(o *Options) { o.AA = true }, "any difference shown is noise"},
		"environment": {func(o *Options) { o.Env[compare.New] = []string{"GOGC=200"} }, "their environments differ"},
		"flags":       {func(o *Options) { o.SideFlags[compare.New] = []string{"-p=1"} }, "their build flags differ"},
	} {
		o := pair(t, "new", "new")
		o.Rounds, o.Tests = 5, 0
		c.change(&o)
		res, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r := row(t, res, "BenchmarkMake/size=small", compare.NsPerOp); !r.Measured() || !warned(res, c.said) {
			t.Errorf("%s: %+v, warnings %q", name, r, res.Warnings)
		}
	}
}

// Cancelled at any stage, Run comes back with what it has and leaves neither
// files nor processes; the recording, if there is one, is partial.
func TestCancelAtEveryStage(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	for _, stage := range []string{"building new", "testing new", "calibrating", "rounds:3"} {
		t.Run(stage, func(t *testing.T) {
			o := pair(t, "old", "new")
			dir := t.TempDir()
			o.Out = filepath.Join(dir, "run.whet")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			name, third := strings.CutSuffix(stage, ":3")
			o.Progress = func(e prove.Event) {
				if s, _, _ := strings.Cut(e.Stage, ":"); s == name && (!third || e.Round == 3) {
					cancel()
				}
			}
			res, err := Run(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			if !res.Interrupted || res.ExitCode() != 130 {
				t.Errorf("result = %+v", res)
			}
			entries, _ := os.ReadDir(dir)
			switch {
			case third && (len(entries) != 1 || len(res.Benchmarks) < 6):
				t.Errorf("%d rows, recordings %v", len(res.Benchmarks), entries)
			case third:
				rec, err := recording.Open(res.Recording)
				if err != nil {
					t.Fatal(err)
				}
				defer rec.Close()
				if rec.Partial != "interrupted after 2 of 6 rounds" {
					t.Errorf("partial = %q", rec.Partial)
				}
			case len(entries) != 0:
				t.Errorf("left in the directory: %v", entries)
			}
		})
	}
}
