//go:build unix

package gobench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whet/internal/format/benchmark"
)

var placeHolder = regexp.MustCompile(`\{[^}]*\}`)

// places replaces each {text} by the place in zoo_test.go where that text
// stands.
func places(t *testing.T, pattern string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/zoo/zoo_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	return placeHolder.ReplaceAllStringFunc(pattern, func(s string) string {
		before, _, ok := strings.Cut(string(data), s[1:len(s)-1])
		if !ok {
			t.Fatalf("no %s in zoo_test.go", s)
		}
		return `zoo_test\.go:` + strconv.Itoa(1+strings.Count(before, "\n"))
	})
}

// Every way a benchmark can end badly gives one line that names it.
func TestEndings(t *testing.T) {
	b := zooBinary(t)
	for _, tt := range []struct {
		bench string
		kind  Kind
		text  string // a regular expression for the whole line
	}{
		{"BenchmarkPanics", KindPanic, `BenchmarkPanics panicked at {panic("boom}: boom`},
		{"BenchmarkPanicsError", KindPanic, `BenchmarkPanicsError panicked at {panic(errors.New}: .*bad thing.*`},
		{"BenchmarkPanicsDeep", KindPanic, `BenchmarkPanicsDeep panicked at zoo\.go:11: runtime error: index out of range \[1\] with length 1`},
		{"BenchmarkPanicsInGoroutine", KindPanic, `BenchmarkPanicsInGoroutine panicked at {panic("elsewhere}: elsewhere`},
		{"BenchmarkFatal", KindFailed, `BenchmarkFatal failed: {b.Fatal("no such}: no such table: users`},
		{"BenchmarkErrors", KindFailed, `BenchmarkErrors failed: {b.Error(}: wrong sum`},
		{"BenchmarkSubFails", KindFailed, `BenchmarkSubFails/bad failed: {b.Fatal("inner}: inner`},
		{"BenchmarkDeadlock", KindPanic, `BenchmarkDeadlock crashed.*: all goroutines are asleep - deadlock!`},
		{"BenchmarkExit0", KindExit, `BenchmarkExit0 ended the process at {os.Exit(0)} \(exit status 0\) before it reported a result: remove the call to os\.Exit`},
		{"BenchmarkExit3", KindExit, `BenchmarkExit3 ended the process \(exit status 3\) before it reported a result`},
		{"BenchmarkLogFatal", KindExit, `BenchmarkLogFatal ended the process \(exit status 1\) before it reported a result; the last line on stderr: "[^"]*cannot open \[31mdb"`},
		{"BenchmarkKilled", KindExit, `BenchmarkKilled was killed \(signal: killed\): most likely the machine or its control group ran out of memory`},
		{"BenchmarkSkips", KindNoResult, `BenchmarkSkips skips itself: {b.Skip(}: needs a database`},
		{"BenchmarkSkipsMute", KindNoResult, `BenchmarkSkipsMute skips itself`},
		{"BenchmarkMissing", KindNoResult, `BenchmarkMissing ended without a result: .*`},
	} {
		t.Run(tt.bench, func(t *testing.T) {
			t.Parallel()
			_, err := b.Run(t.Context(), Run{Bench: tt.bench, BenchTime: "3x"})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want *Error", err)
			}
			if e.Kind != tt.kind {
				t.Errorf("kind %q, want %q", e.Kind, tt.kind)
			}
			if !regexp.MustCompile(`^` + places(t, tt.text) + `$`).MatchString(e.Text) {
				t.Errorf("text %q does not match %s\n%s", e.Text, tt.text, e.Detail)
			}
			if !strings.HasPrefix(e.Benchmark, "Benchmark") {
				t.Errorf("benchmark %q", e.Benchmark)
			}
			if strings.ContainsAny(e.Text, "\n\x1b") || len(e.Detail) > maxDetail+100 {
				t.Errorf("text is not one clean line, or detail is long: %q, %d bytes", e.Text, len(e.Detail))
			}
		})
	}
}

