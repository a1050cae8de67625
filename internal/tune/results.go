package tune

import (
	"bytes"
	"maps"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/format/benchmark"
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
	add := func(l benchmark.Line, b recording.Benchmark) {
		b.Name, b.Procs, b.Iterations, b.NsPerOp, b.BytesPerOp, b.AllocsPerOp = l.Name, l.Procs, l.N, l.NsPerOp, l.BytesPerOp, l.AllocsPerOp
		for _, metric := range l.Metrics {
			b.Metrics = append(b.Metrics, recording.Metric{Unit: metric.Unit, Value: metric.Value})
		}
		b.Failure = failed[l.Name]
		delete(failed, l.Name)
		m.Benchmarks = append(m.Benchmarks, b)
		lines = append(lines, l)
	}
	for _, s := range subjects {
		add(s.Line, recording.Benchmark{CourseIterations: s.courseIterations, Profiled: len(s.cpu) > 0, Parallel: s.parallel,
			CPUIterations: s.cpuIterations, MutexIterations: s.mutexIterations, BlockIterations: s.blockIterations, AllocIterations: s.allocIterations,
			MutexFraction: s.mutexFraction, Scheduling: s.sched})
	}
	for _, l := range rest {
		add(l, recording.Benchmark{})
	}
	for _, name := range slices.Sorted(maps.Keys(failed)) { // before they gave a figure
		m.Benchmarks = append(m.Benchmarks, recording.Benchmark{Name: name, Failure: failed[name]})
	}
	if len(lines) == 0 {
		return
	}
	var text bytes.Buffer
	w := benchmark.NewWriter(&text)
	w.Set("goos", m.Host.OS)
	w.Set("goarch", m.Host.Arch)
	w.Set("pkg", m.Build.Package)
	w.Set("cpu", m.Host.CPU)
	for _, l := range lines {
		w.Write(l)
	}
	r.keep(r.w.Write(recording.Artifact{Path: "bench/new.txt", Kind: recording.KindBench, EndNs: r.now()}, text.Bytes()))
}

// addLoops gives the classifier the source of the files a profile names that
// may hold benchmark functions: the module's own.
func (r *recorder) addLoops(loops *hot.Loops, p *callstack.Profile) {
	for i := range p.NumFrames() {
		file := p.Frame(callstack.FrameID(i)).File
		if loops.Has(file) || !r.frames.own(file) {
			continue
		}
		if src, err := r.frames.finder.Read(file); err == nil {
			r.keep(loops.AddFile(file, src))
		}
	}
}
