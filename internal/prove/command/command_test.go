//go:build unix

package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
)

// The test binary is also the command under test: with an act set it does that
// and ends.
const act = "COMMAND_TEST_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(act) != "" {
		child(os.Args[1:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func cpuOfSelf() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func child(args []string) {
	forever := make(chan os.Signal, 1)
	signal.Notify(forever, syscall.SIGUSR2) // keeps the deadlock detector still
	switch args[0] {
	case "say":
		fmt.Print(strings.Join(args[1:], " "))
	case "environment":
		wd, _ := os.Getwd()
		in, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%s %s %d", wd, os.Getenv("SIDE"), len(in))
	case "burn": // uses at least so much CPU time
		d, _ := time.ParseDuration(args[1])
		for x := 1; cpuOfSelf() < d; {
			for range 100_000 {
				x = x*7 + 1
			}
		}
	case "touch": // notes that it ran
		f, err := os.OpenFile(args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		f.WriteString("x")
		f.Close()
	case "once": // works as often as there are bytes in a file
		text, err := os.ReadFile(args[1])
		if err != nil || len(text) == 0 {
			fmt.Fprintln(os.Stderr, "no more of it")
			os.Exit(4)
		}
		os.WriteFile(args[1], text[1:], 0o644)
	case "exit":
		fmt.Println("some output")
		fmt.Fprintln(os.Stderr, "what went \x1b[1mwrong")
		os.Exit(3)
	case "panic":
		panic("of its own")
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		<-forever
	case "hang":
		fmt.Println("hanging")
		<-forever
	case "flood":
		line := bytes.Repeat([]byte("x"), 1<<20)
		for {
			os.Stdout.Write(line)
		}
	case "leave", "escape":
		c := exec.Command(os.Args[0], "hang")
		c.Stdout = os.Stdout
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: args[0] == "escape"}
		if err := c.Start(); err != nil {
			panic(err)
		}
		os.WriteFile(args[1], fmt.Append(nil, c.Process.Pid), 0o644)
	case "memory":
		b := make([]byte, 128<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		runtime.KeepAlive(b)
	default:
		panic("no act " + args[0])
	}
}

// line returns a command line for an act.
func line(args ...string) string {
	quoted := []string{"'" + os.Args[0] + "'"}
	for _, a := range args {
		quoted = append(quoted, "'"+a+"'")
	}
	return strings.Join(quoted, " ")
}

// options returns the options of a short proof.
func options(t *testing.T, old, new string) Options {
	t.Setenv(act, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector lingers otherwise
	o := DefaultOptions()
	o.Old, o.New, o.Rounds, o.Alpha, o.Seed = old, new, 1, 0.4, 7
	return o
}

func proven(t *testing.T, o Options) *compare.Result {
	t.Helper()
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// row returns the row of a unit.
func row(t *testing.T, res *compare.Result, unit string) compare.Row {
	t.Helper()
	for _, r := range res.Benchmarks {
		if r.Metric == unit {
			return r
		}
	}
	t.Fatalf("no row of %s: %+v, failures %v", unit, res.Benchmarks, res.Failures)
	return compare.Row{}
}

// A side that burns much more CPU time is slower, in wall time, which decides,
// and in CPU time; and it is the old side's time over the new side's.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, line("burn", "250ms"), line("say", "hello"))
	o.Rounds = compare.FewestRounds(3, o.Alpha) + 1
	var stages []string
	var mu sync.Mutex
	o.Progress = func(e prove.Event) {
		mu.Lock()
		defer mu.Unlock()
		stages = append(stages, e.Stage+e.Plan)
	}
	res := proven(t, o)
	wall, cpu := row(t, res, compare.WallNs), row(t, res, compare.CPUNs)
	if wall.Verdict != compare.Faster || !wall.Gates || wall.Ratio <= 1 || wall.Old < 50e6 || cpu.Old < 100e6 || cpu.Ratio <= 1 || cpu.Gates {
		t.Errorf("wall %+v\ncpu %+v", wall, cpu)
	}
	if res.ExitCode() != 0 || res.Kind != compare.KindCommands || wall.Name != "command" || wall.Iterations != 1 || res.SliceNs < 50e6 || len(res.Failures) != 0 {
		t.Errorf("exit %d, %+v", res.ExitCode(), res)
	}
	said := strings.Join(stages, "\n")
	for _, want := range []string{"warming up old", "warming up new", "timing new", "rounds"} {
		if !strings.Contains(said, want) {
			t.Errorf("progress lacks %q: %q", want, said)
		}
	}
}

// Every run is made the stated number of times: the warm-ups, the calibration and
// the slices of each round, one side twice in each.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	o := options(t, line("touch", filepath.Join(dir, "old")), line("touch", filepath.Join(dir, "new")))
	began := time.Now()
	res := proven(t, o)
	var runs [2]int
	for side, name := range [2]string{"old", "new"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		runs[side] = len(text)
	}
	n := int(row(t, res, compare.WallNs).Iterations)
	// A round of three slices; each side was warmed up once, and calibrated one to
	// three times.
	slices := runs[0] + runs[1] - 2
	if calibrated := slices - 3*n; n < 1 || n > mostRuns || calibrated < 2 || calibrated > 2*calibrationRuns || res.RoundsMeasured != 1 {
		t.Errorf("%v runs, %d a slice, %d rounds", runs, n, res.RoundsMeasured)
	}
	// What went before the rounds is not counted with them.
	if res.CalibratedNs <= 0 || res.ElapsedNs <= 0 || res.CalibratedNs+res.ElapsedNs > int64(time.Since(began)) {
		t.Errorf("calibrated in %d ns, measured in %d of %v", res.CalibratedNs, res.ElapsedNs, time.Since(began))
	}
}

// A slice gives the mean of its runs: together they took no longer than it did,
// and used the CPU time of one each.
func TestMean(t *testing.T) {
	o := options(t, line("burn", "30ms"), line("say"))
	argv, err := o.Split()
	if err != nil {
		t.Fatal(err)
	}
	const runs = 5
	r := &runner{o: &o, argv: argv, runs: runs}
	begun := time.Now()
	s, err := r.Slice(t.Context(), rounds.SliceRequest{Side: compare.Old})
	took := time.Since(begun)
	if err != nil || s[compare.WallNs] <= 0 || runs*s[compare.WallNs] > float64(took) {
		t.Errorf("%v, %v in %v", s, err, took)
	}
	// The start of a process takes some milliseconds, and five runs use more than 150.
	if cpu := s[compare.CPUNs]; cpu < 30e6 || cpu >= runs*30e6 {
		t.Errorf("%v of CPU time", time.Duration(cpu))
	}
}

func TestRunsOf(t *testing.T) {
	for wall, want := range map[time.Duration]int{0: 50, time.Millisecond: 50, 2 * time.Millisecond: 50, 10 * time.Millisecond: 10, 60 * time.Millisecond: 1, time.Minute: 1} {
		if got := runsOf(wall); got != want {
			t.Errorf("%v: %d runs, want %d", wall, got, want)
		}
	}
}

// What goes wrong on one side is a failure that names it, and says what the
// command said; on both sides it is an error.
func TestFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	for name, c := range map[string]struct {
		bad  []string
		want string
	}{
		"exit":  {[]string{"exit"}, `exit status 3; it said "what went \x1b[1mwrong"`},
		"panic": {[]string{"panic"}, `exit status 2; it said "panic: of its own`},
		"kill":  {[]string{"kill"}, "signal: killed"},
		"hang":  {[]string{"hang"}, `command stopped after 5s: raise -timeout; it said "hanging"`},
		"leave": {[]string{"leave", filepath.Join(t.TempDir(), "pid")}, "command exited with 1 process still running"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "leave" && runtime.GOOS != "linux" {
				t.Skip("only Linux tells who is left of a group")
			}
			o := options(t, line("say", "hello"), line(c.bad...))
			if name == "hang" {
				o.Timeout = 5 * time.Second // the other side has as long to end
			}
			res := proven(t, o)
			if len(res.Failures) != 1 || res.Failures[0].Side != "new" || !strings.HasPrefix(res.Failures[0].Text, c.want) || !strings.Contains(res.Failures[0].Text, "the old side ended with exit status 0") {
				t.Errorf("failures %+v, want %q", res.Failures, c.want)
			}
			if res.ExitCode() != 3 || res.Verdict.Kind != "failed" || len(res.Benchmarks) != 0 {
				t.Errorf("exit %d, %+v", res.ExitCode(), res.Verdict)
			}
		})
	}
	o := options(t, line("exit"), line("kill"))
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "old command: exit status 3") || !strings.Contains(err.Error(), "new command: signal: killed") {
		t.Errorf("both sides fail: %v", err)
	}
	o = options(t, "/no/such/program", line("say"))
	if res := proven(t, o); len(res.Failures) != 1 || res.Failures[0].Side != "old" || !strings.Contains(res.Failures[0].Text, `start "/no/such/program": no such program`) {
		t.Errorf("%+v", res.Failures)
	}
}

