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
	"whet/internal/format/profile"
	"whet/internal/load"
	"whet/internal/loadresult"
	"whet/internal/recording"
)

// Of the load's time: a while without the CPU profile, against which its cost
// is measured; and the trace's second, half of which lies in the CPU profile,
// so that the trace has CPU samples and the profile is nearly free of it.
const (
	plainPart = 10 // of the duration, one in
	longPlain = 2 * time.Second
	traceTime = 1 // s
	traceLap  = 500 * time.Millisecond
	lastTime  = 500 * time.Millisecond // between the trace and the load's end
)

// cumulative profiles count since the process began: they are taken before and
// after the load.
var cumulative = []string{recording.KindAllocs, recording.KindBlock, recording.KindMutex}

// states are taken once, while the load runs.
var states = []string{recording.KindHeap, recording.KindGoroutine, recording.KindThreads}

// measure drives the load and takes everything meanwhile. target may be nil.
func (r *serviceRecorder) measure(ctx context.Context, target *capture.Target) error {
	m := &measurement{serviceRecorder: r, target: target, before: make(map[string]*capture.Fetched), seen: make(map[string]int64)}
	r.w.Manifest.Plan = recording.Plan{BudgetNs: int64(r.o.Load.Duration)}
	served, stop := r.whileServed(ctx)
	defer stop()
	if target != nil {
		r.w.Manifest.Plan.Instruments = append(append([]string{recording.KindCPU, recording.KindTrace, recording.KindMetrics}, cumulative...), states...)
		m.connect(served)
		defer m.disconnect()
	}
	r.deadline = r.c.Now().Add(r.o.Load.Warmup + r.o.Load.Duration)
	r.progress(Progress{Stage: "warming up"})
	o := r.o.Load
	kept, err := loadformat.NewWriter(r.w.Writer, r.c.Version, o.Schedule.Open())
	if err != nil {
		return err
	}
	defer kept.Close()
	o.Progress, o.Interval = r.loadProgress, kept.Interval
	running, err := load.Start(served, o)
	if err != nil {
		return err
	}
	r.loaded = true
	m.load = running
	machine := host.Start()
	if target != nil {
		begin := r.c.Now().Add(o.Warmup)
		taking, stop := context.WithDeadlineCause(served, begin.Add(o.Duration).Add(r.o.Patience), errSilent)
		m.take(taking, begin)
		m.hangs = errors.Is(context.Cause(taking), errSilent)
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
	m.answers, m.result.URL, m.result.Load = result.Answers, plan.URL, loadformat.Sums(&plan, result, r.w.Manifest.Origin)
	for _, w := range result.Warnings {
		m.w.Warn("%s", w)
	}
	m.keep(kept.Finish(&plan, result, ""))
	if target != nil && served.Err() == nil && !m.hangs {
		r.progress(Progress{Stage: "taking the last profiles"})
		taking, stop := context.WithTimeoutCause(ctx, r.o.Patience, errSilent)
		m.after(taking)
		stop()
	}
	m.finish()
	if dead := r.died(); dead != nil {
		return dead
	}
	if ctx.Err() == nil && result.Requests > 0 && result.Failed() == result.Requests {
		kind := result.Commonest()
		return fmt.Errorf("every one of %d requests to %s failed: %s", result.Requests, recording.Redacted(r.o.Load.URL), strings.TrimSpace(kind+": "+result.Examples[kind]))
	}
	return nil
}

// measurement is the time under load.
type measurement struct {
	*serviceRecorder
	target *capture.Target
	load   *load.Running
	rates  *capture.Rates // the program's own, to be set again; nil: they were not changed

	before  map[string]*capture.Fetched
	answers []int32          // in each loadresult.Bin of the load
	seen    map[string]int64 // answers when each of before was taken
	traced  *takenTrace
	hangs   bool // the target gave no profile in time

	stopMetrics context.CancelFunc
	metrics     sync.WaitGroup
	mu          sync.Mutex // guards what the metrics' goroutine writes
	rows        []metrics.Row
	summary     capture.Sampling
	metricsErr  error
	warnings    []string
	lacking     []lack
}

// connect sets the rates and begins to read the metrics.
func (m *measurement) connect(ctx context.Context) {
	inForce := m.target.Rates() // what whet started has its own from the first moment
	if m.target.Kind == capture.KindAgent && m.agent == nil {
		before, err := m.target.SetRates(ctx, int64(blockRate), mutexFraction)
		if err != nil {
			m.w.Warn("%v: block and mutex profiles are at the rates the program chose", err)
		} else {
			m.rates = &before
			block, mutex := int64(blockRate), int64(mutexFraction)
			inForce.BlockNs, inForce.MutexFraction = &block, &mutex
		}
	}
	m.result.BlockRateNs, m.result.MutexFraction = inForce.BlockNs, inForce.MutexFraction
	ctx, m.stopMetrics = context.WithCancel(ctx)
	m.metrics.Go(func() {
		summary, err := m.target.Metrics(ctx, m.origin, sampleEvery, func(row metrics.Row) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if len(m.rows) < metrics.MaxRows {
				m.rows = append(m.rows, row)
			}
		})
		m.mu.Lock()
		defer m.mu.Unlock()
		m.summary, m.metricsErr = summary, err
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
	if _, err := m.target.SetRates(ctx, rate(m.rates.BlockNs), rate(m.rates.MutexFraction)); err != nil {
		m.w.Warn("the program's block and mutex rates could not be set back: %v", err)
	}
	m.rates = nil
}

// plain is how long the load runs without the CPU profile at first.
func (m *measurement) plain() time.Duration {
	return min(m.o.Load.Duration/plainPart, longPlain)
}

// perRequest is the target's CPU time for an answer between two moments, in
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

// rate is a rate to set again; one that is not known was off.
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
	if !m.until(ctx, begin.Add(-min(m.o.Load.Warmup/2, time.Second))) {
		return
	}
	m.collect(ctx)
	for _, kind := range cumulative {
		m.before[kind], m.seen[kind] = m.fetch(ctx, kind), m.load.Completed()
	}
	if ctx.Err() != nil {
		return
	}
	if !m.until(ctx, begin.Add(m.plain())) {
		if ctx.Err() == nil {
			m.warn("there is no CPU profile and no trace: the first profiles took until the load's end; raise -d")
		}
		return
	}
	// The goroutines are counted when they are asked for.
	m.seen[recording.KindGoroutine] = m.load.Completed()
	if f := m.fetch(ctx, recording.KindGoroutine); f != nil {
		m.taken.before = append(m.taken.before, takenTrace{f.Data, recording.KindGoroutine, m.since(f.Start), m.since(f.End)})
	}
	traceFrom := end.Add(-lastTime - traceTime*time.Second)
	var tracing sync.WaitGroup
	tracing.Go(func() {
		if m.until(ctx, traceFrom) {
			m.trace(ctx, end)
		}
	})
	m.cpu(ctx, traceFrom.Add(traceLap))
	tracing.Wait()
	for _, kind := range states {
		completed := m.load.Completed()
		f := m.fetch(ctx, kind)
		if f == nil {
			continue
		}
		m.taken.add(kind, f.Data, m.since(f.Start), m.since(f.End))
		if kind == recording.KindGoroutine && len(m.taken.before) > 0 {
			m.result.GoroutineRequests = completed - m.seen[kind]
		}
	}
}

// until waits for a moment, and reports whether it came.
func (m *measurement) until(ctx context.Context, moment time.Time) bool {
	t := time.NewTimer(moment.Sub(m.c.Now()))
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-m.load.Done():
	case <-ctx.Done():
	}
	return false
}

