//go:build unix

package load

import (
	"math"
	"strings"
	"syscall"
	"testing"
)

// Connections that do not fit are refused before the load, with what to do.
func TestEnoughFiles(t *testing.T) {
	if err := enoughFiles(1); err != nil {
		t.Error(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	const many = math.MaxInt64 - ownFiles
	err := enoughFiles(many)
	if uint64(limit.Max) >= math.MaxInt64 {
		if err != nil {
			t.Errorf("no limit, and %v", err)
		}
		return
	}
	if err == nil || !strings.HasPrefix(err.Error(), "9223372036854775743 connections need 9223372036854775807 file descriptors, but the limit is ") || !strings.HasSuffix(err.Error(), "or raise the limit (ulimit -n 9223372036854775807)") {
		t.Error(err)
	}
}
