//go:build unix

package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"whet/internal/cli"
)

// makePipe makes a named pipe, opened for both so that neither end waits for the
// other.
func makePipe(t *testing.T, dir string) (name string, pipe *os.File) {
	t.Helper()
	name = filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	return name, pipe
}

// A pipe, like a device, stays what it is and gets what is written.
func TestWriteToPipe(t *testing.T) {
	name, pipe := makePipe(t, t.TempDir())
	if err := cli.WriteFile(context.Background(), name, func(w io.Writer) error {
		_, err := io.WriteString(w, "report")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(name); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("it is %v now, %v", st.Mode(), err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(pipe, got); err != nil || string(got) != "report" {
		t.Errorf("read %q, %v", got, err)
	}
}

// The same holds for the log of -hdr, from the beginning to the end.
func TestLogToPipe(t *testing.T) {
	dir := t.TempDir()
	name, pipe := makePipe(t, dir)
	for _, whole := range []bool{true, false} {
		k, err := (&loadFlags{hdr: name}).keep(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), new(loadPlan))
		if err != nil {
			t.Fatal(err)
		}
		if whole {
			if err := k.commit(logOrigin); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 2)
			if _, err := io.ReadFull(pipe, got); err != nil || string(got) != "#[" {
				t.Errorf("read %q, %v", got, err)
			}
		}
		k.discard()
		if st, err := os.Lstat(name); err != nil || st.Mode() != os.ModeNamedPipe|0o600 {
			t.Fatalf("it is %v now, %v", st.Mode(), err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A log whose name became a directory meanwhile: the error names that, and nothing
// is left beside it.
func TestLogWithoutPlace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "times.hlog")
	k, err := (&loadFlags{hdr: name}).keep(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), new(loadPlan))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
	err = k.commit(logOrigin)
	if err == nil || !strings.HasPrefix(err.Error(), "write "+name+": ") || strings.Contains(err.Error(), ".tmp-") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
