package tune

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/format/benchmark"
	"whet/internal/format/profile"
	"whet/internal/gobench"
	"whet/internal/record"
	"whet/internal/recording"
)

// benchmarkRun is the state of one selected benchmark during its measurement.
type benchmarkRun struct {
	benchmark.Line
	slug  string
	loops *hot.Loops

	cpu      [][]byte // profiles to merge
	cpuStart int64
	cpuEnd   int64
	samples  int64                 // of the base
	perCall  float64               // ns, as runs are planned
	stretch  float64               // wall time of a run without setup / time the benchmark counted
	setup    time.Duration         // of each process before it counts anything, where that is long
	lacks    []string              // steps that the set-up left no time for
	cpuTime  time.Duration         // of all CPU runs
	runTime  time.Duration         // of the last CPU run
	runBase  int64                 // its base samples
	sched    *recording.Scheduling // of the CPU runs; nil: unknown
	parallel bool
	failed   bool
	done     bool // a further CPU run failed: its earlier results are kept

	turns            []record.Turn // at one processor and at all
	oneIterations    int64         // of the CPU profile at one
	courseIterations int64         // of the run that was watched over time
	// Calls of the loop that each profile covers.
	cpuIterations, mutexIterations, blockIterations, allocIterations int64
	mutexFraction                                                    int64 // of the mutex profile; 0: there is none
}

// measure ranks the benchmarks and profiles as many as the budget takes.
func (r *recorder) measure(ctx context.Context, names []string) error {
	budget := r.o.Budget - r.spent
	r.deadline = r.o.Now().Add(budget)
	lines, err := r.quickPass(ctx, names, r.o.Now().Add(quickShare(budget, len(names))))
	if err != nil {
		r.addResults(nil, lines)
		return err
	}
	ranked := rank(lines)
	subjects, err := r.profileAll(ctx, ranked, quickTime(budget, len(names)))
	r.addResults(subjects, ranked[len(subjects):])
	if err != nil {
		return err
	}
	r.warnShort(subjects)
	for _, s := range subjects {
		if !s.failed {
			return nil
		}
	}
	return r.nothing()
}

// warnShort says which benchmarks the budget left with fewer samples than were
// wanted.
func (r *recorder) warnShort(subjects []*benchmarkRun) {
	var short []string
	for _, s := range subjects {
		if len(s.lacks) > 0 {
			r.w.Warn("%s spends %v on set-up in each process, so its share of the budget left no time for its %s: measure it alone with -bench, or raise -budget", s.Name, s.setup.Round(100*time.Millisecond), strings.Join(s.lacks, ", "))
		}
		if !s.failed && !s.done && s.samples < int64(r.o.Samples) {
			short = append(short, fmt.Sprintf("%s has %d", s.Name, s.samples))
		}
	}
	if len(short) > 0 {
		r.w.Warn("the budget of %v ran out before every CPU profile had %d samples of the measured code: %s; raise -budget, or choose with -bench",
			r.o.Budget, r.o.Samples, strings.Join(short, ", "))
	}
}

