package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"whet/internal/capture"
	"whet/internal/format/exectrace"
	loadformat "whet/internal/format/load"
	"whet/internal/hist"
	"whet/internal/load"
	loadrecord "whet/internal/load/record"
	"whet/internal/quantity"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/underload"
)

// A trace costs a busy service a tenth of its time or more, and so does the flight
// recorder, which has to be on all the time. During the measured load they would be in
// the CPU profile and in every response time. The same load is therefore driven again,
// after all measurements, for a quarter of its time: windows of a second are spread
// over that, and the flight recorder runs throughout. The windows are a sample of the
// load, from which the wall-clock profile is computed; the snapshot is of the worst
// moment, and in no sum. A CPU profile in each window adds samples of running
// goroutines to the trace; the profile itself is discarded.
const (
	tracedFrom   = 10 * time.Second // a shorter load has one trace within
	passPart     = 4                // of the load's time, one in
	shortestPass = 3 * time.Second
	longestPass  = 12 * time.Second
	passWarmup   = 500 * time.Millisecond // connections are opened again
	mostWindows  = 4
	windowTime   = 1        // s
	leastWindows = 2        // of a load that has several, however busy the service is
	enoughTraces = 6 << 20  // bytes of windows: thousands of requests
	maxTraces    = 64 << 20 // bytes of windows and snapshot
	maxSnapshot  = 16 << 20 // as package agent has it
)

// Of the flight recorder's snapshots.
const (
	// slowTimes is the multiple of the earlier load's median from which a request is
	// exceptional. The 99th percentile would not do: it includes stalls of all requests
	// once a second.
	slowTimes = 5
	leastSlow = time.Millisecond
	settle    = 50 * time.Millisecond // until related requests have ended
	firstGap  = time.Second           // between snapshots; twice as long each time
	oldest    = 3 * time.Second       // time for which the recorder reliably keeps data
)

// passTime returns the duration of the second load for traces; 0: none.
func (o *ServiceOptions) passTime() time.Duration {
	switch d := o.Load.Duration; {
	case o.TracePass != 0:
		return max(o.TracePass, 0)
	case d >= tracedFrom:
		return min(max(d/passPart, shortestPass), longestPass)
	}
	return 0
}

// Divide gives the load and the pass for its traces a time together. Where that is too
// short for both, the load has all of it.
func (o *ServiceOptions) Divide(d time.Duration) {
	o.Load.Duration, o.TracePass = d, -1
	both := d - passWarmup
	if both < tracedFrom+shortestPass {
		return
	}
	o.TracePass = min(max(both/(passPart+1), shortestPass), longestPass)
	o.Load.Duration = both - o.TracePass
}

// windowsIn returns the number of windows that lie in a pass: at most two thirds of it are traced.
func windowsIn(pass time.Duration) int {
	return int(min(max(pass*2/(3*windowTime*time.Second), 1), mostWindows))
}

// windowAt returns when a window begins, since the pass did: in the middle of its part.
func windowAt(i, n int, pass time.Duration) time.Duration {
	return max(pass*time.Duration(2*i+1)/time.Duration(2*n)-windowTime*time.Second/2, 0)
}

// windowsFor returns how many of the planned windows are taken where the first has so many
// bytes: the busier a service is, the fewer seconds say as much, and the recording
// stays small.
func windowsFor(planned int, first int64) int {
	return min(planned, max(leastWindows, int(enoughTraces/max(first, 1))))
}

// traceAgain drives the load again, and takes traces meanwhile. before are the service
// times of the measured load.
func (m *measurement) traceAgain(ctx context.Context, pass time.Duration, before *hist.Histogram) {
	ctx, stop := context.WithTimeoutCause(ctx, passWarmup+pass+m.o.Patience, underload.ErrSilent)
	defer stop()
	o := m.o.Load
	o.Warmup, o.Duration = passWarmup, pass
	o.Progress = func(p load.Progress) {
		m.progress(Progress{Stage: "tracing under load", Requests: p.Requests, Errors: p.Errors})
	}
	t := &loadformat.Traced{Windows: windowsIn(pass), MaxBytes: maxTraces}
	w := newSlowWatch(m.Target.Flight, m.c.Now)
	// Three times that long: the load may end late, and an agent outlives whet.
	switch err := m.Target.StartFlight(ctx, 3*(passWarmup+pass)+m.o.Patience); {
	case errors.Is(err, capture.ErrNotOffered): // one warning lists everything the program lacks
	case err != nil:
		m.Warn("no snapshot of the worst moment: %v", err)
	default:
		t.FlightRecorder = true
		slow := max(slowTimes*time.Duration(before.Quantile(0.5)), leastSlow)
		t.SlowAfterNs = int64(slow)
		o.Slow, o.SlowAfter = w.see, slow
		defer m.endFlight()
	}
	running, err := load.Start(ctx, o)
	if err != nil {
		m.Warn("no trace: the load could not be driven again: %v", err)
		return
	}
	s := &underload.Stretch{Target: m.Target, Load: running, Origin: m.origin, Now: m.c.Now}
	var taking sync.WaitGroup
	if t.FlightRecorder {
		w.origin = running.Origin()
		taking.Go(func() { w.run(ctx, running.Done()) })
	}
	m.takeWindows(ctx, s, t, running.Origin().Add(passWarmup), pass)
	result := running.Wait()
	taking.Wait()
	plan := o.Plan()
	t.Load = loadformat.NewSums(&plan, result, m.w.Manifest.Origin)
	if failed := result.Failed(); failed > 0 && failed*20 > result.Requests {
		m.Warn("%d of %d requests failed during the traces, which include the failures", failed, result.Requests)
	}
	m.keepWorst(t, w)
	for _, text := range s.Warnings() {
		m.Warn("%s", text)
	}
	m.result.Traced = t
}

