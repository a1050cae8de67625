package compare

import "testing"

// Names that the format cannot hold are changed.
func TestBenchmarkNames(t *testing.T) {
	for in, want := range map[string]string{
		"BenchmarkX":         "BenchmarkX",
		"Benchmark":          "Benchmark",
		"benchmark":          "Benchmark/benchmark",
		"GET /items":         "BenchmarkGET_/items",
		"command":            "Benchmark/command",
		"Benchmarkx":         "Benchmark/Benchmarkx",
		"":                   "Benchmark",
		"BenchmarkX\x1b[31m": "BenchmarkX_[31m",
	} {
		if got := benchmarkName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
