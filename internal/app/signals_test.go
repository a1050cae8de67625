//go:build unix

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"whet/internal/cli"
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
			if got != cli.ExitInterrupted || stderr.String() != "whet: interrupted\n" {
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

// release unblocks a process that waits for the pipe, which it finds empty.
func release(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// TestReaderGoesAway: a reader that closes our output is no error.
func TestReaderGoesAway(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	if code := Run(context.Background(), []string{"completion", "bash"}, nil, w, &stderr); code != cli.ExitFailed || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

// TestInterruptedAtOnce: whet tune -json that is interrupted before there is a
// recording still prints a document that says so.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	code := Run(ctx, []string{"tune", "-json", "../../casebook/visits/original"}, strings.NewReader(""), &stdout, &stderr)
	var d struct {
		Schema, Partial string
		Verdict         struct{ Outcome string }
		Findings        []any
	}
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil || code != cli.ExitInterrupted || d.Schema != "whet/tune/1" || d.Partial != "interrupted" || d.Verdict.Outcome != "invalid" || d.Findings == nil {
		t.Errorf("exit code %d, %v, %s%s", code, err, stdout.String(), stderr.String())
	}
	stdout.Reset()
	if code := Run(ctx, []string{"tune", "../../casebook/visits/original"}, strings.NewReader(""), &stdout, &stderr); code != cli.ExitInterrupted || stdout.Len() > 0 {
		t.Errorf("without -json: exit code %d, %s", code, stdout.String())
	}
}