// quickPass runs every benchmark for a moment, one process per top-level
// benchmark, so that one that panics or hangs takes no other with it. None is
// begun after the end.
func (r *recorder) quickPass(ctx context.Context, names []string, end time.Time) ([]benchmark.Line, error) {
	var lines []benchmark.Line
	quick := quickTime(r.o.Budget, len(names))
	for i, name := range names {
		r.progress(Progress{Stage: "quick pass", Benchmark: name})
		left := end.Sub(r.o.Now())
		if left <= 0 {
			r.w.Warn("the quick pass used up its fifth of the budget of %v before %s, number %d of %d: raise -budget, or choose with -bench", r.o.Budget, name, i+1, len(names))
			break
		}
		limit := quickLimit(left, len(names)-i, len(names))
		run := gobench.Run{Bench: name, BenchTime: quick.String()} // with all its sub-benchmarks
		if strings.Contains(r.o.Bench, "/") {
			run.Pattern = gobench.Below(r.o.Bench, name)
		}
		res, err := r.run(ctx, limit, run)
		if ctx.Err() != nil {
			return lines, ctx.Err()
		}
		if res != nil {
			lines = append(lines, res.Lines...)
		}
		switch {
		case err == nil:
		case gobench.KindNoMatch.Of(err):
			// -bench ./a selects those that have a sub-benchmark a.
		case gobench.KindTimeout.Of(err) && len(res.Lines) > 1:
			// It did not hang: it has more sub-benchmarks than the time allows.
			r.w.Warn("the quick pass of %s stopped after %v and %d of its sub-benchmarks; the others were not measured: choose with -bench, or raise -budget", name, limit.Round(time.Second), len(res.Lines))
		case gobench.KindTimeout.Of(err) && r.o.Timeout == 0:
			// The time was our choice: with a larger budget it may do.
			r.leaveOut(name, fmt.Sprintf("%v; the quick pass had no more time for it, so it is left out", err))
		default:
			r.fail(name, err)
		}
	}
	ran := slices.Clone(r.skipped)
	for _, l := range lines {
		ran = append(ran, l.Name)
	}
	for _, f := range r.failures {
		ran = append(ran, f.benchmark)
	}
	if len(ran) == 0 && len(gobench.Unmatched(r.o.Bench, nil)) > 0 {
		return nil, &gobench.Error{Kind: gobench.KindNoBenchmarks, Text: fmt.Sprintf("no sub-benchmark of %s matches -bench %s: see their names with go test -run '^$' -bench '%s' -benchtime 1x", strings.Join(names, ", "), r.o.Bench, names[0])}
	}
	if len(lines) == 0 {
		return nil, r.nothing()
	}
	for _, none := range gobench.Unmatched(r.o.Bench, ran) {
		r.w.Warn("-bench: no sub-benchmark matches %s", none)
	}
	return lines, nil
}

// nothing returns the reason that no benchmark can be reported: the first failure,
// otherwise the first benchmark without a result.
func (r *recorder) nothing() *gobench.Error {
	switch {
	case len(r.failures) > 0:
		return &gobench.Error{Kind: gobench.KindFailed, Text: r.failures[0].text}
	case len(r.resultless) == 1:
		return &gobench.Error{Kind: gobench.KindNoResult, Text: r.resultless[0]}
	case len(r.resultless) > 1:
		return &gobench.Error{Kind: gobench.KindNoResult, Text: fmt.Sprintf("no result from %d benchmarks; the first: %s", len(r.resultless), r.resultless[0])}
	}
	return &gobench.Error{Kind: gobench.KindNoResult, Text: fmt.Sprintf("no benchmark of %s that matches -bench %q gave a result", r.target.ImportPath, r.o.Bench)}
}

// run starts one benchmark process with the options common to all.
func (r *recorder) run(ctx context.Context, limit time.Duration, run gobench.Run) (*gobench.Result, error) {
	if r.o.Timeout > 0 {
		limit = r.o.Timeout
	}
	run.CPU, run.Args, run.Timeout, run.Output = r.o.CPU, r.o.Args, limit, r.out
	r.out.begin(run.Bench)
	return r.bin.Run(ctx, run)
}

// fail notes a benchmark that could not be measured; a benchmark that skips
// itself is not a failure.
func (r *recorder) fail(name string, err error) {
	if gobench.KindNoResult.Of(err) {
		r.leaveOut(name, err.Error())
		return
	}
	r.failures = append(r.failures, failure{name, err.Error()})
}

// leaveOut notes a benchmark that came to no result without having failed.
func (r *recorder) leaveOut(name, why string) {
	r.w.Warn("%s", why)
	r.resultless, r.skipped = append(r.resultless, why), append(r.skipped, name)
}

const cpuStep = "CPU profile"

func (r *recorder) wantsSamples(s *benchmarkRun) bool {
	return !s.failed && !s.done && s.samples < int64(r.goal)
}

