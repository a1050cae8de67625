//go:build unix

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReadersAreAbandoned: a verb that reads what nobody writes ends when it
// is told to.
func TestReadersAreAbandoned(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.pb.gz")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"top", name}, {"list", ".", name}, {"flame", "-o", name + ".html", name}} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var stderr bytes.Buffer
		code := make(chan int, 1)
		go func() { code <- Run(ctx, args, nil, io.Discard, &stderr) }()
		select {
		case got := <-code:
			if got != exitInterrupted || stderr.String() != "whet: interrupted\n" {
				t.Errorf("%s: exit code %d, stderr %q", args[0], got, stderr.String())
			}
		case <-time.After(patience):
			t.Fatalf("%s does not end", args[0])
		}
		release(t, name)
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil || len(entries) != 1 {
		t.Errorf("left beside the pipe: %v, %v", entries, err)
	}
}

// release lets whoever waits for the pipe find it empty.
func release(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestDefectsOfReaders(t *testing.T) {
	err := abandonable(context.Background(), func() error { panic("out of\nrange") })
	var d *defect
	if !errors.As(err, &d) || !strings.Contains(string(d.stack), "TestDefectsOfReaders") {
		t.Errorf("abandonable = %v", err)
	}
}

// TestPipesAreReadOnce: looking whether an operand is a program takes nothing
// from a pipe, as in whet top <(curl …) other.pb.gz.
func TestPipesAreReadOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("\x7fELF and more"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if isExecutable(fmt.Sprintf("/dev/fd/%d", r.Fd())) {
		t.Error("a pipe is taken for a program")
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "\x7fELF and more" {
		t.Errorf("what is left in the pipe: %q, %v", rest, err)
	}
}

// TestReaderGoesAway: whoever closes our output has seen enough.
func TestReaderGoesAway(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	if code := Run(context.Background(), []string{"completion", "bash"}, nil, w, &stderr); code != exitFailed || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

// TestReaderStops: nobody who stops reading keeps whet from ending when it is
// told to, and until then whet waits.
func TestReaderStops(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	u := &unlessStuck{ctx: ctx, w: w}
	if n, err := u.Write([]byte("read")); n != 4 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	ended := make(chan error, 1)
	more := bytes.Repeat([]byte("x"), 1<<20)
	go func() {
		_, err := u.Write(more)
		ended <- err
	}()
	got := make([]byte, 4+1<<10)
	if _, err := io.ReadFull(r, got); err != nil || string(got[:5]) != "readx" {
		t.Fatalf("%q, %v", got[:5], err)
	}
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	cancel()
	select {
	case err = <-ended:
	case <-time.After(patience):
		t.Fatal("it waits")
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if n, err := u.Write(more); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("behind that it wrote %d bytes, %v", n, err)
	}
}

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
		if err := writeFile(context.Background(), name, hello); err != nil {
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
	if err := writeFile(context.Background(), dir, hello); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("onto a directory: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := writeFile(ctx, filepath.Join(dir, "new"), hello); !errors.Is(err, context.Canceled) {
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
	if err := writeFile(ctx, filepath.Join(dir, "new"), func(io.Writer) error {
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
