//go:build go1.26 && unix

package agent

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"whet/internal/recording"
)

// children are the programs this binary plays.
var children = map[string]func(){
	// It says that it runs, and ends when its input does.
	"signals": func() {
		defer Start(Config{Record: os.Args[1], Signals: []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1}}).Stop()
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
	},
	// The same, once it has written what it writes by itself each minute.
	"killed": func() {
		a := Start(Config{Record: os.Args[1]})
		defer a.Stop()
		a.continuous.do(context.Background(), a.continuous.keepUp)
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
	},
}

// child starts one of them and waits until it runs.
func child(t *testing.T, name, record string) (cmd *exec.Cmd, stdin io.Closer) {
	t.Helper()
	cmd = exec.Command(os.Args[0], record)
	cmd.Env = append(os.Environ(), childKey+"="+name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, error %v", line, err)
	}
	return cmd, in
}

// The program ends by the signal, as it would have without the agent, and its
// recording is whole.
func TestEndingSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		path := filepath.Join(t.TempDir(), "run.whet")
		// The tests may run in a shell's background: what is caught here is not
		// ignored there.
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, sig)
		cmd, _ := child(t, "signals", path)
		signal.Stop(caught)
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != sig {
			t.Errorf("%v: the program ended with %v", sig, cmd.ProcessState)
		}
		if r := open(t, path); r.Partial != "" || len(r.Find(recording.KindCPU, "")) != 1 {
			t.Errorf("%v: partial %q, %d CPU profiles", sig, r.Partial, len(r.Find(recording.KindCPU, "")))
		}
	}
}

// Another signal writes what there is, and the program goes on to its end.
func TestPassingSignal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.whet")
	cmd, stdin := child(t, "signals", path)
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	await(t, "the recording", func() bool { return recording.Is(path) })
	if r := open(t, path); r.Partial != "written on signal user defined signal 1; the program went on" {
		t.Errorf("partial %q", r.Partial)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	if r := open(t, path); r.Partial != "" {
		t.Errorf("after the end: partial %q", r.Partial)
	}
	if got := names(t, dir); got != "run.whet" {
		t.Errorf("%s is in the directory", got)
	}
}

// A program that is killed leaves a recording that says it is partial.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whet")
	cmd, _ := child(t, "killed", path)
	cmd.Process.Kill()
	cmd.Wait()
	if r := open(t, path); r.Partial == "" || len(r.Find(recording.KindMetrics, "")) != 1 {
		t.Errorf("partial %q", r.Partial)
	}
}
