package tune

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/format/benchmark"
	"whet/internal/record"
)

// profileAll measures the costliest benchmarks, as many as get enough samples at
// the rate that this machine gives: one after the other a clean measurement, an
// allocation profile and a CPU profile each. Then come block and mutex profiles,
// runs at one processor, traces and the runs over time, and the CPU profiles are deepened in turns while
// the budget lasts.
func (r *recorder) profileAll(ctx context.Context, ranked []benchmark.Line, quick time.Duration) (subjects []*benchmarkRun, err error) {
	enough := min(enoughSamples, r.o.Samples)
	r.goal = enough
	plan := &r.w.Manifest.Plan
	names := func(lines []benchmark.Line) (out []string) {
		for _, l := range lines {
			out = append(out, l.Name)
		}
		return out
	}
	planned := func() int {
		more := capacity(r.left(), len(subjects), r.rate(subjects), enough)
		return min(max(len(subjects)+more, 1), len(ranked))
	}
	r.progress(Progress{Stage: "plan", Plan: describe(planned(), len(ranked), r.o.Samples, r.o.Budget)})
	for n := planned(); len(subjects) < n; n = planned() {
		i := len(subjects)
		l := ranked[i]
		s := &benchmarkRun{Line: l, slug: record.Slug(i, strings.TrimPrefix(l.Name, "Benchmark")), loops: &hot.Loops{}, stretch: 1, perCall: perCall(l, quick)}
		subjects = append(subjects, s)
		plan.Selected, plan.LeftOut = names(ranked[:i+1]), names(ranked[i+1:])
		if err := r.profileOne(ctx, s, n-len(subjects)); err != nil {
			return subjects, errors.Join(err, r.storeCPU(subjects))
		}
	}
	if len(plan.LeftOut) > 0 {
		plan.Reason = fmt.Sprintf("the slowest per call: at %.0f samples a second, the budget of %v is too short for %d samples of another", r.rate(subjects), r.o.Budget, enough)
		r.w.Warn("%d of %d benchmarks were measured, %s; choose with -bench, or raise -budget", len(subjects), len(ranked), plan.Reason)
	}
	r.forProcessors = r.o.Budget / processorsShare
	for _, s := range subjects {
		if r.wantsOne(s) {
			r.parallel++
		}
	}
	for _, step := range []step{{"delay profiles", r.delays}, {oneStep, r.processors}, {"trace", r.trace}, {"run over time", r.course}} {
		for i, s := range subjects {
			if step.name == oneStep && !r.wantsOne(s) {
				continue
			}
			if err := r.take(ctx, s, step, len(subjects)-i); err != nil {
				return subjects, errors.Join(err, r.storeCPU(subjects))
			}
		}
	}
	r.goal = r.o.Samples
	err = r.deepen(ctx, subjects)
	return subjects, errors.Join(err, r.storeCPU(subjects))
}

// rate returns how many samples of the measured code a second of CPU runs gave.
func (r *recorder) rate(subjects []*benchmarkRun) float64 {
	var samples int64
	var took time.Duration
	for _, s := range subjects {
		if s.setup == 0 && !s.failed {
			samples, took = samples+s.samples, took+s.cpuTime
		}
	}
	if took < time.Second {
		return fullRate
	}
	return max(float64(samples)/took.Seconds(), 1)
}

// profileOne takes CPU profiles of a benchmark until it has enough samples, with n more
// benchmarks to come. If that would take most of the time, it gets its share, and later
// the time that the others leave.
func (r *recorder) profileOne(ctx context.Context, s *benchmarkRun, n int) error {
	for _, step := range []step{{"clean", r.clean}, {"allocation profile", r.allocs}, {cpuStep, r.cpu}} {
		if err := r.take(ctx, s, step, n+1); err != nil {
			return err
		}
	}
	end := r.o.Now().Add(mayTake(r.left(), n))
	for r.wantsSamples(s) && s.setup == 0 && s.runBase > 0 {
		missing := time.Duration(float64(s.cpuTime) * float64(int64(r.goal)-s.samples) / float64(s.samples))
		if r.turn = end.Sub(r.o.Now()); missing > r.turn || r.turn < 300*time.Millisecond {
			break
		}
		if err := r.more(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// step is one thing that is measured of a benchmark.
type step struct {
	name string
	do   func(context.Context, *benchmarkRun) error
}

// take runs one step of a benchmark, with toCome steps left including itself. It leaves
// half of the time to the later ones; a CPU profile may take more.
func (r *recorder) take(ctx context.Context, s *benchmarkRun, step step, toCome int) error {
	if s.failed || r.left() <= 0 {
		return nil
	}
	r.turn = r.left() / time.Duration(2*toCome)
	if step.name == cpuStep {
		r.turn = mayTake(r.left(), toCome-1)
	}
	if s.setup > r.turn { // each process costs it more than its turn, and the others' is not its to take
		s.lacks = append(s.lacks, step.name)
		return nil
	}
	if err := step.do(ctx, s); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		s.failed = true
		r.fail(s.Name, err)
	}
	return nil
}

// more makes a further CPU run. A benchmark that fails in it keeps its earlier results.
func (r *recorder) more(ctx context.Context, s *benchmarkRun) error {
	if err := r.cpu(ctx, s); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		r.w.Warn("%v", err)
		s.done = true
	}
	return nil
}

// deepen makes further CPU runs in turns while the budget lasts.
func (r *recorder) deepen(ctx context.Context, subjects []*benchmarkRun) error {
	for busy := true; busy; {
		busy = false
		for _, s := range subjects {
			if !r.wantsSamples(s) || r.left() < 300*time.Millisecond {
				continue
			}
			r.turn = r.left()
			if s.setup > 0 { // its share, and no other's
				n := 0
				for _, o := range subjects {
					if r.wantsSamples(o) {
						n++
					}
				}
				if r.turn /= time.Duration(n); r.turn-s.setup < 300*time.Millisecond {
					continue
				}
			}
			if err := r.more(ctx, s); err != nil {
				return err
			}
			busy = busy || !s.done
		}
	}
	return nil
}
