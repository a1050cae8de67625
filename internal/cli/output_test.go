//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestWriteFile: what is no file is written to and stays what it is; a link
// stays a link.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	hello := func(w io.Writer) error {
		_, err := io.WriteString(w, "hello")
		return err
	}
	pipe, file, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(file, link), os.WriteFile(file, []byte("old"), 0o600)); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, name := range []string{pipe, link} {
		if err := WriteFile(context.Background(), name, hello); err != nil {
			t.Error(err)
		}
	}
	for name, mode := range map[string]os.FileMode{pipe: os.ModeNamedPipe, link: os.ModeSymlink, file: 0} {
		if st, err := os.Lstat(name); err != nil || st.Mode().Type() != mode {
			t.Fatalf("%s is no longer what it was: %v, %v", name, st, err)
		}
	}
	got := make([]byte, len("hello"))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "hello" {
		t.Errorf("the pipe holds %q, %v", got, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "hello" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if err := WriteFile(context.Background(), dir, hello); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("onto a directory: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := WriteFile(ctx, filepath.Join(dir, "new"), hello); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	// Nor does it stay until the writer, who may be long at it, notices.
	ctx, cancel = context.WithCancel(context.Background())
	left := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if err := WriteFile(ctx, filepath.Join(dir, "new"), func(io.Writer) error {
		for cancel(); left() > 3 && t.Context().Err() == nil; runtime.Gosched() {
		}
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted at work: %v", err)
	}
	if left() != 3 {
		t.Errorf("%d files, want 3", left())
	}
}