// endFlight gives the program its peace back.
func (m *measurement) endFlight() {
	if m.server != nil && m.server.Ended() {
		return // its end has a warning already
	}
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	if err := m.Target.StopFlight(ctx); err != nil {
		m.Warn("the program's flight recorder could not be stopped and will end by itself: %v", err)
	}
}

// takeWindows takes the traces, as long as there is room for them.
func (m *measurement) takeWindows(ctx context.Context, s *underload.Stretch, t *loadformat.Traced, begin time.Time, pass time.Duration) {
	room := int64(maxTraces)
	if t.FlightRecorder {
		room -= maxSnapshot
	}
	end := begin.Add(pass)
	for i := 0; i < t.Windows; i++ {
		if !s.Until(ctx, begin.Add(windowAt(i, t.Windows, pass))) {
			return
		}
		var sampling sync.WaitGroup
		sampling.Go(func() { _, _ = m.Target.Profile(ctx, recording.KindCPU, windowTime) }) // for the samples in the trace alone
		f, cut := s.TakeWindow(ctx, windowTime, room-t.Bytes, end)
		sampling.Wait()
		if f == nil {
			return // its absence has a warning already
		}
		m.windows = append(m.windows, *f)
		t.Bytes += int64(len(f.Data))
		if i == 0 {
			t.Windows = windowsFor(t.Windows, t.Bytes)
		}
		if cut || t.Bytes >= room {
			m.Warn("the execution traces reached their limit of %s in window %d of %d: they do not cover the rest of the load", quantity.Bytes(float64(room)), i+1, t.Windows)
			return
		}
	}
}

// keepWorst keeps the snapshot of the worst moment.
func (m *measurement) keepWorst(t *loadformat.Traced, w *slowRequestWatcher) {
	if w.err != nil {
		m.Warn("the flight recorder: %v", w.err)
	}
	if w.kept == nil {
		return
	}
	summary, err := exectrace.Read(bytes.NewReader(w.kept.Data), exectrace.DefaultLimits(), func(*exectrace.Batch) error { return nil })
	if err != nil {
		m.Warn("the flight recorder: %v", err)
		return
	}
	since := func(ns int64) int64 { return int64(w.origin.Add(time.Duration(ns)).Sub(m.origin)) }
	o := &w.request
	t.Slowest = &loadformat.SlowRequest{SentNs: since(o.Sent), EndNs: since(o.End), Status: o.Status, Kind: o.Kind}
	if o.Due >= 0 {
		due := since(o.Due)
		t.Slowest.DueNs = &due
	}
	t.Bytes += int64(len(w.kept.Data))
	end := int64(w.kept.End.Sub(m.origin))
	m.addFile(worstPath, "", record.File{Kind: recording.KindFlight, Part: recording.PartWorst, Data: w.kept.Data, StartNs: max(end-summary.EndNs, 0), EndNs: end})
}

const worstPath = "trace/flight-worst.trace"

// slowRequestWatcher saves the flight recorder's snapshot when a request is slow.
type slowRequestWatcher struct {
	snapshot func(context.Context) (*capture.Fetched, error)
	now      func() time.Time
	origin   time.Time // of the load's times
	wake     chan struct{}

	mu       sync.Mutex
	pending  *loadrecord.Outcome // the slowest that there is no snapshot of
	from, to int64               // of the last snapshot, which may have slowed requests meanwhile

	kept    *capture.Fetched // with request in it
	request loadrecord.Outcome
	err     error
}

func newSlowWatch(snapshot func(context.Context) (*capture.Fetched, error), now func() time.Time) *slowRequestWatcher {
	return &slowRequestWatcher{snapshot: snapshot, now: now, wake: make(chan struct{}, 1)}
}

// see is called for each request that is slower than all before.
func (w *slowRequestWatcher) see(o *loadrecord.Outcome) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.Sent < w.to && o.End > w.from {
		return false
	}
	request := *o
	w.pending = &request
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return true
}

// run takes snapshots until the load is over, seldomer each time.
func (w *slowRequestWatcher) run(ctx context.Context, over <-chan struct{}) {
	var next time.Time
	for gap := firstGap; ; gap *= 2 {
		select {
		case <-w.wake:
		case <-over:
			w.take(ctx)
			return
		case <-ctx.Done():
			return
		}
		wait := time.NewTimer(max(next.Sub(w.now()), settle))
		select {
		case <-wait.C:
		case <-over:
		case <-ctx.Done():
		}
		wait.Stop()
		w.take(ctx)
		next = w.now().Add(gap)
	}
}

// take takes a snapshot, if the moment is recent.
func (w *slowRequestWatcher) take(ctx context.Context) {
	begun := w.now()
	w.mu.Lock()
	request := w.pending
	w.pending = nil
	if request == nil || ctx.Err() != nil || int64(begun.Sub(w.origin))-request.End > int64(oldest) {
		w.mu.Unlock()
		return
	}
	w.from, w.to = int64(begun.Sub(w.origin)), 1<<62
	w.mu.Unlock()
	f, err := w.snapshot(ctx)
	w.mu.Lock()
	w.to = int64(w.now().Sub(w.origin))
	w.mu.Unlock()
	if err != nil {
		if w.err == nil {
			w.err = fmt.Errorf("a snapshot could not be taken: %w", err)
		}
		return
	}
	w.kept, w.request = f, *request
}
