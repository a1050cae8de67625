package diagnose

import (
	"testing"

	"whet/internal/recording"
)

// Unknown iterations give no statement: no 0 bytes per run.
func TestPerIteration(t *testing.T) {
	s := subject("x", nil, allocProfile(sample{stack: []string{"m/x.f"}, n: 30, size: 100}), nil)
	for _, test := range []struct {
		kind       string
		iterations int64
		want       string
	}{
		{recording.TargetProgram, 0, ""},
		{recording.TargetProgram, 3, ", 1,000 per run"},
		{recording.TargetService, 6000, ", 0.5 per request"},
		{recording.TargetBenchmark, 3000, ", 1 per iteration"},
	} {
		s.Kind, s.AllocIterations = test.kind, test.iterations
		_, perOp := s.AllocBytes(all)
		if got := s.PerIteration(perOp); got != test.want {
			t.Errorf("3000 bytes in %d of a %s: %q, want %q", test.iterations, test.kind, got, test.want)
		}
	}
}