// A process that left the group is out of reach, but holds the output open.
func TestEscaped(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	name := filepath.Join(t.TempDir(), "pid")
	o := options(t, line("say"), line("escape", name))
	res := proven(t, o)
	var pid int
	text, err := os.ReadFile(name)
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "linux" && (len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Text, "held its output open")) {
		t.Errorf("%+v", res.Failures)
	}
}

// A side that begins to fail in the middle of the rounds is a failing one.
func TestFailsLater(t *testing.T) {
	name := filepath.Join(t.TempDir(), "left")
	// It lasts through the warm-up and the calibration, and not through 40 slices.
	if err := os.WriteFile(name, []byte(strings.Repeat("x", 10)), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options(t, line("once", name), line("say"))
	o.Rounds = 20
	res := proven(t, o)
	if len(res.Failures) != 1 || res.Failures[0].Side != "old" || !strings.Contains(res.Failures[0].Text, `in round `) || !strings.Contains(res.Failures[0].Text, `exit status 4; it said "no more of it"`) {
		t.Errorf("%+v", res.Failures)
	}
	if res.ExitCode() != 3 {
		t.Errorf("exit %d", res.ExitCode())
	}
}

// Both sides have the same directory and environment but for their own
// variables, and nothing to read.
func TestSurroundings(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, line("environment"), line("environment"))
	o.Dir = dir
	o.Env = [2][]string{{"SIDE=one"}, {"SIDE=two"}}
	var printed bytes.Buffer
	var mu sync.Mutex
	o.Output = writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return printed.Write(p)
	})
	argv, err := o.Split()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{o: &o, argv: argv, runs: 1}
	for side, want := range [2]string{"one", "two"} {
		printed.Reset()
		s, err := r.Slice(t.Context(), rounds.SliceRequest{Side: compare.Side(side)})
		if err != nil || printed.String() != dir+" "+want+" 0" || s[compare.WallNs] <= 0 || s[compare.CPUNs] <= 0 || s[compare.CPUNs] > 64*s[compare.WallNs] {
			t.Errorf("%q, %v, %v", printed.String(), s, err)
		}
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// Output that differs ends the proof before any time is taken; the same output
// is said too.
func TestSameOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, line("say", "one"), line("say", "other"))
	o.SameOutput = true
	res := proven(t, o)
	// sha256sum says so.
	const one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
	if a := res.Answers; a == nil || a.Differing != 1 || len(a.Differences) != 1 || a.Differences[0].Where != "stdout" || a.Differences[0].Old != "3 bytes, sha256 "+one || !strings.HasPrefix(a.Differences[0].New, "5 bytes, sha256 ") {
		t.Errorf("%+v", a)
	}
	if res.ExitCode() != 1 || res.Verdict.Kind != compare.AnswersDiffer || len(res.Benchmarks) != 0 {
		t.Errorf("exit %d, %+v", res.ExitCode(), res.Verdict)
	}
	o.New = o.Old
	if res := proven(t, o); res.Answers == nil || res.Answers.Differing != 0 || len(res.Benchmarks) == 0 {
		t.Errorf("%+v", res)
	}
	o.SameOutput, o.New = false, line("say", "other")
	if res := proven(t, o); res.Answers != nil || len(res.Benchmarks) == 0 {
		t.Errorf("compared although nobody asked: %+v", res.Answers)
	}
}

