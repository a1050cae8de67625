package tune

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"whet/internal/recording"
)

// TestFullDisk: what could not be stored is an error, named once, and the rest
// is kept.
func TestFullDisk(t *testing.T) {
	w, err := recording.Create(filepath.Join(t.TempDir(), "run.whet"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	r := &session{c: DefaultOptions().Common, w: w}
	r.keep(nil)
	r.keep(errors.New("a.go is odd"))
	for _, name := range []string{"b.go", "c.go"} {
		r.keep(fmt.Errorf("write %s: %w", name, &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}))
	}
	outcome, err := r.finish(nil)
	if err == nil || !strings.Contains(err.Error(), "b.go") || strings.Contains(err.Error(), "c.go") || !strings.Contains(err.Error(), "make room") {
		t.Errorf("finish: %v", err)
	}
	rec, page := openPage(t, outcome.Path)
	if rec.Partial != err.Error() || len(rec.Warnings) != 1 || len(page.Warnings) != 1 {
		t.Errorf("partial %q, warnings %q", rec.Partial, rec.Warnings)
	}
}
