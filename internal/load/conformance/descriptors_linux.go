package conformance

import (
	"os"
	"testing"
)

// descriptors counts the open file descriptors of this process.
func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
