package profiles

import (
	"testing"

	"whet/internal/recording"
)

// TestHasLines: of a recording the parts and benchmarks count that OpenLines reads.
func TestHasLines(t *testing.T) {
	for _, tt := range []struct {
		name, benchmark string
		artifact        recording.Artifact
		want            bool
	}{
		{"a profile", "", recording.Artifact{Kind: recording.KindMutex}, true},
		{"one from before", "", recording.Artifact{Kind: recording.KindCPU, Part: recording.PartBefore}, false},
		{"on one processor", "", recording.Artifact{Kind: recording.KindCPU, Part: recording.PartOne}, false},
		{"a heap at the end", "", recording.Artifact{Kind: recording.KindHeap, Part: recording.PartAfter}, true},
		{"a heap before", "", recording.Artifact{Kind: recording.KindHeap, Part: recording.PartBefore}, false},
		{"allocations at the end", "", recording.Artifact{Kind: recording.KindAllocs, Part: recording.PartAfter}, false},
		{"a trace", "", recording.Artifact{Kind: recording.KindTrace}, true},
		{"the flight recorder's", "", recording.Artifact{Kind: recording.KindFlight}, true},
		{"that of the worst moment", "", recording.Artifact{Kind: recording.KindFlight, Part: recording.PartWorst}, false},
		{"goroutines", "", recording.Artifact{Kind: recording.KindGoroutine}, false},
		{"the benchmark", "BenchmarkSum", recording.Artifact{Kind: recording.KindCPU, Benchmark: "example.com/a.BenchmarkSum"}, true},
		{"another benchmark", "BenchmarkSum", recording.Artifact{Kind: recording.KindCPU, Benchmark: "example.com/a.BenchmarkSort"}, false},
		{"a heap of another", "BenchmarkSum", recording.Artifact{Kind: recording.KindHeap, Benchmark: "example.com/a.BenchmarkSort", Part: recording.PartAfter}, false},
		{"a trace of another", "BenchmarkSum", recording.Artifact{Kind: recording.KindTrace, Benchmark: "example.com/a.BenchmarkSort"}, false},
	} {
		f := Options{Benchmark: tt.benchmark}
		if got := f.HasLines(&recording.Manifest{Artifacts: []recording.Artifact{tt.artifact}}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