// Package testing may end with status 0 and print nothing where a benchmark
// panicked: a second run, under the same environment, tells.
func TestPanicThatWasNotPrinted(t *testing.T) {
	b := zooBinary(t)
	_, err := b.Run(t.Context(), Run{
		Bench: "BenchmarkPanicsLater", BenchTime: "3x", Env: []string{"ZOO_MARK=" + filepath.Join(t.TempDir(), "mark")},
	})
	var e *Error
	want := regexp.MustCompile("^" + places(t, `BenchmarkPanicsLater panicked at {panic("the second}: the second time`) + "$")
	if !errors.As(err, &e) || e.Kind != KindPanic || !want.MatchString(e.Text) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// In a run of several, the one that ended it is named, and what was measured
// before is there.
func TestPatternNamesTheGuilty(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := zooBinary(t)
	res, err := b.Run(t.Context(), Run{Pattern: "^Benchmark(Plain|Panics|Heap)$", BenchTime: "2x"})
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindPanic || e.Benchmark != "BenchmarkPanics" {
		t.Fatalf("error %#v", err)
	}
	if len(res.Lines) != 1 || res.Lines[0].Name != "BenchmarkPlain" || res.Lines[0].N != 2 {
		t.Errorf("lines %+v, want BenchmarkPlain's", res.Lines)
	}
	_, err = b.Run(t.Context(), Run{Pattern: "^Benchmark(Plain|Hangs)$", BenchTime: "2x", Timeout: reached})
	if !errors.As(err, &e) || e.Kind != KindTimeout || e.Benchmark != "BenchmarkHangs" {
		t.Errorf("error %#v, want a timeout of BenchmarkHangs", err)
	}
}

// Lines that the benchmark broke by printing are read all the same.
func TestPrinting(t *testing.T) {
	b := zooBinary(t)
	for _, name := range []string{"BenchmarkPrints", "BenchmarkPrintsNoNewline", "BenchmarkLogs", "BenchmarkPlain", "BenchmarkHeap", "BenchmarkParallel"} {
		var out bytes.Buffer
		res, err := b.Run(t.Context(), Run{Bench: name, BenchTime: "500x", Output: &out})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.Bytes())
			continue
		}
		if len(res.Lines) != 1 {
			t.Fatalf("%s: %d lines in\n%s", name, len(res.Lines), res.Raw)
		}
		l := res.Lines[0]
		if l.Name != name || l.N != 500 || l.NsPerOp <= 0 || l.BytesPerOp == nil || l.AllocsPerOp == nil {
			t.Errorf("%s: %+v in\n%s", name, l, res.Raw)
		}
		if res.OutputBytes != int64(out.Len()) || !bytes.Equal(res.Raw, out.Bytes()) || res.Truncated {
			t.Errorf("%s: %d bytes counted, %d copied, %d kept", name, res.OutputBytes, out.Len(), len(res.Raw))
		}
		if res.End.Before(res.Start) || res.UserCPU+res.SystemCPU <= 0 {
			t.Errorf("%s: usage %+v", name, res)
		}
		if name == "BenchmarkHeap" && (*l.AllocsPerOp != 1 || *l.BytesPerOp != 1024) {
			t.Errorf("%s: %v B/op, %v allocs/op, want 1024 and 1", name, *l.BytesPerOp, *l.AllocsPerOp)
		}
	}
}

func TestNoTime(t *testing.T) {
	res, err := zooBinary(t).Run(t.Context(), Run{Bench: "BenchmarkNoTime", BenchTime: "5x"})
	if err != nil {
		t.Fatal(err)
	}
	l := res.Lines[0]
	if !l.NoTime || len(l.Metrics) != 1 || l.Metrics[0] != (benchmark.Metric{Unit: "frobs/s", Value: 42.5}) {
		t.Errorf("%+v", l)
	}
}

// Each sub-benchmark can be run alone by the name its result had, on one
// processor and on two.
func TestNamesAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := zooBinary(t)
	for _, cpu := range []string{"1", "2", ""} {
		all, err := b.Run(t.Context(), Run{Bench: "BenchmarkNames", BenchTime: "2x", CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Lines) != 11 {
			t.Fatalf("%d results of 11:\n%s", len(all.Lines), all.Raw)
		}
		var names []string
		for _, l := range all.Lines {
			names = append(names, l.Name)
			if want, _ := strconv.Atoi(cpu); cpu != "" && l.Procs != want {
				t.Errorf("-cpu %s: %s has %d processors", cpu, l.Name, l.Procs)
			}
		}
		for _, want := range []string{"BenchmarkNames/a", "BenchmarkNames/a#01", "BenchmarkNames/a/b", "BenchmarkNames/with_space", "BenchmarkNames/size-8", `BenchmarkNames/re.*[p]|(x)+\d$`} {
			if !slices.Contains(names, want) {
				t.Errorf("-cpu %q: no %s among %q", cpu, want, names)
			}
		}
		if cpu == "" {
			continue
		}
		for _, name := range names {
			one, err := b.Run(t.Context(), Run{Bench: name, BenchTime: "2x", CPU: cpu})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got []string
			for _, l := range one.Lines {
				got = append(got, l.Name)
			}
			// A pattern cannot tell what is below "a" from siblings of "a"
			// that have a slash in their names.
			if name == "BenchmarkNames/a" {
				if !slices.Equal(got, []string{name, name + "/b", name + "/bc"}) {
					t.Errorf("-cpu %s: %s ran %q", cpu, name, got)
				}
				continue
			}
			if !slices.Equal(got, []string{name}) {
				t.Errorf("-cpu %s: %s ran %q", cpu, name, got)
			}
			if bytes.Count(one.Raw, []byte("\nBenchmark")) != 1 {
				t.Errorf("-cpu %s: %s also ran others:\n%s", cpu, name, one.Raw)
			}
		}
	}
}

