//go:build unix

package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
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
