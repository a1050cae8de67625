package suite

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/gobench"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/bench"
	"whet/internal/symbolname"
)

// allocRun is how long a run takes that records every allocation.
const allocRun = 300 * time.Millisecond

// shownFunctions of each profile stand in the result; the recording has all.
const shownFunctions = 3

// profileAll takes the profiles, one kind of all benchmarks after the other, so
// that an interrupted run has the first kind of each.
func (r *runner) profileAll(ctx context.Context) error {
	var rows []*row
	first := r.o.processors()[0]
	for _, p := range r.pkgs {
		for _, b := range p.rows {
			if b.cpu == first && !p.failed[topLevel(b.name)] {
				rows = append(rows, b)
			}
		}
	}
	done := 0
	for _, kind := range r.o.Profiles {
		for _, b := range rows {
			if r.spent() {
				r.warn("the budget of %v ran out after %d of %d profiles: raise -budget, or choose with -bench", r.o.Budget, done, len(rows)*len(r.o.Profiles))
				return nil
			}
			r.progress(Progress{Stage: "profiling " + kind, Package: b.p.target.ImportPath, Benchmark: b.name, Done: done, Total: len(rows) * len(r.o.Profiles)})
			done++
			if b.p.failed[topLevel(b.name)] {
				continue
			}
			err := r.profile(ctx, b, kind)
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case record.IsFull(err):
				return err
			case err != nil:
				b.p.failed[topLevel(b.name)] = true
				r.fail(b.p.target.ImportPath, b.name, fmt.Errorf("%s under the %s profiler: %w", b.p.target.ImportPath, kind, err))
			}
		}
	}
	return nil
}

// profile runs one benchmark under one instrument.
func (r *runner) profile(ctx context.Context, b *row, kind string) error {
	rel := "profiles/" + b.p.slug + "/" + b.slug + "/" + kind + ".pb.gz"
	name, err := r.w.File(rel)
	if err != nil {
		return err
	}
	calls := r.calls(b, kind)
	run := gobench.Run{Bench: b.name, CPU: b.cpu, BenchTime: fmt.Sprintf("%dx", calls)}
	run.Instrument(kind, name)
	a := recording.Artifact{Path: rel, Kind: kind, Benchmark: r.recorded(b), StartNs: r.w.Now()}
	if _, err := r.run(ctx, b.p, run); err != nil {
		os.Remove(name)
		return err
	}
	p, err := r.w.AddWritten(a)
	if err != nil {
		return err
	}
	switch n := hot.Calls(calls, p); kind {
	case recording.KindCPU:
		b.cpuCalls = n
	case recording.KindAllocs:
		b.allocCalls = n
	case recording.KindMutex:
		b.mutexCalls = n
	}
	b.profiles = append(b.profiles, b.short(kind, rel, p))
	return nil
}

// calls returns how many calls a profiled run makes: as many as the timing did, and
// of a run that records every allocation as many as take about allocRun.
func (r *runner) calls(b *row, kind string) int64 {
	if n := r.o.counted(); n > 0 {
		return n
	}
	last := b.lines[len(b.lines)-1]
	n := max(last.N, 1)
	if kind != recording.KindAllocs {
		return n
	}
	per := last.NsPerOp
	if !(per > 0) {
		per = float64(r.o.benchTime()) / float64(n)
	}
	allocs := 0.0
	if last.AllocsPerOp != nil {
		allocs = *last.AllocsPerOp
	}
	return min(n, gobench.AllocIterations(allocRun, per, allocs))
}

// columns are the columns that each kind is read by.
var columns = map[string]struct{ value, count string }{
	recording.KindCPU:    {"cpu", "samples"},
	recording.KindAllocs: {"alloc_space", "alloc_objects"},
	recording.KindBlock:  {"delay", "contentions"},
	recording.KindMutex:  {"delay", "contentions"},
}

// short returns a profile's measured code in a few figures.
func (b *row) short(kind, rel string, p *callstack.Frames) bench.Profile {
	loops := &hot.Loops{}
	// Where a file does not parse, set-up counts as measured code, as the
	// recording's page will say.
	b.p.frames.AddLoops(loops, p, func(error) {})
	c := hot.Classify(p, loops)
	b.parallel = b.parallel || c.Parallel
	out := bench.Profile{Kind: kind, Path: rel}
	value, err1 := p.TypeIndex(columns[kind].value)
	count, err2 := p.TypeIndex(columns[kind].count)
	if err1 != nil || err2 != nil {
		return out
	}
	base := c.Keep(hot.Base)
	out.Samples = c.Sums(count)[hot.Base]
	total := c.Sums(value)[hot.Base]
	for _, f := range p.Named(symbolname.Elide).FunctionCosts(value, base) {
		if len(out.Top) == shownFunctions || f.Flat <= 0 {
			break
		}
		out.Top = append(out.Top, bench.Share{Function: f.Function, FlatRatio: float64(f.Flat) / float64(total)})
	}
	return out
}

func topLevel(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}