// clean measures without instruments: the report shows these figures with the
// benchmark's name.
func (r *recorder) clean(ctx context.Context, s *benchmarkRun) error {
	r.progress(Progress{Stage: "clean run", Benchmark: s.Name})
	d := r.length(cleanRun)
	for range 4 {
		counted := 0.0
		res, err := r.run(ctx, r.limit(), gobench.Run{Bench: s.Name, BenchTime: r.benchTime(d, s)})
		if err != nil {
			return err
		}
		for _, l := range res.Lines {
			if l.Name == s.Name {
				s.Line = l
				if s.perCall = l.NsPerOp; !(l.NsPerOp > 0) && l.N > 0 {
					s.perCall = float64(res.End.Sub(res.Start)) / float64(l.N)
				}
				if counted = l.NsPerOp * float64(l.N); counted > float64(10*time.Millisecond) {
					s.stretch = max(float64(res.End.Sub(res.Start))/counted, 1)
				}
			}
		}
		// The quick pass may have included work that is done only once, and made the
		// benchmark look slow: then this run was too short, but its estimate is good,
		// unless a few calls waited for a processor on a busy machine. Long work that
		// is not counted would recur.
		if uncounted := res.End.Sub(res.Start) - time.Duration(counted); r.o.BenchTime != "" || counted > float64(d/4) || uncounted > longSetup {
			return r.findSetup(ctx, s, uncounted)
		}
	}
	return nil
}

// length bounds a run's planned length by the step's turn, by the rest of the budget,
// and by a third of the user's limit for one process.
func (r *recorder) length(d time.Duration) time.Duration {
	d = min(d, r.turn, r.left())
	if r.o.Timeout > 0 {
		d = min(d, r.o.Timeout/3)
	}
	return max(d, time.Millisecond)
}

// limit returns the time after which a process is taken to hang: one that began in
// time may end a little late, and a step's second process no later than its first.
func (r *recorder) limit() time.Duration {
	return max(r.left()+10*time.Second, time.Second)
}

// benchTime returns the user's, or as many calls as take about d.
func (r *recorder) benchTime(d time.Duration, s *benchmarkRun) string {
	if r.o.BenchTime != "" {
		return r.o.BenchTime
	}
	return fmt.Sprintf("%dx", gobench.Iterations(d, s.perCall*s.stretch))
}

// allocs records every allocation.
func (r *recorder) allocs(ctx context.Context, s *benchmarkRun) error {
	r.progress(Progress{Stage: "allocations", Benchmark: s.Name})
	allocs := 0.0
	if s.AllocsPerOp != nil {
		allocs = *s.AllocsPerOp
	}
	n := gobench.AllocIterations(r.length(allocRun), s.perCall*s.stretch, allocs)
	_, p, err := r.instrument(ctx, s, recording.KindAllocs, r.limit(), fmt.Sprintf("%dx", n))
	if err == nil {
		s.allocIterations = hot.Calls(n, p)
	}
	return err
}

// instrument runs a benchmark once under one instrument and stores its data: a profile,
// or a trace, for which p is nil.
func (r *recorder) instrument(ctx context.Context, s *benchmarkRun, kind string, limit time.Duration, benchTime string) (*gobench.Result, *callstack.Frames, error) {
	a := recording.Artifact{Path: "profiles/" + s.slug + "." + kind + ".pb.gz", Kind: kind, Benchmark: s.Name, StartNs: r.w.Now()}
	if kind == recording.KindTrace {
		a.Path = "trace/" + s.slug + ".trace"
	}
	name, err := r.w.File(a.Path)
	if err != nil {
		return nil, nil, err
	}
	run := gobench.Run{Bench: s.Name, BenchTime: benchTime}
	run.Instrument(kind, name)
	res, err := r.run(ctx, limit, run)
	if err != nil {
		return nil, nil, err
	}
	p, err := r.w.AddWritten(a)
	return res, p, err
}

