//go:build unix

package recording

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipesAreRefused: a recording from elsewhere may hold a named pipe, which
// to open would be to wait for ever.
func TestPipesAreRefused(t *testing.T) {
	for _, name := range []string{"bench/new.txt", ManifestName} {
		path := write(t, filepath.Join(t.TempDir(), "run.whet"), "")
		if err := os.Remove(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(path, name), 0o600); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			r, err := Open(path)
			if err == nil {
				defer r.Close()
				_, err = r.Read(r.Find(KindBench, "")[0])
			}
			ended <- err
		}()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s is a pipe: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is a pipe: reading does not end", name)
		}
	}
}
