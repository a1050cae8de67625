//go:build unix

package worktree

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An answer is cut where its bound is, and none comes from where git has none.
func TestAsk(t *testing.T) {
	long := strings.Repeat("0123456\n", askKept/4) // twice the bound
	r := newRepository(t, "long.txt", long)
	if got, ok := Ask(context.Background(), r.dir, "show", "HEAD:long.txt"); !ok || got != long[:askKept] {
		t.Errorf("%v, %d bytes, want the first %d", ok, len(got), askKept)
	}
	if got, ok := Ask(context.Background(), t.TempDir(), "rev-parse", "HEAD"); ok {
		t.Errorf("outside of a repository: %q", got)
	}
}

// Git before 2.31 does not read settings from the environment.
func TestMonitorOfOldGit(t *testing.T) {
	r := newRepository(t, "a.go", "package a\n")
	mark := filepath.Join(filepath.Dir(r.dir), "ran")
	script := filepath.Join(filepath.Dir(r.dir), "evil.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho ran >> '"+mark+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.writeConfig("core.fsmonitor", script)
	if err := gitTo(context.Background(), io.Discard, r.dir, environment(os.Environ(), nil), "status", "--porcelain"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("the repository's monitor ran (%v)", err)
	}
}