func TestProcessEnvironment(t *testing.T) {
	b := zooBinary(t)
	if _, err := b.Run(t.Context(), Run{Bench: "BenchmarkPlace", BenchTime: "1x", Args: []string{"-extra=given"}}); err != nil {
		t.Error(err)
	}
}

func TestProfiles(t *testing.T) {
	b := zooBinary(t)
	dir := t.TempDir()
	// Relative names are the caller's, not the package's.
	t.Chdir(dir)
	r := Run{
		Bench: "BenchmarkHeap", BenchTime: "200x",
		CPUProfile: "cpu", MemProfile: "mem", BlockProfile: "block", MutexProfile: "mutex", Trace: "trace",
		MemProfileRate: 1, BlockProfileRate: 1, MutexProfileFraction: 1,
	}
	if _, err := b.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cpu", "mem", "block", "mutex", "trace"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() == 0 {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
	args, err := r.args()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(args, "-test.memprofilerate=1") || !slices.Contains(args, "-test.mutexprofilefraction=1") {
		t.Errorf("args %q", args)
	}
}

// A benchmark that floods its output is ended, and little of it is kept.
func TestFlood(t *testing.T) {
	b := *zooBinary(t)
	b.outputLimit = 8 << 20
	var out bytes.Buffer
	res, err := b.Run(t.Context(), Run{Bench: "BenchmarkFloods", Output: &out})
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindOutput || !strings.HasPrefix(e.Text, "BenchmarkFloods was stopped after printing ") {
		t.Fatalf("error %#v", err)
	}
	if len(res.Raw) > keptHead+keptTail+100 || !res.Truncated || out.Len() > maxCopied {
		t.Errorf("%d bytes kept, truncated %v, %d copied", len(res.Raw), res.Truncated, out.Len())
	}
}

// alive reports whether a process is there and not a zombie.
func alive(t *testing.T, pid int) bool {
	t.Helper()
	if err := syscall.Kill(pid, 0); err != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

func childPID(t *testing.T, name string) int {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// reached is a limit within which a busy machine, too, has come to what hangs.
const reached = 5 * time.Second

// awaitDeath polls: init reaps orphans when it gets to it.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for ; alive(t, pid); runtime.Gosched() {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("child %d of the benchmark was left running", pid)
		}
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := zooBinary(t)
	t.Run("timeout", func(t *testing.T) {
		pid := filepath.Join(t.TempDir(), "pid")
		_, err := b.Run(t.Context(), Run{Bench: "BenchmarkStubborn", Timeout: reached, Args: []string{"-extra=" + pid}})
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindTimeout || !regexp.MustCompile(`^BenchmarkStubborn did not finish within 5s \(it was at zoo_test\.go:\d+\): raise -timeout or -budget$`).MatchString(e.Text) {
			t.Errorf("error %#v", err)
		}
		awaitDeath(t, childPID(t, pid))
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		interrupted := errors.New("interrupted")
		pid := filepath.Join(t.TempDir(), "pid")
		go func() { // as soon as the child is there
			for {
				if data, _ := os.ReadFile(pid); len(data) > 0 {
					cancel(interrupted)
					return
				}
			}
		}()
		res, err := b.Run(ctx, Run{Bench: "BenchmarkStubborn", Args: []string{"-extra=" + pid}})
		if !errors.Is(err, interrupted) || res == nil {
			t.Errorf("result %v, error %v", res, err)
		}
		awaitDeath(t, childPID(t, pid))
	})
	t.Run("left behind", func(t *testing.T) {
		pid := filepath.Join(t.TempDir(), "pid")
		if _, err := b.Run(t.Context(), Run{Bench: "BenchmarkLeavesChild", BenchTime: "1x", Args: []string{"-extra=" + pid}}); err != nil {
			t.Error(err)
		}
		awaitDeath(t, childPID(t, pid))
	})
}

