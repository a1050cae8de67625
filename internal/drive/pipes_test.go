//go:build unix

package drive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"whet/internal/cli"
)

// TestLoadGivesWay: whet load ends when it is told to, whatever it waits for to
// read or to be read, and never waits for a pipe where it reads files.
func TestLoadGivesWay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	const pipe, url = "pipe", "http://127.0.0.1:1/"
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"targets":      {[]string{"-targets", pipe}, cli.ExitInterrupted, "whet: interrupted\n"},
		"stdin":        {[]string{"-targets", "-"}, cli.ExitInterrupted, "whet: interrupted\n"},
		"csv":          {[]string{"-csv", pipe, url}, cli.ExitInterrupted, "whet: interrupted\n"},
		"log":          {[]string{"-hdr", pipe, url}, cli.ExitInterrupted, "whet: interrupted\n"},
		"body":         {[]string{"-body", "@" + pipe, url}, cli.ExitUsage, "-body: " + pipe + " is not a regular file of at most 64 MiB"},
		"authorities":  {[]string{"-cacert", pipe, url}, cli.ExitUsage, pipe + " is not a regular file"},
		"certificates": {[]string{"-cert", pipe, "-key", pipe, url}, cli.ExitUsage, pipe + " is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if tc.code == cli.ExitInterrupted {
				cancel()
			}
			defer cancel()
			stdin, typed := io.Pipe() // nobody types
			var said strings.Builder
			code := make(chan int, 1)
			go func() { code <- Run(ctx, append([]string{"load"}, tc.args...), stdin, io.Discard, &said) }()
			select {
			case got := <-code:
				if got != tc.code || !strings.Contains(said.String(), tc.want) {
					t.Errorf("exit code %d, %q, want %d, %q", got, said.String(), tc.code, tc.want)
				}
			case <-time.After(patience):
				t.Error("it waits")
			}
			// What still waits to read finds an end.
			typed.Close()
			if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
				f.Close()
			}
		})
	}
}

// TestLogIsNotRead: a load ends when it is told to, though who should read its log
// does not, and says so.
func TestLogIsNotRead(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile("pipe", os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for fill := bytes.Repeat([]byte("x"), 1<<10); len(fill) > 0; { // no room is left
		switch _, err := syscall.Write(int(f.Fd()), fill); err {
		case nil:
		case syscall.EAGAIN:
			fill = fill[:len(fill)/2]
		default:
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() }))
	defer s.Close()
	var said strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, []string{"load", "-warmup", "0", "-hdr", "pipe", s.URL}, nil, io.Discard, &said)
	}()
	select {
	case got := <-code:
		if want := "whet: write pipe: the reader closed the pipe; interrupted"; got != cli.ExitInterrupted || !strings.HasPrefix(said.String(), want) {
			t.Errorf("exit code %d, %q, want %d, %q", got, said.String(), cli.ExitInterrupted, want)
		}
	case <-time.After(patience):
		t.Fatal("it waits")
	}
}

// A result counts even if nobody reads it, and is reported with other failures.
func TestPrintedOutcome(t *testing.T) {
	broken := &cli.ExitError{Code: cli.ExitFound, Err: errors.New("p99<1ms is broken")}
	gone := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		printed, trouble, outcome error
		code                      int
		want                      string
	}{
		{nil, nil, nil, cli.ExitDone, ""},
		{gone, nil, nil, cli.ExitDone, ""},
		{gone, nil, broken, cli.ExitFound, "p99<1ms is broken"},
		{nil, gone, broken, cli.ExitFound, "write |1: broken pipe\np99<1ms is broken"},
		{full, gone, broken, cli.ExitFound, "write x: no space left on device\nwrite |1: broken pipe\np99<1ms is broken"},
		{full, nil, nil, cli.ExitFailed, "write x: no space left on device"},
	} {
		code, text := cli.ExitDone, ""
		err := printedOutcome(c.printed, c.trouble, c.outcome)
		if err != nil {
			code, text = exitOf(err), err.Error()
		}
		if code != c.code || text != c.want || errors.Is(err, syscall.EPIPE) {
			t.Errorf("%v, %v, %v: exit code %d, %q, want %d, %q", c.printed, c.trouble, c.outcome, code, text, c.code, c.want)
		}
	}
}

// TestWriteResult: what was measured is written after an interruption, to a pipe
// too, and not for good to one that nobody reads.
func TestWriteResult(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	t.Chdir(t.TempDir())
	const read, unread, file = "read", "unread", "file"
	for _, name := range []string{read, unread} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "measured")
		return err
	}
	got := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(read)
		got <- string(data)
	}()
	if err := cli.WriteResult(interrupted, read, write); err != nil {
		t.Error(err)
	}
	if s := <-got; s != "measured" {
		t.Errorf("read %q", s)
	}
	if err := cli.WriteResult(interrupted, file, write); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(file); string(data) != "measured" {
		t.Errorf("%q, %v", data, err)
	}
	if err := cli.WriteResult(interrupted, unread, write); err == nil || !strings.Contains(err.Error(), "the reader closed the pipe") {
		t.Errorf("error %v", err)
	}
	if f, err := os.OpenFile(unread, os.O_RDWR, 0); err == nil { // for what still waits
		f.Close()
	}
}

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

// The same holds for the log of -hdr, from the beginning to the end.
func TestLogToPipe(t *testing.T) {
	dir := t.TempDir()
	name, pipe := makePipe(t, dir)
	for _, whole := range []bool{true, false} {
		k, err := (&loadFlags{hdr: name}).openOutputs(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), new(loadPlan))
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
	k, err := (&loadFlags{hdr: name}).openOutputs(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), new(loadPlan))
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