// The peak is that of a run, where the system tells it, and left out where it
// does not.
func TestPeak(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("what is asked here is how Linux counts")
	}
	o := options(t, line("memory"), line("say"))
	argv, err := o.Split()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{o: &o, argv: argv, runs: 1}
	if s, err := r.Slice(t.Context(), rounds.SliceRequest{Side: compare.Old}); err != nil || s[compare.PeakBytes] < 128<<20 {
		t.Errorf("%v, %v", s, err)
	}
	ballast := make([]byte, 100<<20) // whose peak is the least that is known of others
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	o.Old = o.New
	res := proven(t, o)
	runtime.KeepAlive(ballast)
	for _, r := range res.Benchmarks {
		if r.Metric == compare.PeakBytes {
			t.Errorf("a peak that the system does not tell: %+v", r)
		}
	}
	if !strings.Contains(strings.Join(res.Warnings, "\n"), "peak memory is left out") {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// Ctrl-C ends what runs, and gives what there is.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, line("hang"), line("hang"))
	ctx, cancel := context.WithCancel(t.Context())
	o.Output = writer(func(p []byte) (int, error) { cancel(); return len(p), nil })
	res, err := Run(ctx, o)
	if err != nil || !res.Interrupted || res.ExitCode() != 130 || len(res.Benchmarks) != 0 {
		t.Errorf("%+v, %v", res, err)
	}

	o = options(t, line("say", "x"), line("say", "x"))
	o.Rounds = 1000
	ctx, cancel = context.WithCancel(t.Context())
	o.Progress = func(e prove.Event) {
		if e.Round == 3 {
			cancel()
		}
	}
	res, err = Run(ctx, o)
	if err != nil || !res.Interrupted || res.ExitCode() != 130 || res.RoundsMeasured < 2 || res.RoundsMeasured > 3 || len(res.Benchmarks) == 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestValidate(t *testing.T) {
	for want, spoil := range map[string]func(*Options){
		"is never closed": func(o *Options) { o.New = "a 'b" },
		"empty":           func(o *Options) { o.Old = "" },
		"-timeout 0s":     func(o *Options) { o.Timeout = 0 },
		"-budget":         func(o *Options) { o.Budget = 0 },
		"-old-env":        func(o *Options) { o.Env[0] = []string{"x"} },
	} {
		o := DefaultOptions()
		o.Old, o.New = "a", "b"
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
