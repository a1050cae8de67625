package diagnose

import (
	"testing"

	"whet/internal/recording"
)

// One block in ten iterations is made in calls, one in more is not; a program's
// whole run is one iteration, and there fifty are.
func TestMadeInCalls(t *testing.T) {
	for _, test := range []struct {
		kind               string
		iterations, blocks int64
		want               bool
	}{
		{"", 1000, 100, true},
		{"", 1000, 99, false},
		{recording.TargetService, 1000, 100, true},
		{recording.TargetService, 0, 49, false},
		{"", 0, 50, true},
		{recording.TargetProgram, 1, 49, false},
		{recording.TargetProgram, 1, 50, true},
	} {
		s := &Subject{Kind: test.kind, AllocIterations: test.iterations}
		if got := s.MadeInCalls(test.blocks); got != test.want {
			t.Errorf("%q: %d blocks in %d iterations: %v", test.kind, test.blocks, test.iterations, got)
		}
	}
}
