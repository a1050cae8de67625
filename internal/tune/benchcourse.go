package tune

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/program"
	"whet/internal/recording"
)

// courseRun is the length of the run that shows a benchmark over time: the
// agent takes twenty rows of metrics in it.
const courseRun = 2 * time.Second

// courseEnd is how long the process may last after that. A TestMain that looks for
// goroutines that the tests left finds the agent's, and waits for their end.
const courseEnd = 5 * time.Second

// course runs a benchmark with the agent, which records the state of its process:
// memory, goroutines, collections, waits. It does not affect the times or the other
// profiles. An obstacle costs only this step. A process that failed after the benchmark
// gave its result has done its work.
func (r *recorder) course(ctx context.Context, s *benchmarkRun) error {
	if r.agentBin == nil {
		return nil
	}
	r.progress(Progress{Stage: "over time", Benchmark: s.Name})
	a, err := program.NewAgent(program.Options{Continuous: true, BlockRate: blockRate, MutexFraction: mutexFraction})
	if err != nil {
		r.w.Warn("%v: the course over time is unknown", err)
		return nil
	}
	defer a.Remove()
	d := r.length(courseRun)
	lines := newGCLines(r.out)
	run := gobench.Run{Bench: s.Name, BenchTime: r.benchTime(d, s), Env: []string{gcTrace(), a.Env()}, CPU: r.o.CPU, Args: r.o.Args, Timeout: min(r.limit(), s.setup+3*d+courseEnd), Output: lines}
	if r.o.Timeout > 0 {
		run.Timeout = r.o.Timeout
	}
	r.out.begin(s.Name)
	res, err := r.agentBin.Run(ctx, run)
	lines.Flush()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if res == nil || err != nil && !slices.ContainsFunc(res.Lines, func(l benchmark.Line) bool { return l.Name == s.Name }) {
		r.w.Warn("%s over time: %v", s.Name, err)
		return nil
	}
	var t instrumentData
	start, end := r.w.Since(res.Start), r.w.Since(res.End)
	began, _, why := r.adopt(&t, a, start, end)
	if why != "" {
		r.w.Warn("%s over time: %s", s.Name, why)
		return nil
	}
	r.storeRows("metrics/"+s.slug+".jsonl", s.Name, t.rows)
	r.addGC(lines, s.Name, began)
	for _, l := range res.Lines {
		if l.Name == s.Name {
			s.courseIterations = l.N
		}
	}
	// The heap's end has a part, so that no page lists it among the profiles of the
	// benchmark's allocations.
	r.storeBefore(&t, "profiles/"+s.slug+".", s.Name)
	for kind, part := range map[string]string{recording.KindGoroutine: "", recording.KindLeaked: "", recording.KindHeap: recording.PartAfter} {
		r.w.AddProfile(recording.Artifact{Path: "profiles/" + s.slug + "." + kind + ".pb.gz", Kind: kind, Part: part, Benchmark: s.Name}, t.profiles[kind])
	}
	// A parallel benchmark has a block profile of a run of its own.
	if !s.parallel {
		r.w.AddProfile(recording.Artifact{Path: "profiles/" + s.slug + ".block.pb.gz", Kind: recording.KindBlock, Benchmark: s.Name}, t.profiles[recording.KindBlock])
	}
	return nil
}

// buildWithAgent builds the test binary with the agent. If that fails, the course over
// time is unknown, with a warning.
func (r *recorder) buildWithAgent(ctx context.Context) {
	if r.target.Module == "std" || r.target.Module == "cmd" {
		return // the agent imports much of it
	}
	r.progress(Progress{Stage: "building the test binary with the agent"})
	b, err := program.BuildTests(ctx, r.target, r.build, filepath.Join(r.scratch, "agent.test"))
	if err == nil {
		r.agentBin = b
	} else if ctx.Err() == nil {
		r.w.Warn("the course over time is unknown: %v", err)
	}
}

// makeScratch makes the directory for temporary builds.
func (r *recorder) makeScratch() (remove func(), err error) {
	r.scratch, err = os.MkdirTemp("", "whet-tune-")
	if err != nil {
		return nil, fmt.Errorf("make a work directory: %w: set TMPDIR to a writable directory", err)
	}
	return func() { os.RemoveAll(r.scratch) }, nil
}
