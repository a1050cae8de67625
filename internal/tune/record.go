package tune

import (
	"context"
	"strconv"
	"time"

	"whet/internal/dotwhet"
	"whet/internal/gobench"
	"whet/internal/recording"
)

// recorder is a run of Record.
type recorder struct {
	session
	o Options

	candidates []*gobench.Target // of a pattern
	spent      time.Duration     // of the budget, on ranking them
	turn       time.Duration     // the longest run of the step at hand
	goal       int               // samples of the base that a CPU profile is taken to, at this stage
	failures   []failure
	resultless []string // why benchmarks ended well without a result, a line each
	skipped    []string // their names

	forProcessors time.Duration // left of the budget for runs at one processor
	parallel      int           // benchmarks that still want some

	scratch  string          // for temporary builds
	agentBin *gobench.Binary // the test binary with the agent in it; nil: there is none
}

// failure is a benchmark that could not be measured, and why in one line.
type failure struct{ benchmark, text string }

// Record measures a package and writes the recording. If it fails or is interrupted
// after a measurement, the recording is kept, marked partial, and Outcome.Path names it
// in addition to the error.
func Record(ctx context.Context, o Options) (Outcome, error) {
	if err := o.Validate(); err != nil {
		return Outcome{}, err
	}
	r := &recorder{session: newSession(o.Common), o: o}
	resolve := func() error { return r.resolve(ctx, o.Operand) }
	if isPattern(o.Operand) {
		resolve = func() error { return r.resolvePattern(ctx) }
	}
	if err := resolve(); err != nil {
		return Outcome{}, err
	}
	name := r.target.ImportPath
	if len(r.candidates) > 0 {
		name = r.target.Module
	}
	if err := r.create(recording.TargetBenchmark, dotwhet.Name(r.target.Family(), name)); err != nil {
		return Outcome{}, err
	}
	defer r.w.Discard()
	removeScratch, err := r.makeScratch()
	if err != nil {
		return Outcome{}, err
	}
	defer removeScratch()
	err = r.record(ctx)
	nothing := r.bin == nil || ctx.Err() == nil && gobench.KindNoBenchmarks.Of(err) // not even built, or nothing to run
	outcome, err := r.measured(ctx, err, !nothing)
	for _, f := range r.failures {
		outcome.Failures = append(outcome.Failures, f.text)
	}
	return outcome, err
}

// record runs the steps. Results before an error are kept.
func (r *recorder) record(ctx context.Context) error {
	if len(r.candidates) > 0 {
		if err := r.pick(ctx); err != nil {
			return err
		}
	}
	if err := r.buildBinary(ctx); err != nil {
		return err
	}
	r.describe()
	r.addDiff(ctx)
	before := filesIn(r.target.Dir)
	defer func() {
		if text := litter(before, filesIn(r.target.Dir)); text != "" {
			r.w.Warn("%s", text)
		}
	}()
	beside := func() {
		r.addDecisions(ctx, true)
		r.buildWithAgent(ctx)
	}
	if err := r.runTests(ctx, before, beside); err != nil {
		return err
	}
	names, err := r.bin.Benchmarks(ctx, r.o.Bench)
	if err != nil {
		return err
	}
	err = r.measure(ctx, names)
	// Whatever was measured becomes readable: an interrupted run keeps its
	// sources too, which takes a moment, but asks the compiler nothing.
	r.w.AddOutput(r.out.Bytes())
	r.addSources(ctx, err != nil)
	return err
}

// buildBinary builds the test binary.
func (r *recorder) buildBinary(ctx context.Context) error {
	r.progress(Progress{Stage: "building the test binary"})
	return r.addBinary("build/target.test", func(name string) (*gobench.Binary, error) {
		return gobench.Build(ctx, r.target, r.build, name)
	})
}

// describe fills the manifest with the facts known before measuring.
func (r *recorder) describe() {
	r.session.describe(r.o.Args)
	m := &r.w.Manifest
	if n, err := strconv.Atoi(r.o.CPU); err == nil {
		m.Host.GOMAXPROCS = n // -cpu
	}
	benchTime := r.o.BenchTime
	if benchTime == "" {
		benchTime = cpuRun.String()
	}
	m.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), BenchTime: benchTime, MinSamples: r.o.Samples,
		Instruments: []string{recording.KindCPU, recording.KindAllocs, recording.KindBlock, recording.KindMutex, recording.KindTrace, recording.KindMetrics, recording.KindGC}}
}