// fetch takes one profile of a state. What cannot be had is warned of.
func (m *measurement) fetch(ctx context.Context, kind string) *capture.Fetched {
	if !slices.Contains(m.target.Offers(), kind) {
		return nil // among what is unknown
	}
	if errors.Is(context.Cause(ctx), errSilent) {
		return nil // that was said
	}
	f, err := m.target.Profile(ctx, kind, 0)
	if err != nil {
		m.missed(ctx, kind, err)
		return nil
	}
	return f
}

// errSilent ends the profiles of a target that hangs.
var errSilent = errors.New("no answer came even after the load's end")

// missed notes that a profile could not be had, once for each cause: a target
// that does not answer any more lacks them all.
func (m *measurement) missed(ctx context.Context, kind string, err error) {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSilent) {
		return
	}
	cause := err
	for next := errors.Unwrap(cause); next != nil; next = errors.Unwrap(cause) {
		cause = next
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.lacking {
		if l := &m.lacking[i]; l.cause == cause.Error() {
			if !slices.Contains(l.kinds, kind) {
				l.kinds = append(l.kinds, kind)
			}
			return
		}
	}
	m.lacking = append(m.lacking, lack{[]string{kind}, cause.Error(), err})
}

// lack is why profiles are missing.
type lack struct {
	kinds []string
	cause string
	first error // of the first of them, with where it was asked for
}

// again is how often what somebody else uses is asked for.
const again = 250 * time.Millisecond

// cpuPart is the length of one piece of the CPU profile: a profile that is cut
// off, as by Ctrl-C, is lost as a whole.
const cpuPart = 5 * time.Second

// cpu takes the CPU profile until the time end, in pieces; whoever else is
// taking one is waited for as long as a second is left.
func (m *measurement) cpu(ctx context.Context, end time.Time) {
	if !slices.Contains(m.target.Offers(), recording.KindCPU) {
		return
	}
	for first := true; first || end.Sub(m.c.Now()) >= time.Second; {
		seconds := max(int(min(end.Sub(m.c.Now()), cpuPart)/time.Second), 1)
		done := m.load.Completed()
		f, err := m.target.Profile(ctx, recording.KindCPU, seconds)
		if err == nil {
			first = false
			m.result.CPURequests += m.load.Completed() - done
			m.taken.add(recording.KindCPU, f.Data, m.since(f.Start), m.since(f.End))
			continue
		}
		next := m.c.Now().Add(again)
		if !errors.Is(err, capture.ErrInUse) || next.Add(time.Second).After(end) || !m.until(ctx, next) {
			m.missed(ctx, recording.KindCPU, err)
			return
		}
	}
}

