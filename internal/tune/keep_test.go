package tune

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"whet/internal/recording"
)

// TestFullDisk: what could not be stored is an error, named once, and the rest
// is kept.
func TestFullDisk(t *testing.T) {
	r := newSession(DefaultOptions().Common)
	r.c.Out = filepath.Join(t.TempDir(), "run.whet")
	if err := r.create(recording.TargetBenchmark, ""); err != nil {
		t.Fatal(err)
	}
	defer r.w.Discard()
	r.w.Keep(nil)
	r.w.Keep(errors.New("a.go is odd"))
	for _, name := range []string{"b.go", "c.go"} {
		r.w.Keep(fmt.Errorf("write %s: %w", name, &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}))
	}
	outcome, err := r.finish(nil)
	if err == nil || !strings.Contains(err.Error(), "b.go") || strings.Contains(err.Error(), "c.go") || !strings.Contains(err.Error(), "free space") {
		t.Errorf("finish: %v", err)
	}
	rec, page := openPage(t, outcome.Path)
	if rec.Partial != err.Error() || len(rec.Warnings) != 1 || len(page.Warnings) != 1 {
		t.Errorf("partial %q, warnings %q", rec.Partial, rec.Warnings)
	}
}

// TestRename: a recording that whet named gets the name of what it starts, and one that
// the user named keeps his.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "go.mod", "module example.com/m\n")
	for _, c := range []struct{ out, first, want string }{
		{"", "localhost-8080", "m-cmd-server.whet"},
		{"", "localhost-8080", "m-cmd-server-2.whet"},
		{"", costPrefix + "localhost-8080", "cost-m-cmd-server.whet"},
		{filepath.Join(dir, "mine.whet"), "localhost-8080", "mine.whet"},
	} {
		s := newSession(DefaultOptions().Common)
		s.c.Dir, s.c.Out = ".", c.out
		if err := s.create(recording.TargetService, c.first); err != nil {
			t.Fatal(err)
		}
		s.rename("m-cmd-server")
		outcome, err := s.finish(context.Canceled)
		if !errors.Is(err, context.Canceled) || filepath.Base(outcome.Path) != c.want {
			t.Errorf("%+v: %s, %v", c, outcome.Path, err)
		}
	}
}
