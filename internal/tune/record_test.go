package tune

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/gobench"
	"whet/internal/read"
	"whet/internal/record"
	"whet/internal/recording"
	pagereport "whet/internal/report/page"
	"whet/internal/report/run"
)

// planted is a module whose costs are known: heavy does three times the work
// of light, each call of Work allocates exactly 4,096 bytes in keep, and the
// benchmark's set-up and its stopped part work as much as the measured loop
// or more.
var planted = map[string]string{
	"go.mod": "module example.com/planted\n\ngo 1.26\n",
	"planted.go": `package planted

var Sink [][]byte
var Sum uint64

//go:noinline
func spin(n int) {
	x := Sum
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	Sum = x
}

//go:noinline
func heavy() { spin(3000) }

//go:noinline
func light() { spin(1000) }

//go:noinline
func keep() {
	Sink = Sink[:0]
	Sink = append(Sink, make([]byte, 4096))
}

func Work() {
	heavy()
	light()
	keep()
}

func Prepare() { spin(40_000_000) }
`,
	"planted_test.go": `package planted

import "testing"

func TestMain(m *testing.M) { m.Run() }

func BenchmarkWork(b *testing.B) {
	Prepare()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Work()
		if i%10000 == 0 {
			b.StopTimer()
			Prepare()
			b.StartTimer()
		}
	}
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not here") }
`,
}

func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func recordModule(t *testing.T, dir string, change func(*Options)) (Outcome, error) {
	t.Helper()
	o := DefaultOptions()
	o.Dir, o.Operand, o.Out, o.Budget, o.Samples = dir, ".", filepath.Join(t.TempDir(), "run.whet"), 6*time.Second, 200
	if change != nil {
		change(&o)
	}
	return Record(context.Background(), o)
}

func openPage(t *testing.T, path string) (*recording.Recording, *run.Page) {
	t.Helper()
	rec, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	page, err := read.Page(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec, page
}

// checkReadOnce expects the page of what was read for the findings to be the page of
// the finished recording. Without types, which a busy machine may be too slow to look
// up, the finished recording takes its findings from the file and says so.
func checkReadOnce(t *testing.T, o *Outcome, rec *recording.Recording, want *run.Page) {
	t.Helper()
	if len(rec.Find(recording.KindTypes, "")) == 0 {
		t.Log("the recording has no types: the page that is read again says so")
		return
	}
	if o.reading == nil {
		t.Fatal("the recording was not read for its findings")
	}
	page, err := o.Page()
	if err != nil {
		t.Fatal(err)
	}
	var pages [2]bytes.Buffer
	for i, p := range []*run.Page{page, want} {
		if err := run.WriteHTML(&pages[i], p); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pages[0].Bytes(), pages[1].Bytes()) {
		once, again := pages[0].String(), pages[1].String()
		at := 0
		for at < len(once) && at < len(again) && once[at] == again[at] {
			at++
		}
		t.Errorf("read once, the page differs from what it is when read again at byte %d:\n%.300q\n%.300q", at, once[at:], again[at:])
	}
}

// TestPlantedCosts records a program with known costs and expects each within
// the sampling error.
func TestPlantedCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, planted)
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 5*time.Minute, 300 }) // a busy machine takes as long
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	checkReadOnce(t, &outcome, rec, page)

	var cpu, allocs *run.Profile
	for i := range page.Profiles {
		switch page.Profiles[i].Kind {
		case recording.KindCPU:
			cpu = &page.Profiles[i]
		case recording.KindAllocs:
			allocs = &page.Profiles[i]
		}
	}
	if cpu == nil || allocs == nil {
		t.Fatalf("profiles: %+v", page.Profiles)
	}
	// heavy : light = 3 : 1, so heavy's share of both is 0.75; a binomial
	// share of n samples has the standard error sqrt(p(1-p)/n). Five of them
	// are passed once in two million runs.
	heavy, light := cum(cpu, "planted.heavy"), cum(cpu, "planted.light")
	n := float64(heavy+light) / 1e7 // 10 ms a sample
	share := float64(heavy) / float64(heavy+light)
	if n < 50 || math.Abs(share-0.75) > 5*math.Sqrt(0.75*0.25/n) {
		t.Errorf("heavy's share = %.3f of %.0f samples, want 0.75", share, n)
	}
	if got := cum(cpu, "planted.Prepare"); got != 0 {
		t.Errorf("set-up counts as measured code: Prepare holds %d ns of the base", got)
	}
	if cpu.Samples[hot.Setup] == 0 {
		t.Errorf("samples by class = %v: no set-up", cpu.Samples)
	}
	// Every call allocates 4,096 bytes and nothing else; the first also makes
	// Sink's array of one slice header: 24 bytes. When a collection starts
	// there, the runtime may allocate some hundred bytes for it.
	var b record.Benchmark
	for _, have := range *part(t, rec, record.Benchmarks) {
		if have.Name == "BenchmarkWork" {
			b = have
		}
	}
	if want := b.AllocIterations*4096 + 24; allocs.Values[hot.Base] < want || allocs.Values[hot.Base] >= want+1024 {
		t.Errorf("allocated %d bytes in %d calls, want %d", allocs.Values[hot.Base], b.AllocIterations, want)
	}
	if b.BytesPerOp == nil || *b.BytesPerOp < 4096 || *b.BytesPerOp > 4100 {
		t.Errorf("bytes per call = %v", b.BytesPerOp)
	}
	if len(page.Findings) != 0 || page.Verdict.Outcome != "places" || !strings.Contains(page.Verdict.Text, "no rule found a cause") {
		t.Errorf("verdict %q, findings %+v", page.Verdict.Text, page.Findings)
	}
	for _, kind := range []string{recording.KindCPU, recording.KindAllocs, recording.KindTrace, recording.KindBinary, recording.KindBench, recording.KindFindings, recording.KindTypes, recording.KindDiagnostics} {
		for _, a := range rec.Find(kind, "") {
			if a.EndNs < a.StartNs || a.EndNs > rec.EndNs || a.Bytes == 0 {
				t.Errorf("%s: from %d to %d ns of %d, %d bytes", a.Path, a.StartNs, a.EndNs, rec.EndNs, a.Bytes)
			}
			if _, err := rec.Read(a); err != nil {
				t.Error(err)
			}
		}
		if len(rec.Find(kind, "")) == 0 {
			t.Errorf("no %s in the recording", kind)
		}
	}
	checkAgainstPprof(t, rec, cpu)
	checkWithoutModule(t, dir, outcome.Path)
}

