package pool

import (
	"bytes"
	"strings"
	"testing"

	"whet/casebook/stats"
)

// A long name's memory does not go back to the pool.
func TestPoolIsBounded(t *testing.T) {
	New(nil).Name(stats.Metric, stats.Tags{stats.TagHost: strings.Repeat("n", 2*maxPooled)})
	for range 100 {
		if buf := buffers.Get().(*bytes.Buffer); buf.Cap() > maxPooled {
			t.Fatalf("a buffer of %d bytes came out of the pool, want at most %d", buf.Cap(), maxPooled)
		}
	}
}