// trace takes the execution trace, before the time end.
func (m *measurement) trace(ctx context.Context, end time.Time) {
	if !slices.Contains(m.target.Offers(), recording.KindTrace) {
		return
	}
	for {
		f, err := m.target.Trace(ctx, traceTime)
		if err == nil {
			m.traced = &takenTrace{f.Data, recording.KindTrace, m.since(f.Start), m.since(f.End)}
			return
		}
		next := m.c.Now().Add(again)
		if !errors.Is(err, capture.ErrInUse) || next.After(end) || !m.until(ctx, next) {
			m.missed(ctx, recording.KindTrace, err)
			m.flight(ctx)
			return
		}
	}
}

// flight takes the snapshot of a flight recorder in place of a trace that
// could not be had.
func (m *measurement) flight(ctx context.Context) {
	if !slices.Contains(m.target.Offers(), recording.KindFlight) {
		return
	}
	f, err := m.target.Flight(ctx)
	if err != nil {
		m.missed(ctx, recording.KindFlight, err)
		return
	}
	m.traced = &takenTrace{f.Data, recording.KindFlight, m.since(f.Start), m.since(f.End)}
}

// collect has the target collect its garbage, without which allocations since
// its last collection are in no profile.
func (m *measurement) collect(ctx context.Context) {
	if !slices.Contains(m.target.Offers(), recording.KindAllocs) {
		return
	}
	start := m.now()
	err := m.target.Collect(ctx)
	m.result.OwnGC = append(m.result.OwnGC, recording.Span{StartNs: start, EndNs: m.now()})
	if err != nil {
		m.missed(ctx, recording.KindAllocs, fmt.Errorf("%w: allocations since the last collection are missing", err))
	}
}

// after takes the cumulative profiles again: the run's are the differences.
func (m *measurement) after(ctx context.Context) {
	m.collect(ctx)
	for _, kind := range cumulative {
		before := m.before[kind]
		if before == nil {
			continue
		}
		after := m.fetch(ctx, kind)
		if after == nil {
			continue
		}
		for _, part := range []struct {
			name string
			f    *capture.Fetched
		}{{recording.PartBefore, before}, {recording.PartAfter, after}} {
			m.keep(m.w.Write(recording.Artifact{Path: "profiles/" + kind + "-" + part.name + ".pb.gz", Kind: kind, Part: part.name,
				StartNs: m.since(part.f.Start), EndNs: m.since(part.f.End)}, part.f.Data))
		}
		delta, warnings, err := profile.Delta(before.Data, after.Data)
		if err != nil {
			m.w.Warn("%s profile: %v", kind, err)
			continue
		}
		for _, w := range warnings {
			m.w.Warn("%s profile: %s", kind, w)
		}
		// Behind the load's end there is nothing to count but whet's questions.
		m.taken.add(kind, delta, m.since(before.End), min(m.since(after.Start), m.result.Load.EndNs))
		if len(warnings) > 0 {
			continue // it counts from a restart on, and nobody knows how many requests
		}
		switch requests := m.load.Completed() - m.seen[kind]; kind {
		case recording.KindMutex:
			m.result.MutexRequests = requests
		case recording.KindAllocs:
			m.result.AllocRequests = requests
		}
	}
}

// finish takes over what the other goroutines brought.
func (m *measurement) finish() {
	if m.traced != nil {
		m.taken.traces = append(m.taken.traces, *m.traced)
	}
	for _, text := range m.warnings {
		m.w.Warn("%s", text)
	}
	for _, l := range m.lacking {
		m.w.Warn("%s: %v", strings.Join(l.kinds, ", "), l.first)
	}
	if m.target == nil {
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
	// Last: that there is no CPU profile shows when it is asked for.
	for _, u := range m.target.Unknown() {
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
	if p := m.taken.profiles[recording.KindCPU]; p != nil {
		plain := m.perRequest(l.StartNs, min(l.StartNs+int64(m.plain()), p.start))
		if profiled := m.perRequest(p.start, p.end); plain > 0 && profiled > 0 {
			cost := profiled/plain - 1
			p.cost = &cost
		}
	}
}

// warn is for other goroutines than the measuring's own.
func (m *measurement) warn(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.warnings = append(m.warnings, fmt.Sprintf(format, args...))
}

// loadProgress passes on where the load stands.
func (r *serviceRecorder) loadProgress(p load.Progress) {
	stage := "under load"
	if p.WarmingUp {
		stage = "warming up"
	}
	r.progress(Progress{Stage: stage, Requests: p.Requests, Errors: p.Errors})
}
