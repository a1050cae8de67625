//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the command under test: with act set it does that
// and ends.
const act = "PROCESS_TEST_ACT"

func TestMain(m *testing.M) {
	if name := os.Getenv(act); name != "" {
		child(name, os.Args[1:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func child(name string, args []string) {
	forever := make(chan os.Signal, 1)
	signal.Notify(forever, syscall.SIGUSR2) // keeps the deadlock detector still
	spawn := func(setsid bool) {
		c := exec.Command("sleep", "1000")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
		if err := c.Start(); err != nil {
			panic(err)
		}
		os.WriteFile(args[0]+".new", fmt.Append(nil, c.Process.Pid), 0o644)
		os.Rename(args[0]+".new", args[0])
	}
	switch name {
	case "print":
		fmt.Fprint(os.Stdout, "to stdout\n")
		fmt.Fprint(os.Stderr, "to stderr\n")
	case "steps": // adds a byte to a file before each write
		f, err := os.Create(args[0])
		if err != nil {
			panic(err)
		}
		for i := range 100 {
			f.Write([]byte{'.'})
			fmt.Println(i)
		}
	case "pieces":
		for i := range 1000 {
			fmt.Fprint(os.Stderr, i)
		}
		os.Stderr.Write(bytes.Repeat([]byte("x"), 10000))
	case "processors":
		fmt.Print(runtime.NumCPU(), runtime.GOMAXPROCS(0))
	case "exit":
		os.Exit(7)
	case "abort":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		<-forever
	case "hang":
		<-forever
	case "flood":
		line := bytes.Repeat([]byte("x"), 4096)
		for {
			os.Stdout.Write(line)
		}
	case "stubborn": // ignores what is asked of it, and so does its child
		signal.Ignore(syscall.SIGTERM, syscall.SIGQUIT)
		spawn(false)
		<-forever
	case "orphan": // ends, and leaves a child that holds the pipes
		spawn(false)
	case "escape": // the same, out of reach
		spawn(true)
	case "whet": // runs a command, and is killed
		c := command("hang")
		c.Started = func(pid int) {
			os.WriteFile(args[0]+".new", fmt.Append(nil, pid), 0o644)
			os.Rename(args[0]+".new", args[0])
			fmt.Println("started")
		}
		_, _ = Run(context.Background(), c)
	case "env":
		wd, _ := os.Getwd()
		fmt.Print(wd, " ", os.Getenv("KEY"))
	case "workers": // burns in a child that it waits for, and in one that stays
		burn := func() *exec.Cmd {
			c := exec.Command(os.Args[0], args...)
			c.Env = append(os.Environ(), act+"=burn-and-hang")
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				panic(err)
			}
			out.Read(make([]byte, 1)) // it has burnt
			return c
		}
		first := burn()
		first.Process.Kill()
		first.Wait()
		burn()
		fmt.Println("ready")
		<-forever
	case "burn-and-hang":
		x, begun := 1, cpuOfSelf()
		for cpuOfSelf()-begun < burnt {
			for range 1_000_000 {
				x = x*7 + 1
			}
		}
		fmt.Print(x)
		<-forever
	case "memory":
		b := make([]byte, 96<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		runtime.KeepAlive(b)
	case "burn":
		x := 1
		for range 50_000_000 {
			x = x*7 + 1
		}
		fmt.Print(x)
	default:
		panic("no act " + name)
	}
}

// burnt is the CPU time that each worker of the group uses.
const burnt = 200 * time.Millisecond

func cpuOfSelf() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func command(name string, args ...string) Command {
	// The race detector lingers for a second at the end of each process.
	return Command{Path: os.Args[0], Args: args, Env: append(os.Environ(), act+"="+name, "GORACE=atexit_sleep_ms=0")}
}

func run(t *testing.T, ctx context.Context, c Command) *Result {
	t.Helper()
	res, err := Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestExits(t *testing.T) {
	for _, tt := range []struct {
		act    string
		code   int
		signal string
		status string
	}{
		{"print", 0, "", "exit status 0"},
		{"exit", 7, "", "exit status 7"},
		{"abort", -1, "killed", "signal: killed"},
	} {
		res := run(t, t.Context(), command(tt.act))
		if res.Ending != Exited || res.ExitCode != tt.code || res.Signal != tt.signal || res.Status() != tt.status || res.OK() != (tt.code == 0) {
			t.Errorf("%s: %+v", tt.act, res)
		}
	}
}

func TestOutput(t *testing.T) {
	out, errs := NewBounded(1<<10, 0), NewBounded(1<<10, 0)
	c := command("print")
	c.Stdout, c.Stderr = out, errs
	res := run(t, t.Context(), c)
	if string(out.Bytes()) != "to stdout\n" || string(errs.Bytes()) != "to stderr\n" || res.OutputBytes != 20 {
		t.Errorf("%q, %q, %d bytes", out.Bytes(), errs.Bytes(), res.OutputBytes)
	}
	// A writer that fails neither stops the command nor the count.
	c.Stdout, c.Stderr = failing{}, nil
	if res := run(t, t.Context(), c); !res.OK() || res.OutputBytes != 20 {
		t.Errorf("with a failing writer: %+v", res)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestDirAndEnv(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := NewBounded(1<<10, 0)
	c := command("env")
	c.Dir, c.Stdout = dir, out
	c.Env = append(c.Env, "KEY=value")
	run(t, t.Context(), c)
	if got := string(out.Bytes()); got != dir+" value" {
		t.Errorf("%q", got)
	}
}

// calls keeps what it was handed at a time.
type calls [][]byte

func (c *calls) Write(p []byte) (int, error) {
	c.WriteEach([][]byte{p})
	return len(p), nil
}

func (c *calls) WriteEach(writes [][]byte) {
	for _, w := range writes {
		*c = append(*c, bytes.Clone(w))
	}
}

// TestEachWrite: each write of the command's comes by itself; larger ones than a
// page come in several, and whole.
func TestEachWrite(t *testing.T) {
	t.Parallel()
	var got calls
	c := command("pieces")
	c.Stderr = &got
	if res := run(t, t.Context(), c); !res.OK() {
		t.Fatalf("%+v", res)
	}
	if runtime.GOOS == "linux" {
		if len(got) < 1001 {
			t.Fatalf("%d writes came as %d", 1001, len(got))
		}
		for i := range 1000 {
			if string(got[i]) != strconv.Itoa(i) {
				t.Fatalf("write %d is %q", i, got[i])
			}
		}
	}
	if all := bytes.Join(got, nil); len(all) != 2890+10000 {
		t.Errorf("%d bytes", len(all))
	}
	c = Command{Path: "/no/such/program", Stderr: &got}
	if _, err := Run(t.Context(), c); !NotFound(err) {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	t.Parallel()
	c := command("hang")
	c.Timeout = 50 * time.Millisecond
	if res := run(t, t.Context(), c); res.Ending != TimedOut || res.Signal != "terminated" || res.OK() {
		t.Errorf("timeout: %+v", res)
	}
	c.Dump = true
	errs := NewBounded(64<<10, 0)
	c.Stderr = errs
	c.Timeout = 5 * time.Second // past the runtime's start, on a busy machine too
	if res := run(t, t.Context(), c); res.Ending != TimedOut || res.ExitCode != 2 {
		t.Errorf("dump: %+v", res)
	}
	if !strings.Contains(string(errs.Bytes()), "process.child(") {
		t.Errorf("no dump of the goroutines:\n%s", errs.Bytes())
	}

	c = command("flood")
	c.MaxOutput = 1 << 20
	out := NewBounded(10, 10)
	c.Stdout = out
	res := run(t, t.Context(), c)
	if res.Ending != Flooded || res.OutputBytes <= c.MaxOutput || res.OutputBytes != out.Total() {
		t.Errorf("flood: %+v, %d bytes written", res, out.Total())
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if res := run(t, ctx, command("hang")); res.Ending != Cancelled {
		t.Errorf("cancel: %+v", res)
	}
	if _, err := Run(ctx, command("print")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("started although cancelled: %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	for _, c := range []Command{{Path: "/no/such/program"}, {Path: "no-such-program-anywhere"}, {Path: os.Args[0], Dir: "/no/such/dir"}} {
		if res, err := Run(t.Context(), c); err == nil || res != nil {
			t.Errorf("%+v: %+v, %v", c, res, err)
		}
	}
}

// awaitDeath returns when the process is gone, or a zombie that waits for init.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for state(pid) != "" {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Errorf("process %d was left running", pid)
			return
		}
		runtime.Gosched()
	}
}

// state returns the letter that ps shows, "" for a process that runs no more.
func state(pid int) string {
	if err := syscall.Kill(pid, 0); err != nil {
		return ""
	}
	var s string
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return ""
		}
		// The name, in parentheses, may hold anything.
		s = strings.TrimSpace(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	} else {
		out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		s = strings.TrimSpace(string(out))
	}
	if s == "" || s[0] == 'Z' || s[0] == 'X' {
		return ""
	}
	return s[:1]
}

func readPID(t *testing.T, name string) int {
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

func TestGroupIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	t.Parallel()
	for _, tt := range []struct {
		act    string
		limit  time.Duration
		dump   bool
		ending Ending
	}{
		{"orphan", 0, false, Exited},
		{"stubborn", 5 * time.Second, false, TimedOut},
		{"stubborn", 5 * time.Second, true, TimedOut},
	} {
		name := filepath.Join(t.TempDir(), "pid")
		c := command(tt.act, name)
		c.Timeout, c.Grace, c.Dump = tt.limit, 100*time.Millisecond, tt.dump
		c.Stdout = NewBounded(1<<10, 0)
		res := run(t, t.Context(), c)
		if res.Ending != tt.ending {
			t.Errorf("%s: %+v", tt.act, res)
		}
		if tt.ending == TimedOut && res.Signal != "killed" {
			t.Errorf("%s: %+v, want it killed", tt.act, res)
		}
		awaitDeath(t, readPID(t, name))
	}
}

// A descendant that left the group cannot be killed, but holds up nobody.
func TestEscapedChildDoesNotHang(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	name := filepath.Join(t.TempDir(), "pid")
	c := command("escape", name)
	c.Stdout, c.Stderr = NewBounded(1<<10, 0), &calls{}
	res := run(t, t.Context(), c)
	pid := readPID(t, name)
	if !res.OK() {
		t.Errorf("%+v", res)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child was not there any more: %v", err)
	}
	awaitDeath(t, pid)
}

// A process that is killed leaves no command running.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a command with the one who started it")
	}
	name := filepath.Join(t.TempDir(), "pid")
	of := command("whet", name)
	cmd := exec.Command(of.Path, of.Args...)
	cmd.Env = of.Env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	pid := readPID(t, name)
	if state(pid) == "" {
		t.Error("the command does not run")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	awaitDeath(t, pid)
}

func TestUsage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	res := run(t, t.Context(), command("burn"))
	if res.UserCPU <= 0 || res.UserCPU > 2*res.End.Sub(res.Start)+time.Second || res.End.Before(res.Start) {
		t.Errorf("%+v", res)
	}
	if runtime.GOOS == "linux" {
		// Against the kernel's inheritance of the peak: our own is above that
		// of the small child, which is then unknown, and below the large one's.
		if res := run(t, t.Context(), command("memory")); res.MaxRSSBytes < 96<<20 {
			t.Errorf("peak %d, want at least 96 MiB", res.MaxRSSBytes)
		}
		ballast := make([]byte, 160<<20)
		for i := 0; i < len(ballast); i += 4096 {
			ballast[i] = 1
		}
		if res := run(t, t.Context(), command("memory")); res.MaxRSSBytes != 0 {
			t.Errorf("peak %d of a child smaller than we are, want unknown", res.MaxRSSBytes)
		}
		runtime.KeepAlive(ballast)
	}
}

// No descriptor stays open.
func TestNoDescriptorLeaks(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	run(t, t.Context(), command("print"))
	before := count()
	for range 10 {
		c := command("flood")
		c.MaxOutput = 1
		run(t, t.Context(), c)
		_, _ = Run(t.Context(), Command{Path: "/no/such/program"})
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
