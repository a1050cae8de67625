package tune

import (
	"maps"
	"slices"

	"whet/internal/format/benchmark"
	"whet/internal/record"
)

// addResults writes the figures into the manifest and in Go benchmark format.
func (r *recorder) addResults(subjects []*benchmarkRun, rest []benchmark.Line) {
	m := &r.w.Manifest
	failed := make(map[string]string)
	for _, f := range r.failures {
		failed[f.benchmark] = f.text
	}
	var lines []benchmark.Line
	all := []record.Benchmark{} // never null in the manifest
	add := func(l benchmark.Line) *record.Benchmark {
		b := record.NewBenchmark(l.Name, l)
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
		b.Turns, b.OneIterations = s.turns, s.oneIterations
	}
	for _, l := range rest {
		add(l)
	}
	for _, name := range slices.Sorted(maps.Keys(failed)) { // before they gave a figure
		all = append(all, record.Benchmark{Name: name, Failure: failed[name]})
	}
	record.Benchmarks.Set(m, &all)
	r.w.AddResults("bench/new.txt", m.Build.Package, lines)
}
