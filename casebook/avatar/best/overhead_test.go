//go:build !race

// The race detector's memory counts as the program's own.

package best

import (
	"runtime"
	"testing"
)

// What answers take beside their PNG is what the bound counts, or less: it
// holds for the memory that the runtime says is in use.
func TestOverhead(t *testing.T) {
	inUse := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for _, n := range []int{1_000, 9_000, 20_000} {
		var c cache
		c.init(1 << 40)
		before := inUse()
		for i := range n {
			c.add(newAnswer(key(i), nil))
		}
		each := float64(inUse()-before) / float64(n)
		if each > overhead || each < overhead/3 {
			t.Errorf("with %d answers each takes %.0f bytes, and counts as %d", n, each, overhead)
		}
		if got, want := c.size(), int64(n)*overhead; got != want {
			t.Errorf("%d answers count as %d bytes, want %d", n, got, want)
		}
	}
}