func TestBenchmarks(t *testing.T) {
	b := zooBinary(t)
	for _, tt := range []struct{ re, want string }{
		{"Panics$|Fatal", "BenchmarkPanics BenchmarkFatal BenchmarkLogFatal"},
		{"^BenchmarkNames$/a/b", "BenchmarkNames"},
		{"Heap/x|Plain", "BenchmarkPlain BenchmarkHeap"},
	} {
		got, err := b.Benchmarks(t.Context(), tt.re)
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, %v; want %s", tt.re, got, err, tt.want)
		}
	}
	for _, re := range []string{"", "."} {
		all, err := b.Benchmarks(t.Context(), re)
		if err != nil || len(all) < 25 || all[0] != "BenchmarkPlain" {
			t.Errorf("%q: %v, %v", re, all, err)
		}
	}
	for re, want := range map[string]struct {
		kind Kind
		text string
	}{
		"Nope": {KindNoBenchmarks, "no benchmark of zoo.test/zoo matches -bench Nope; it has BenchmarkPlain, BenchmarkPrints, BenchmarkPrintsNoNewline, BenchmarkLogs, BenchmarkPanics and 25 more"},
		"a(":   {KindUsage, "-bench a(: error parsing regexp: missing closing ): `a(`"},
	} {
		_, err := b.Benchmarks(t.Context(), re)
		var e *Error
		if !errors.As(err, &e) || e.Kind != want.kind || e.Text != want.text {
			t.Errorf("%s: %v", re, err)
		}
	}
}

// A TestMain that fails, or a C function that crashes, is not the benchmark's
// doing but ends it all the same.
func TestHostileBinaries(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := write(t,
		"go.mod", goMod,
		"main/m_test.go", "package m\n\nimport (\n\t\"log\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { log.Fatal(\"no database\") }\nfunc BenchmarkA(b *testing.B) {}\n",
		"c/c.go", "package c\n\n// static int crash(int *p) { return *p; }\nimport \"C\"\n\nfunc Crash() int { return int(C.crash(nil)) }\n",
		"c/c_test.go", "package c\n\nimport \"testing\"\n\nfunc BenchmarkC(b *testing.B) { Crash() }\n",
	)
	build := func(operand string) *Binary {
		t.Helper()
		target, err := Resolve(t.Context(), dir, operand, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Build(t.Context(), target, BuildOptions{}, filepath.Join(t.TempDir(), "x.test"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	m := build("./main")
	_, err := m.Benchmarks(t.Context(), ".")
	wantError(t, "list", err, KindExit, `list the benchmarks of own\.test/mod/main: the test binary of own\.test/mod/main failed \(exit status 1\); the last line on stderr: ".* no database"`)
	_, err = m.Run(t.Context(), Run{Bench: "BenchmarkA"})
	wantError(t, "run", err, KindExit, `BenchmarkA ended the process \(exit status 1\) before it reported a result; .*no database"`)

	if _, err := exec.LookPath("gcc"); err != nil {
		skip(t, "gcc is not installed")
	}
	_, err = build("./c").Run(t.Context(), Run{Bench: "BenchmarkC"})
	wantError(t, "C", err, KindPanic, `BenchmarkC crashed at c\.go:6: SIGSEGV: segmentation violation \(in C code\)`)
}

// TestOtherSystem: a file that this machine cannot run, as GOOS=plan9 makes.
func TestOtherSystem(t *testing.T) {
	b := *zooBinary(t)
	b.Path, b.Settings = filepath.Join(t.TempDir(), "plan9.test"), []string{"-compiler=gc", "GOARCH=arm", "GOOS=plan9"}
	if err := os.WriteFile(b.Path, []byte("no header that is known here"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := b.Test(t.Context(), "", 0)
	wantError(t, "another system's binary", err, KindStart, `run the tests of .*: built for plan9/arm, which this machine cannot run: unset GOOS and GOARCH`)
}

func TestTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := zooBinary(t)
	for _, tt := range []struct {
		run  string
		want Tests
	}{
		{"^TestPasses$", Tests{Ran: true, Passed: true}},
		{"^TestNope$", Tests{Ran: false, Passed: true}},
		{"^TestFails$", Tests{Ran: true, FirstFailure: "TestFails/deep failed: " + strings.ReplaceAll(places(t, "{t.Fatal(}"), `\.`, ".") + ": wrong answer"}},
		{"^TestHangs$", Tests{Ran: true, TimedOut: true, FirstFailure: "the test run did not finish within 5s (it was at " + strings.ReplaceAll(places(t, "{time.Sleep(time.Hour) }"), `\.`, ".") + "): raise -timeout or -budget"}},
	} {
		limit := 2 * time.Minute
		if tt.want.TimedOut {
			limit = reached
		}
		got, err := b.Test(t.Context(), tt.run, limit)
		if err != nil {
			t.Fatal(err)
		}
		if got.Passed == (got.FirstFailure != "") {
			t.Errorf("%s: %+v contradicts itself", tt.run, got)
		}
		got.Output = ""
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.run, got, tt.want)
		}
	}
}
