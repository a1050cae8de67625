package rules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/diagnose"
)

// TestGrowingBuffer measures benchmarks whose names say whether their own
// buffer grows with b.N.
func TestGrowingBuffer(t *testing.T) {
	needsTime(t)
	where := map[string]string{
		"BenchmarkGrowsRecorder": "net/http/httptest.(*ResponseRecorder).",
		"BenchmarkGrowsBuilder":  "growing.BenchmarkGrowsBuilder",
		"BenchmarkGrowsSlice":    "growing.BenchmarkGrowsSlice",
	}
	p := measure(t, filepath.Join("..", "fixtures", "growing"), lengths{cpu: "100ms", samples: 10, allocs: "20000x", heavy: "400x"})
	if len(p.subjects) != 8 {
		t.Fatalf("%d benchmarks", len(p.subjects))
	}
	for _, s := range p.subjects {
		text, found := diagnose.GrowingBuffer(s)
		t.Logf("%s: %v %s", s.Benchmark, found, text)
		if want := strings.HasPrefix(s.Benchmark, "BenchmarkGrows"); found != want {
			t.Errorf("%s: found is %v", s.Benchmark, found)
		}
		if at := where[s.Benchmark]; !strings.Contains(text, at) || found && !strings.Contains(text, "in 20001 iterations") {
			t.Errorf("%s: %q does not name %s", s.Benchmark, text, at)
		}
	}
}
