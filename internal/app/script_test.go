//go:build unix

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts run this test binary as whet: with the race detector,
// when the tests have it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"whet": func() {
			// As in cmd/whet.
			ctx, stop := WithSignals(context.Background())
			code := Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			stop()
			os.Exit(code)
		},
	})
}

// TestScripts runs testdata/script: what a user sees when something is wrong.
// Commands of our own:
//
//	exits CODE whet ARGS…        run whet, expect this exit code
//	oneline [TEXT]               stderr is one line from whet, with TEXT in it, and no stack trace
//	fifo NAME                    make a named pipe
//	stops SIGNAL CODE FIFO whet ARGS…
//	                             start whet, wait until a program it started writes to the pipe, send
//	                             whet the signal, expect the exit code; the pipe is left open
//	gone FIFO                    all programs that opened the pipe have ended
//	empty DIR                    nothing is left in DIR
//	small DIR KIB [FILE]         mount a file system with room for FILE and KIB more, where that is allowed
//	serve [http|tls|h2c], serve unix PATH
//	                             start a service, and set $URL to its address
//	loads ARGS…                  run whet load, which succeeds, whatever the machine does
//	grows TEXT ARGS…             likewise, with more time until it prints TEXT
//	misses TEXT ARGS…            run whet load, which finds a bound broken and says TEXT, likewise
//	agree FILE FILE              the documents of a load say the same, but for what was written
//	has FILE PATH OP NUMBER      check a number, a truth (1) or a list's length in a JSON document
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	env, err := goCaches()
	if err != nil {
		t.Fatal(err)
	}
	// However little of a load a busy machine gets done, profiles see what it allocates
	// once two collections have passed: the scripts are run after this returns.
	runtime.MemProfileRate = 4 << 10
	percent := debug.SetGCPercent(20)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			// A second directory than the script's own: what is left in it is a leak.
			scratch := filepath.Join(e.WorkDir, "scratch")
			e.Setenv("TMPDIR", scratch)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home")) // with the caches of whet
			profiles, err := filepath.Abs("../format/profile/testdata")
			if err != nil {
				return err
			}
			e.Setenv("PROFILES", profiles)
			e.Setenv("GORACE", "atexit_sleep_ms=50") // not a second before each command ends
			e.Values[pipesKey] = make(map[string]pipe)
			return os.Mkdir(scratch, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"oneline": oneline,
			"fifo":    fifo,
			"stops":   stops,
			"gone":    gone,
			"empty":   empty,
			"small":   small,
			"serve":   serve,
			"has":     has,
			"loads":   loads,
			"grows":   grows,
			"misses":  misses,
			"agree":   agree,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "mount":
				return canMount(), nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	})
}

// goCaches lets the scripts' builds share the caches of this machine; the
// scripts' home is another.
func goCaches() ([]string, error) {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("go env answers %q", out)
	}
	return []string{"GOCACHE=" + lines[0], "GOMODCACHE=" + lines[1], "GOPATH=" + lines[2], "GOTOOLCHAIN=local", "GOFLAGS="}, nil
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	checkExit(ts, err, want, ts.ReadFile("stderr"))
}

func checkExit(ts *testscript.TestScript, err error, want int, stderr string) {
	got := 0
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		got = ee.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d; stderr:\n%s", got, want, stderr)
	}
}

func oneline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: oneline [TEXT]")
	}
	stderr := ts.ReadFile("stderr")
	switch {
	case strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "whet: "):
		ts.Fatalf("want one line from whet on stderr, got:\n%s", stderr)
	case strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "internal error"):
		ts.Fatalf("the line shows our insides: %s", stderr)
	case len(stderr) > 600:
		ts.Fatalf("the line has %d bytes: %s", len(stderr), stderr)
	case len(args) == 1 && !strings.Contains(stderr, args[0]):
		ts.Fatalf("want %q in: %s", args[0], stderr)
	}
}

// pipe is a named pipe that the programs under test open and keep: a byte
// says that one has come so far, the end of the file that all are gone.
type pipe struct{ read, write *os.File }

// patience bounds what must happen at once on an idle machine; it is never
// measured against.
const patience = 2 * time.Minute

