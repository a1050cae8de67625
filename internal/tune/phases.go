package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"whet/internal/capture"
	"whet/internal/capture/host"
	loadformat "whet/internal/format/load"
	"whet/internal/format/metrics"
	"whet/internal/load"
	"whet/internal/loadresult"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/underload"
)

// Of the load's time: a while without the CPU profile, against which its cost
// is measured; and, in a load that is too short for a pass of its own for traces, the
// trace's second, half of which lies in the CPU profile, so that the trace has CPU
// samples and the profile is nearly free of it.
const (
	plainPart = 10 // of the duration, one in
	longPlain = 2 * time.Second
	traceTime = 1 // s
	traceLap  = 500 * time.Millisecond
	lastTime  = 500 * time.Millisecond // between the trace and the load's end
)

// measure drives the load and takes everything meanwhile. target may be nil.
func (r *serviceRecorder) measure(ctx context.Context, target *capture.Target) error {
	m := &measurement{serviceRecorder: r, Stretch: underload.Stretch{Target: target, Origin: r.origin, Now: r.c.Now}}
	r.w.Manifest.Plan = recording.Plan{BudgetNs: int64(r.o.Load.Duration)}
	served, stop := r.whileServed(ctx)
	defer stop()
	if target != nil {
		r.w.Manifest.Plan.Instruments = slices.Concat([]string{recording.KindCPU, recording.KindTrace, recording.KindMetrics}, underload.Cumulative(), underload.States())
		m.connect(served)
		defer m.disconnect()
	}
	r.deadline = r.c.Now().Add(r.o.Load.Warmup + r.o.Load.Duration)
	if pass := r.o.passTime(); pass > 0 && target != nil {
		r.deadline = r.deadline.Add(passWarmup + pass)
	}
	r.progress(Progress{Stage: "warming up"})
	o := r.o.Load
	kept := loadformat.NewWriter(r.w.Writer, r.c.Version, o.Schedule.Open())
	defer kept.Close()
	o.Progress, o.Interval = r.loadProgress, kept.Interval
	running, err := load.Start(served, o)
	if err != nil {
		return err
	}
	r.loaded = true
	m.Load = running
	machine := host.Start()
	if target != nil {
		begin := r.c.Now().Add(o.Warmup)
		taking, stop := context.WithDeadlineCause(served, begin.Add(o.Duration).Add(r.o.Patience), underload.ErrSilent)
		m.take(taking, begin)
		m.hangs = errors.Is(context.Cause(taking), underload.ErrSilent)
		stop()
	}
	result := running.Wait()
	var during recording.Host
	machine.Stop(&during)
	r.result.MachineBusyRatio = during.BusyRatio
	if r.result.Started {
		r.result.ThrottledNs = during.ThrottledNs // one control group has both
	}
	plan := o.Plan()
	m.answers, m.result.URL, m.result.Load = result.Answers, plan.URL, loadformat.NewSums(&plan, result, r.w.Manifest.Origin)
	for _, w := range result.Warnings {
		m.w.Warn("%s", w)
	}
	m.w.Keep(kept.Finish(&plan, result, ""))
	if target != nil && served.Err() == nil && !m.hangs {
		r.progress(Progress{Stage: "taking the last profiles"})
		taking, stop := context.WithTimeoutCause(ctx, r.o.Patience, underload.ErrSilent)
		m.After(taking, result.End)
		stop()
		if pass := r.o.passTime(); pass > 0 && result.Failed() < result.Requests && served.Err() == nil {
			m.stopMetrics() // the measured load has ended
			m.metrics.Wait()
			m.traceAgain(served, pass, &result.Service)
		}
	}
	m.finish()
	if dead := r.died(); dead != nil {
		return dead
	}
	if ctx.Err() == nil && result.Requests > 0 && result.Failed() == result.Requests {
		kind := result.Commonest()
		return fmt.Errorf("all %d requests to %s failed: %s", result.Requests, recording.Redacted(r.o.Load.URL), strings.TrimSpace(kind+": "+result.Examples[kind]))
	}
	return nil
}

// measurement is the time under load.
type measurement struct {
	*serviceRecorder
	underload.Stretch // without a target there are no profiles

	answers []int32        // in each loadresult.Bin of the load
	rates   *capture.Rates // the program's own, to be set again; nil: they were not changed
	hangs   bool           // the target gave no profile in time
	windows []record.File  // traces of the pass of their own

	stopMetrics context.CancelFunc
	metrics     sync.WaitGroup
	rows        []metrics.Row // this and the following are valid once metrics is done
	summary     capture.Sampling
	metricsErr  error
}

// connect sets the rates and begins to read the metrics.
func (m *measurement) connect(ctx context.Context) {
	inForce := m.Target.Rates() // a server started by whet has its rates from the start
	if m.Target.Kind == capture.KindAgent && m.agent == nil {
		before, err := m.Target.SetRates(ctx, int64(blockRate), mutexFraction)
		if err != nil {
			m.w.Warn("%v: block and mutex profiles use the program's own rates", err)
		} else {
			m.rates = &before
			block, mutex := int64(blockRate), int64(mutexFraction)
			inForce.BlockNs, inForce.MutexFraction = &block, &mutex
		}
	}
	m.result.BlockRateNs, m.result.MutexFraction = inForce.BlockNs, inForce.MutexFraction
	ctx, m.stopMetrics = context.WithCancel(ctx)
	m.metrics.Go(func() {
		m.summary, m.metricsErr = m.Target.Metrics(ctx, m.origin, sampleEvery, func(row metrics.Row) {
			if len(m.rows) < metrics.MaxRows {
				m.rows = append(m.rows, row)
			}
		})
	})
}

