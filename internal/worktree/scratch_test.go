//go:build unix

package worktree

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// killMe makes the test binary a process that makes a scratch directory, says
// so and waits to be killed.
const killMe = "WHET_TEST_SCRATCH"

func waitForDeath(parent string) {
	s, err := NewScratch(parent)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, "old", "src"), 0o755); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Dir)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(2)
}

func left(t *testing.T, parent string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(parent, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What a process that was killed leaves behind is removed by the next one that
// begins; what one that lives has is not.
func TestScratchAfterKill(t *testing.T) {
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killMe+"="+parent)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if err != nil || filepath.Dir(dir) != parent {
		t.Fatalf("the other process says %q, %v", line, err)
	}

	living, err := NewScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	if got := left(t, parent); len(got) != 2 {
		t.Errorf("beside a process that lives: %v", got)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := os.Stat(filepath.Join(dir, "old", "src")); err != nil {
		t.Errorf("the killed process left nothing: %v", err)
	}
	next, err := NewScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("what the killed process left is still there: %v", err)
	}
	for _, s := range []*Scratch{living, next} {
		if _, err := os.Stat(s.Dir); err != nil {
			t.Errorf("one that lives was removed: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	}
	if got := left(t, parent); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

// A sweep takes nothing that is not ours, and what is, it takes whole.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	writeFiles(t, parent,
		prefix+"foreign/file", "no owner's file in it",
		prefix+"dead/owner", "pid 1\n", prefix+"dead/old/src/a.go", "package a\n", prefix+"dead/index-1/index", "",
		"whet-other/owner", "another program's",
	)
	for _, dir := range []string{prefix + "empty", prefix + "odd"} {
		if err := os.Mkdir(filepath.Join(parent, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// To open it would wait for a reader for ever.
	if err := syscall.Mkfifo(filepath.Join(parent, prefix+"odd", lockName), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	writeFiles(t, outside, "owner", "", "precious", "1")
	if err := os.Symlink(outside, filepath.Join(parent, prefix+"link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(parent, prefix+"dead", "out")); err != nil {
		t.Fatal(err)
	}
	// A program may take itself the permission to remove.
	if err := os.Chmod(filepath.Join(parent, prefix+"dead/old/src"), 0o500); err != nil {
		t.Fatal(err)
	}
	stays := ""
	if os.Geteuid() == 0 { // only root can make what is another user's
		writeFiles(t, parent, prefix+"others/owner", "pid 1\n")
		if err := os.Chown(filepath.Join(parent, prefix+"others"), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		stays = " " + prefix + "others"
	}
	s, err := NewScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range left(t, parent) {
		names = append(names, filepath.Base(name))
	}
	if got := strings.Join(names, " "); got != "whet-other "+prefix+"foreign "+prefix+"link "+prefix+"odd"+stays {
		t.Errorf("left: %s", got)
	}
	if got := contents(t, outside); got["precious"] != "1" || len(got) != 2 {
		t.Errorf("what a link leads to: %v", got)
	}
}

func TestNoScratch(t *testing.T) {
	if _, err := NewScratch(filepath.Join(t.TempDir(), "nope")); err == nil || !strings.Contains(err.Error(), "make a scratch directory: ") {
		t.Errorf("in a directory that is not there: %v", err)
	}
}
