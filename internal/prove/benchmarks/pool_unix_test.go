//go:build unix

package benchmarks

import (
	"os"
	"syscall"
	"testing"
)

// A pipe in the place of a pool's file is not opened: that would be to wait
// for who writes into it. What is saved replaces it.
func TestPipeInThePool(t *testing.T) {
	cache := t.TempDir()
	l := steady()
	l.mustProve(t, few(cache))
	name := onlyFile(t, cache)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if res := l.mustProve(t, few(cache)); res.Run != 1 || !warned(res, "not a regular file") {
		t.Errorf("run %d, warnings %q", res.Run, res.Warnings)
	}
	if res := l.mustProve(t, few(cache)); res.Run != 2 {
		t.Errorf("run %d after it", res.Run)
	}
}
