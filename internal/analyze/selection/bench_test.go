package selection

import "testing"

// BenchmarkWalk goes through all samples of a CPU profile: once as they are,
// and with options that decide about stacks and about labels.
func BenchmarkWalk(b *testing.B) {
	p := fixture(b, "compile_stdcmd_merged.cpu.pb.gz")
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"plain", Options{}},
		{"lines", Options{Granularity: "lines"}},
		{"focus", Options{Focus: `mallocgc`, Ignore: `gcBgMarkWorker`}},
		{"cut", Options{Hide: `^runtime\.`, ShowFrom: `ssagen`, PruneFrom: `mallocgc`}},
		{"tags", Options{TagFocus: `.`, TagRoot: []string{"key"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, err := New([]Source{{Profile: p}}, c.o)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			steps := 0
			for b.Loop() {
				steps = 0
				for w := s.Walk(); w.Next(); {
					steps += len(w.Path) - w.Shared
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Len()), "ns/sample")
			b.ReportMetric(float64(steps)/float64(p.Len()), "steps/sample")
		})
	}
}

// BenchmarkNew is what is decided before the first sample.
func BenchmarkNew(b *testing.B) {
	p := fixture(b, "compile_stdcmd_merged.cpu.pb.gz")
	for b.Loop() {
		if _, err := New([]Source{{Profile: p}}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