func cum(p *run.Profile, suffix string) int64 {
	for _, r := range p.TopCum {
		if strings.HasSuffix(r.Function, suffix) {
			return r.Cum
		}
	}
	return 0
}

// checkAgainstPprof compares the base's cum of Work with what go tool pprof
// says of the same file under the benchmark's focus.
func checkAgainstPprof(t *testing.T, rec *recording.Recording, cpu *run.Profile) {
	t.Helper()
	a := rec.Find(recording.KindCPU, "")[0]
	out, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-unit=ns", "-nodecount=500", "-nodefraction=0", "-focus=planted.Work$", filepath.Join(rec.Dir, a.Path)).CombinedOutput()
	if err != nil {
		t.Fatalf("go tool pprof: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) >= 6 && f[5] == "example.com/planted.heavy" {
			if want := strings.TrimSuffix(f[3], "ns"); want != strconv.FormatInt(cum(cpu, "planted.heavy"), 10) {
				t.Errorf("heavy: pprof says %sns, whet %dns", want, cum(cpu, "planted.heavy"))
			}
			return
		}
	}
	t.Errorf("go tool pprof does not list heavy:\n%s", out)
}

// checkWithoutModule renders the recording again after the module is gone.
func checkWithoutModule(t *testing.T, dir, path string) {
	t.Helper()
	render := func() (html, text bytes.Buffer) {
		_, page := openPage(t, path)
		if err := run.WriteHTML(&html, page); err != nil {
			t.Fatal(err)
		}
		if err := run.WriteText(&text, page, pagereport.TextOptions{Width: 100, Tables: true}); err != nil {
			t.Fatal(err)
		}
		return html, text
	}
	html, text := render()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	html2, text2 := render()
	if !bytes.Equal(html.Bytes(), html2.Bytes()) || !bytes.Equal(text.Bytes(), text2.Bytes()) {
		t.Error("the report changed when the module went away")
	}
	if !strings.Contains(text.String(), "spin(3000)") {
		t.Errorf("the source of heavy is not in the report:\n%s", text.String())
	}
}

