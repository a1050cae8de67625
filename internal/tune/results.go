package tune

import (
	"maps"
	"slices"

	"whet/internal/format/benchmark"
	"whet/internal/record"
	"whet/internal/recording"
)

// addResults writes the figures into the manifest and in Go benchmark format.
func (r *recorder) addResults(subjects []*subject, rest []benchmark.Line) {
	m := &r.w.Manifest
	failed := make(map[string]string)
	for _, f := range r.failures {
		failed[f.benchmark] = f.text
	}
	var lines []benchmark.Line
	all := []recording.Benchmark{} // never null in the manifest
	add := func(l benchmark.Line) *recording.Benchmark {
		b := record.Benchmark(l.Name, l)
		b.Failure = failed[l.Name]
		delete(failed, l.Name)
		all, lines = append(all, b), append(lines, l)
		return &all[len(all)-1]
	}
	for _, s := range subjects {
		b := add(s.Line)
		b.CourseIterations, b.Profiled, b.Parallel = s.courseIterations, len(s.cpu) > 0, s.parallel
		b.CPUIterations, b.MutexIterations, b.BlockIterations, b.AllocIterations = s.cpuIterations, s.mutexIterations, s.blockIterations, s.allocIterations
		b.MutexFraction, b.Scheduling = s.mutexFraction, s.sched
	}
	for _, l := range rest {
		add(l)
	}
	for _, name := range slices.Sorted(maps.Keys(failed)) { // before they gave a figure
		all = append(all, recording.Benchmark{Name: name, Failure: failed[name]})
	}
	recording.BenchmarksPart.Set(m, &all)
	r.w.AddResults("bench/new.txt", m.Build.Package, lines)
}