// sampleEvery is the time between two rows of metrics.
const sampleEvery = 100 * time.Millisecond

// disconnect ends the metrics and gives the target its rates back.
func (m *measurement) disconnect() {
	m.stopMetrics()
	m.metrics.Wait()
	if m.rates == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if _, err := m.Target.SetRates(ctx, rate(m.rates.BlockNs), rate(m.rates.MutexFraction)); err != nil {
		m.w.Warn("the program's block and mutex rates could not be restored: %v", err)
	}
	m.rates = nil
}

// plain returns how long the load runs without the CPU profile at first.
func (m *measurement) plain() time.Duration {
	return min(m.o.Load.Duration/plainPart, longPlain)
}

// perRequest returns the target's CPU time for an answer between two moments, in
// nanoseconds; 0: unknown.
func (m *measurement) perRequest(start, end int64) float64 {
	cpu := metrics.CPU(m.rows, start, end)
	from, to := (start-m.result.Load.StartNs)/int64(loadresult.Bin), (end-m.result.Load.StartNs)/int64(loadresult.Bin)
	var answers int64
	for i := max(from, 0); i < min(to, int64(len(m.answers))); i++ {
		answers += int64(m.answers[i])
	}
	if cpu == nil || answers == 0 {
		return 0
	}
	return float64(*cpu) / float64(answers)
}

// rate returns a rate to set again; one that is not known was off.
func rate(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// take runs the instruments in their order while the load runs; begin is when
// the warm-up is over.
func (m *measurement) take(ctx context.Context, begin time.Time) {
	end := begin.Add(m.o.Load.Duration)
	// The collection before the first profiles belongs to the warm-up.
	if !m.Until(ctx, begin.Add(-min(m.o.Load.Warmup/2, time.Second))) {
		return
	}
	m.Before(ctx)
	if ctx.Err() != nil {
		return
	}
	if !m.Until(ctx, begin.Add(m.plain())) {
		if ctx.Err() == nil {
			m.Warn("no CPU profile and no trace were taken: the first snapshots took until the end of the load; raise -d")
		}
		return
	}
	m.TakeEarly(ctx)
	if m.o.passTime() > 0 {
		m.TakeCPU(ctx, end.Add(-lastTime))
		m.TakeStates(ctx)
		return
	}
	traceFrom := end.Add(-lastTime - traceTime*time.Second)
	var tracing sync.WaitGroup
	tracing.Go(func() {
		if m.Until(ctx, traceFrom) {
			m.TakeTrace(ctx, traceTime, end)
		}
	})
	m.TakeCPU(ctx, traceFrom.Add(traceLap))
	tracing.Wait()
	m.TakeStates(ctx)
}

// finish takes over the results of the other goroutines.
func (m *measurement) finish() {
	m.taken.profiles, m.taken.before = m.Profiles, m.Early
	if m.Trace != nil {
		m.taken.traces = append(m.taken.traces, *m.Trace)
	}
	m.taken.traces = append(m.taken.traces, m.windows...)
	for _, f := range m.Snapshots {
		m.addFile("profiles/"+f.Kind+"-"+f.Part+".pb.gz", "", f)
	}
	m.result.OwnGC = m.Collections
	m.result.CPURequests, m.result.MutexRequests = m.Requests[recording.KindCPU], m.Requests[recording.KindMutex]
	m.result.AllocRequests, m.result.GoroutineRequests = m.Requests[recording.KindAllocs], m.Requests[recording.KindGoroutine]
	for _, text := range m.Warnings() {
		m.w.Warn("%s", text)
	}
	if m.Target == nil {
		return
	}
	m.stopMetrics()
	m.metrics.Wait()
	if m.metricsErr != nil && !errors.Is(m.metricsErr, context.Canceled) {
		m.w.Warn("metrics: %v", m.metricsErr)
	}
	for _, w := range m.summary.Warnings {
		m.w.Warn("%s", w)
	}
	m.result.Restarts = m.summary.Restarts
	// Last, because only a request shows that there is no CPU profile.
	for _, u := range m.Target.Unknown() {
		if m.agent == nil || u.What != capture.FlightRecorder { // nobody could have asked ours to keep one
			m.w.Manifest.Unknown = append(m.w.Manifest.Unknown, u)
		}
	}
	m.taken.rows = m.rows
	l := &m.result.Load
	m.result.TargetCPUNs = metrics.CPU(m.rows, l.StartNs, l.EndNs)
	m.result.TargetPeakBytes = metrics.Peak(m.rows, 0, l.EndNs)
	if ns := metrics.Throttled(m.rows, l.StartNs, l.EndNs); ns != nil {
		m.result.ThrottledNs = ns
	}
	if p := m.Profiles[recording.KindCPU]; p != nil {
		plain := m.perRequest(l.StartNs, min(l.StartNs+int64(m.plain()), p.StartNs))
		if profiled := m.perRequest(p.StartNs, p.EndNs); plain > 0 && profiled > 0 {
			cost := profiled/plain - 1
			p.Cost = &cost
		}
	}
}

// loadProgress reports the progress of the load.
func (r *serviceRecorder) loadProgress(p load.Progress) {
	stage := "under load"
	if p.WarmingUp {
		stage = "warming up"
	}
	r.progress(Progress{Stage: stage, Requests: p.Requests, Errors: p.Errors})
}
