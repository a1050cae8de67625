package readercontention

import (
	"testing"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/recording"
)

// TestSeveral: in 10 s one goroutine ran for 9 s and the collector's workers for 5; then
// two ran for 9 s each.
func TestSeveral(t *testing.T) {
	for _, c := range []struct {
		readers int64
		want    bool
	}{{1, false}, {2, true}} {
		b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
		b.AddFrames([]callstack.Frame{{Function: "sync.(*RWMutex).RLock"}, {Function: "main.read", File: "/src/main.go", Line: 5}, {Function: "main.main", File: "/src/main.go", Line: 3}}, nil, 900*c.readers, 9e9*c.readers)
		b.AddFrames([]callstack.Frame{{Function: "runtime.scanobject"}, {Function: "runtime.gcDrain"}, {Function: "runtime.gcBgMarkWorker"}}, nil, 500, 5e9)
		profile := b.Frames()
		profile.Duration = int64(10 * time.Second)
		s := &diagnose.Subject{Kind: recording.TargetProgram, CPU: hot.ClassifyProgram(profile), CPUColumn: 1}
		if got := several(s); got != c.want {
			t.Errorf("%d readers: several processors is %t", c.readers, got)
		}
	}
}