// cpu makes one more CPU-profiled run and counts its base samples.
func (r *recorder) cpu(ctx context.Context, s *benchmarkRun) error {
	r.progress(Progress{Stage: "cpu", Benchmark: s.Name, Samples: int(s.samples), Wanted: r.goal})
	d := r.length(cpuRun)
	if s.runBase > 0 { // no longer than the missing samples take
		missing := time.Duration(float64(s.runTime) * float64(int64(r.goal)-s.samples) / float64(s.runBase))
		d = min(d, max(missing, 100*time.Millisecond))
	}
	if s.setup > 0 && r.o.BenchTime == "" {
		d = oneProcess(r.turn, s.setup, r.goal-int(s.samples))
	}
	rel := "profiles/" + s.slug + ".cpu-part.pb.gz"
	name, err := r.w.File(rel)
	if err != nil {
		return err
	}
	defer os.Remove(name)
	start := r.o.Now()
	res, err := r.run(ctx, r.limit(), gobench.Run{Bench: s.Name, BenchTime: r.benchTime(d, s), CPUProfile: name, Scheduling: true})
	if err != nil {
		return err
	}
	end := r.o.Now()
	data, p, err := record.ReadProfile(name, rel)
	if err != nil {
		return err
	}
	s.cpuIterations += r.calls(res, s.Name, p)
	r.frames.AddLoops(s.loops, p, r.w.Keep)
	c := hot.Classify(p, s.loops)
	if len(s.cpu) == 0 {
		s.cpuStart = r.w.Since(start)
	}
	s.cpuEnd = r.w.Since(end)
	s.cpu = append(s.cpu, data)
	s.runTime, s.runBase = end.Sub(start), c.Sums(0)[hot.Base]
	s.samples, s.cpuTime = s.samples+s.runBase, s.cpuTime+s.runTime
	if seen := scheduling(res.Scheduling); seen != nil {
		s.sched = s.sched.Add(*seen)
	}
	s.parallel = s.parallel || c.Parallel
	return nil
}

// storeCPU merges each benchmark's CPU profiles into one artifact.
func (r *recorder) storeCPU(subjects []*benchmarkRun) error {
	for _, s := range subjects {
		if len(s.cpu) == 0 {
			continue
		}
		data, err := profile.Merge(s.cpu...)
		if err != nil {
			return fmt.Errorf("merge CPU profiles of %s: %w", s.Name, err)
		}
		err = r.w.Write(recording.Artifact{Path: "profiles/" + s.slug + ".cpu.pb.gz", Kind: recording.KindCPU, Benchmark: s.Name, StartNs: s.cpuStart, EndNs: s.cpuEnd}, data)
		if err != nil {
			return err
		}
	}
	return nil
}

// delays takes block and mutex profiles where several goroutines do the work.
func (r *recorder) delays(ctx context.Context, s *benchmarkRun) error {
	if !s.parallel {
		return nil
	}
	for _, kind := range []string{recording.KindBlock, recording.KindMutex} {
		if r.left() <= 0 {
			break
		}
		r.progress(Progress{Stage: kind, Benchmark: s.Name})
		d := r.length(delayRun)
		res, p, err := r.instrument(ctx, s, kind, r.limit(), r.benchTime(d, s))
		if err != nil {
			return err
		}
		if kind == recording.KindMutex {
			s.mutexIterations, s.mutexFraction = r.calls(res, s.Name, p), gobench.MutexFraction
		} else {
			s.blockIterations = r.calls(res, s.Name, p)
		}
	}
	return nil
}

// trace takes a short execution trace.
func (r *recorder) trace(ctx context.Context, s *benchmarkRun) error {
	r.progress(Progress{Stage: "trace", Benchmark: s.Name})
	n := gobench.Iterations(r.length(traceRun), s.perCall*s.stretch)
	_, _, err := r.instrument(ctx, s, recording.KindTrace, r.limit(), fmt.Sprintf("%dx", n))
	return err
}
