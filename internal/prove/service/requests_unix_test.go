//go:build unix

package service

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to would be waited for, past any interrupt.
func TestRequestsFromAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "requests")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readRequests(name); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error %v", err)
	}
}
