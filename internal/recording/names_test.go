package recording

import "testing"

func TestNames(t *testing.T) {
	for _, tt := range []struct{ name, pkg, benchmark string }{
		{"BenchmarkX", "", "BenchmarkX"},
		{"Benchmark", "", "Benchmark"},
		{"BenchmarkX/a.BenchmarkY", "", "BenchmarkX/a.BenchmarkY"},
		{"example.com/m.BenchmarkX/sub", "example.com/m", "BenchmarkX/sub"},
		{"example.com/Benchmarks.v2/p.Benchmark", "example.com/Benchmarks.v2/p", "Benchmark"},
		{"m.BenchmarkX/n.BenchmarkY", "m", "BenchmarkX/n.BenchmarkY"},
		{"", "", ""},
		{"something", "", "something"},
	} {
		if pkg, benchmark := SplitName(tt.name); pkg != tt.pkg || benchmark != tt.benchmark {
			t.Errorf("%q: %q, %q", tt.name, pkg, benchmark)
		}
		if !Chooses(tt.name, tt.name) || !Chooses(tt.benchmark, tt.name) || tt.pkg != "" && !Chooses(tt.pkg, tt.name) {
			t.Errorf("%q is not chosen by its own names", tt.name)
		}
	}
	for asked, name := range map[string]string{"": "m.BenchmarkX", "BenchmarkY": "BenchmarkX/a.BenchmarkY", "m.Bench": "m.BenchmarkX", "BenchmarkX": "m.BenchmarkX/sub"} {
		if Chooses(asked, name) {
			t.Errorf("%q chooses %q", asked, name)
		}
	}
}
