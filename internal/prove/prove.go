package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/host"
	"whet/internal/quantity"
)

// Result is what a proof has to say; see package compare.
type Result = compare.Result

// Run compares the two packages. The error is not nil when there is nothing
// to report: a side that does not build, a new side whose tests fail, no
// benchmark in common. An interrupted run is no error: the result holds what
// was measured until then, and says so.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	progress := o.Progress
	if progress == nil {
		progress = func(Event) {}
	}
	res := newResult(&o)
	origin := o.Now()
	before := host.Start() // builds load the machine too: its load is read before them
	rec, err := newRecorder(&o, origin)
	if err != nil {
		return nil, err
	}
	defer rec.discard()
	dir, err := os.MkdirTemp("", "whet-prove-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the test binaries: %w", err)
	}
	defer os.RemoveAll(dir)

	b := &binaries{o: &o}
	if err := b.prepare(ctx, dir, res, progress); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		return interrupted(res), nil
	}
	s := &session{o: &o, runner: b, res: res, progress: progress, deadline: o.Now().Add(o.Budget)}
	start := o.Now()
	meter := host.Start()
	err = s.measure(ctx)
	before.Stop(&res.Host)
	load := res.Host.LoadStart
	meter.Stop(&res.Host)
	res.Host.LoadStart = load
	res.ElapsedNs = int64(o.Now().Sub(start))
	if ctx.Err() != nil {
		err = nil
		interrupted(res)
	}
	if err != nil && len(res.Failures) == 0 {
		return nil, err
	}
	s.conclude()
	if len(res.Benchmarks) > 0 {
		if err := rec.finish(s, b, o.Now()); err != nil {
			res.Trouble = "no recording: " + err.Error()
			res.Summarize()
		}
	}
	return res, nil
}

func (b *binaries) prepare(ctx context.Context, dir string, res *Result, progress func(Event)) error {
	if err := b.build(ctx, dir, res, progress); err != nil {
		return err
	}
	b.warnBuilds(res)
	return b.test(ctx, res, progress)
}

func newResult(o *Options) *Result {
	seed := o.Seed
	for seed == 0 {
		seed = uint64(rand.Uint32()) // short enough to be typed again, and exact in every JSON reader
	}
	return &Result{
		Schema: compare.Schema, Warnings: []string{},
		AlphaRatio: o.Alpha, ConfidenceRatio: 1 - o.Alpha, MarginRatio: o.Margin, Seed: seed, BudgetNs: int64(o.Budget),
		Benchmarks: []compare.Row{}, OnlyOld: []string{}, OnlyNew: []string{}, Failures: []compare.Failure{},
		Host: host.Facts(nil),
	}
}

func interrupted(res *Result) *Result {
	res.Interrupted, res.Partial = true, "interrupted"
	if res.RoundsPlanned > 0 {
		res.Partial += fmt.Sprintf(" after %d of %s", res.RoundsMeasured, quantity.Plural(res.RoundsPlanned, "round"))
	}
	res.Summarize()
	return res
}

// conclude turns the rounds into verdicts.
func (s *session) conclude() {
	series := make([]compare.Series, len(s.subjects))
	for i, b := range s.subjects {
		series[i] = b.series
		series[i].Ended = true
		if b.procs > 0 {
			s.res.Host.GOMAXPROCS = b.procs
		}
	}
	o := s.o.compare()
	o.Looks, o.Hypotheses = []int{max(s.res.RoundsPlanned, 1)}, len(metrics())*len(s.subjects)
	if rows := compare.Judge(series, o); rows != nil {
		s.res.Benchmarks = rows
	}
	s.warnShort()
	warnHost(s.res)
	s.res.Summarize()
}

// shortest is the time per operation below which the loop around it and the
// alignment of its code weigh as much as what it does.
const shortest = 30.0

func (s *session) warnShort() {
	n, example := 0, ""
	for _, r := range s.res.Benchmarks {
		if r.Metric == compare.NsPerOp && min(r.Old, r.New) < shortest {
			if n++; n == 1 {
				example = r.Name
			}
		}
	}
	if n > 0 {
		warn(s.res, "%s below %s an operation (%s): there the alignment of a loop can weigh more than a change; do more work in an operation", quantity.Plural(n, "benchmark"), quantity.Nanoseconds(shortest), example)
	}
}

// Disturbances of the machine from which on the result says so.
const (
	muchSteal = 0.02 // of CPU time, taken by the hypervisor
	muchLoad  = 0.5  // runnable processes per core that are not ours
)

func warnHost(res *Result) {
	h := &res.Host
	if h.StealRatio != nil && *h.StealRatio > muchSteal {
		warn(res, "the hypervisor took %s of the CPU time meanwhile: the intervals are wider for it", quantity.Percent(*h.StealRatio))
	}
	if h.LoadStart != nil && h.Cores > 0 && *h.LoadStart > muchLoad*float64(h.Cores) {
		warn(res, "the machine was busy before the start (load %.1f on %d cores): the intervals are wider for it", *h.LoadStart, h.Cores)
	}
	if h.ThrottledNs != nil && *h.ThrottledNs > int64(time.Duration(res.ElapsedNs)/50) {
		warn(res, "the control group was throttled for %s: its CPU limit is measured too", quantity.Nanoseconds(float64(*h.ThrottledNs)))
	}
}
