package work

import (
	"os"
	"sync"
	"testing"
	"time"
)

// begin starts the events once in a process, when the measuring is under way.
var begin = sync.OnceValue(func() *Planted { return Begin(os.Stderr, 500*time.Millisecond, time.Second) })

func BenchmarkStep(b *testing.B) {
	var sum uint64
	for b.Loop() {
		p := begin()
		p.Gate.Lock()
		p.Gate.Unlock()
		sum += Step()
	}
	_ = sum
}