func fifo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fifo NAME")
	}
	name := ts.MkAbs(args[0])
	ts.Check(syscall.Mkfifo(name, 0o600))
	// Without O_NONBLOCK this would wait for a writer; with a writer of our own
	// the end of the file does not come before there is another.
	read, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	ts.Check(err)
	write, err := os.OpenFile(name, os.O_WRONLY, 0)
	ts.Check(err)
	ts.Defer(func() {
		read.Close()
		write.Close()
	})
	pipes(ts)[name] = pipe{read, write}
}

// pipes belong to one script.
func pipes(ts *testscript.TestScript) map[string]pipe {
	return ts.Value(pipesKey).(map[string]pipe)
}

const pipesKey = "pipes"

// stopped is how long STOP lasts.
const stopped = 2 * time.Second

func stops(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: stops SIGNAL CODE FIFO COMMAND ARGS…")
	}
	sig, ok := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "STOP": syscall.SIGSTOP}[args[0]]
	if !ok {
		ts.Fatalf("unknown signal %s", args[0])
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	p, ok := pipes(ts)[ts.MkAbs(args[2])]
	if !ok {
		ts.Fatalf("there is no pipe %s", args[2])
	}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// The tests may run under nohup: what is caught here is not ignored there.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, sig)
	defer signal.Stop(caught)
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	came := make(chan error, 1)
	go func() {
		_, err := p.read.Read(make([]byte, 1))
		came <- err
	}()
	select {
	case err := <-came:
		ts.Check(err)
	case <-ended:
		ts.Fatalf("whet ended before it was stopped; stderr:\n%s", stderr.String())
	case <-time.After(patience):
		cmd.Process.Kill()
		ts.Fatalf("nothing wrote to %s", args[2])
	}
	p.write.Close()
	ts.Check(cmd.Process.Signal(sig))
	if sig == syscall.SIGSTOP { // which ends nothing
		select {
		case <-ended:
			ts.Fatalf("whet ended while it was stopped; stderr:\n%s", stderr.String())
		case <-time.After(stopped):
		}
		ts.Check(cmd.Process.Signal(syscall.SIGCONT))
	}
	select {
	case err = <-ended:
	case <-time.After(patience):
		cmd.Process.Kill()
		ts.Fatalf("whet does not end")
	}
	ts.Stdout().Write(stdout.Bytes())
	ts.Stderr().Write(stderr.Bytes())
	checkExit(ts, err, want, stderr.String())
}

// scriptEnv returns the script's environment.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCACHE", "GOMODCACHE", "GOPATH", "GOTOOLCHAIN", "GOFLAGS", "WORK", "GOCOVERDIR", "PIPE", "STAGE", "ALIVE", "URL"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FIFO")
	}
	p, ok := pipes(ts)[ts.MkAbs(args[0])]
	if !ok {
		ts.Fatalf("there is no pipe %s", args[0])
	}
	p.write.Close()
	ts.Check(p.read.SetReadDeadline(time.Now().Add(patience)))
	if _, err := io.Copy(io.Discard, p.read); err != nil {
		ts.Fatalf("a process is left that holds %s open: %v", args[0], err)
	}
}

func empty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: empty DIR")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		ts.Fatalf("%s was left in %s", e.Name(), args[0])
	}
}

func small(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: small DIR KIB [FILE]")
	}
	kib, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	if len(args) == 3 {
		st, err := os.Stat(ts.MkAbs(args[2]))
		ts.Check(err)
		kib += (st.Size() + 1023) / 1024
	}
	unmount, err := mountSmall(ts.MkAbs(args[0]), kib)
	ts.Check(err)
	ts.Defer(unmount)
}

// mountSmall mounts a file system in memory on an existing directory.
func mountSmall(dir string, kib int64) (unmount func(), err error) {
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", kib), "tmpfs", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mount: %w: %s", err, out)
	}
	return func() { exec.Command("umount", dir).Run() }, nil
}

// canMount is true for root outside of most containers. The scripts that need
// it have a sibling that fills a disk by other means, so none is skipped.
func canMount() bool {
	dir, err := os.MkdirTemp("", "whet-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	unmount, err := mountSmall(dir, 1024)
	if err == nil {
		unmount()
	}
	return err == nil
}