// TestFailures: what cannot be measured is one line of the right kind, and
// what was measured is kept.
func TestFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/bad\n\ngo 1.26\n",
		"bad_test.go": `package bad

import (
	"os"
	"testing"
	"time"
)

var x int

func BenchmarkGood(b *testing.B) { for b.Loop() { x++ } }
func BenchmarkPanics(b *testing.B) { for b.Loop() { panic("boom") } }
func BenchmarkExits(b *testing.B) { for b.Loop() { os.Exit(0) } }
func BenchmarkHangs(b *testing.B) { for b.Loop() { time.Sleep(time.Hour) } }
`,
		"broken/broken_test.go": "package broken\n\nfunc {\n",
		"none/none.go":          "package none\n",
		"skips/skips_test.go": `package skips

import (
	"flag"
	"strings"
	"testing"
)

func BenchmarkAlways(b *testing.B) { b.Skip("not here") }

// It skips itself in all runs but the first, short one.
func BenchmarkLater(b *testing.B) {
	if strings.HasSuffix(flag.Lookup("test.benchtime").Value.String(), "x") {
		b.Skip("not now")
	}
	for b.Loop() {
	}
}
`,
	})
	for _, tc := range []struct {
		operand, bench string
		kind           gobench.Kind
		text           string
		kept           bool
	}{
		{".", "Nothing", gobench.KindNoBenchmarks, "Nothing", false},
		{"./broken", ".", gobench.KindCompile, "broken_test.go:3", false},
		{"./none", ".", gobench.KindNoBenchmarks, "none", false},
		{"./skips", "Always", gobench.KindNoResult, "not here", true},
		{"./skips", "Later", gobench.KindNoResult, "BenchmarkLater skips itself: skips_test.go:14: not now", true},
		{"./missing", ".", gobench.KindNoPackage, "missing", false},
	} {
		outcome, err := recordModule(t, dir, func(o *Options) {
			o.Operand, o.Bench, o.Timeout = tc.operand, tc.bench, 3*time.Second
		})
		var ge *gobench.Error
		if !errors.As(err, &ge) || ge.Kind != tc.kind || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s: %v", tc.operand, tc.bench, err)
		}
		if (outcome.Path != "") != tc.kept {
			t.Errorf("%s %s: recording %q, kept should be %v", tc.operand, tc.bench, outcome.Path, tc.kept)
		}
		if outcome.Path != "" {
			if rec, _ := openPage(t, outcome.Path); rec.Partial == "" {
				t.Errorf("%s %s: the recording is not marked partial", tc.operand, tc.bench)
			}
		}
	}
	outcome, err := recordModule(t, dir, func(o *Options) { o.Timeout, o.Samples, o.Budget = 5*time.Second, 20, 60*time.Second })
	if err != nil || len(outcome.Failures) != 3 {
		t.Fatalf("one good among bad: %v, failures %q", err, outcome.Failures)
	}
	for _, want := range []string{"boom", "exit status 0", "did not finish"} {
		if !strings.Contains(strings.Join(outcome.Failures, "\n"), want) {
			t.Errorf("no %q in the failures %q", want, outcome.Failures)
		}
	}
	if rec, page := openPage(t, outcome.Path); rec.Partial != "" || len(page.Profiles) == 0 {
		t.Errorf("the good benchmark was not measured: %+v", page.Benchmarks)
	}
}

// TestInterrupted stops a recording at its first stage, between two measurements, and in
// what follows them. While a process runs, the scripts of package app stop it.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/brief\n\ngo 1.26\n",
		"brief_test.go": `package brief

import "testing"

var x int

func TestIt(t *testing.T)            {}
func BenchmarkWork(b *testing.B) { for b.Loop() { x++ } }
`,
	})
	for _, stage := range []string{"looking at the package", "clean run", "copying sources", "asking the compiler"} {
		ctx, cancel := context.WithCancel(context.Background())
		o := DefaultOptions()
		o.Dir, o.Operand, o.Out, o.Budget, o.Samples, o.Bench = dir, ".", filepath.Join(t.TempDir(), "run.whet"), 10*time.Second, 20, "Work"
		o.Progress = func(p Progress) {
			if p.Stage == stage {
				cancel()
			}
		}
		outcome, err := Record(ctx, o)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", stage, err)
		}
		left, _ := os.ReadDir(filepath.Dir(o.Out))
		if outcome.Path == "" {
			if stage != "looking at the package" || len(left) > 0 {
				t.Errorf("%s: no recording, and left behind %v", stage, left)
			}
			continue
		}
		if rec, _ := openPage(t, outcome.Path); rec.Partial != "interrupted" {
			t.Errorf("%s: partial = %q", stage, rec.Partial)
		}
		if len(left) != 1 {
			t.Errorf("%s: beside the recording: %v", stage, left)
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
