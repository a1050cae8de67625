package load

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/quantity"
)

// Running is a load under way.
type Running struct {
	recorder *recorder
	started  chan struct{} // closed behind the warm-up, or at the end of a load that never got there
	done     chan struct{}
	result   *Result // valid once done is closed
}

// Run drives the load to its end. Where ctx ends before, the result is what
// was seen until then and marked interrupted; that is no error.
func Run(ctx context.Context, o Options) (*Result, error) {
	r, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	return r.Wait(), nil
}

// Start begins the load and returns. The error is about the options; whatever
// the target does is in the result.
func Start(ctx context.Context, o Options) (*Running, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	template, err := o.request()
	if err != nil {
		return nil, err
	}
	transport, err := o.transport()
	if err != nil {
		return nil, err
	}
	r := &Running{recorder: newRecorder(o.Duration), started: make(chan struct{}), done: make(chan struct{})}
	r.recorder.keep = o.KeepResponses
	go func() {
		defer close(r.done)
		r.drive(ctx, &o, transport, template)
	}()
	return r, nil
}

// Started is closed when the warm-up is over, or the load.
func (r *Running) Started() <-chan struct{} { return r.started }

// Done is closed when the load is over.
func (r *Running) Done() <-chan struct{} { return r.done }

// Completed is the number of whole answers so far, whatever their status, with
// those of the warm-up: the difference of two calls is the work done between
// them.
func (r *Running) Completed() int64 { return r.recorder.answers.Load() }

// Wait returns the result when the load is over.
func (r *Running) Wait() *Result {
	<-r.done
	return r.result
}

// drive starts the clients, leads them through the phases, and ends them.
func (r *Running) drive(ctx context.Context, o *Options, transport *http.Transport, template *http.Request) {
	sending, stop := context.WithCancel(ctx)
	defer stop()
	rec := r.recorder
	rec.result.Began = o.Now()
	cpu := int64(-1)
	start := func() {
		cpu = int64(cpuTime())
		rec.begin(o.Now())
		close(r.started)
	}
	if o.Warmup == 0 {
		start()
	}

	var open *arrivals // nil: a closed loop
	var pacer sync.WaitGroup
	if o.Rate > 0 {
		rec.result.Rate = o.Rate
		open = newArrivals(rec.result.Began, o.Rate)
		pacer.Go(func() { open.pace(o.Now) })
	}
	var clients sync.WaitGroup
	var cutOff, oldest atomic.Int64
	var expired atomic.Bool
	for range o.Concurrency {
		clients.Go(func() {
			c := &client{load: sending, transport: transport, template: template, body: o.Body, timeout: o.Timeout, now: o.Now}
			var age int64
			if open != nil {
				age = int64(c.follow(rec, open, &expired))
			} else {
				age = int64(c.run(rec))
			}
			if age >= 0 {
				cutOff.Add(1)
			}
			for old := oldest.Load(); age > old && !oldest.CompareAndSwap(old, age); old = oldest.Load() {
			}
		})
	}

	interrupted := false
	if o.Warmup > 0 {
		interrupted = !r.phase(ctx, o, true, o.Warmup)
		if !interrupted {
			start()
		} else {
			close(r.started)
		}
	}
	if !interrupted {
		interrupted = !r.phase(ctx, o, false, o.Duration)
	}
	var unsentDue []time.Time
	if open != nil {
		if !interrupted {
			open.finish(rec.result.Start.Add(o.Duration))
			interrupted = !drained(ctx, &clients, o.Timeout, &expired)
		}
		unsentDue = open.abandon()
	}
	rec.end(o.Now(), interrupted)
	if now := int64(cpuTime()); cpu >= 0 && now >= 0 {
		rec.result.GeneratorCPU = time.Duration(now - cpu)
	}
	stop()
	clients.Wait()
	pacer.Wait()
	if expired.Load() {
		for _, due := range unsentDue {
			rec.done(o.Now(), unsent(due))
		}
	}
	transport.CloseIdleConnections()

	r.result = rec.finish()
	r.result.InFlight, r.result.OldestInFlight = int(cutOff.Load()), time.Duration(oldest.Load())
	r.result.Warnings = r.warnings(template)
}

// drained waits for the answers to what was due, at most limit, and sets
// expired where that passed. It reports whether the context let it.
func drained(ctx context.Context, clients *sync.WaitGroup, limit time.Duration, expired *atomic.Bool) bool {
	all := make(chan struct{})
	go func() {
		defer close(all)
		clients.Wait()
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-all:
		return true
	case <-t.C:
		expired.Store(true)
		return true
	case <-ctx.Done():
		return false
	}
}

// phase waits for the end of a phase and reports whether it was reached.
func (r *Running) phase(ctx context.Context, o *Options, warmup bool, length time.Duration) bool {
	begin := time.Now()
	end := time.NewTimer(length)
	defer end.Stop()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-end.C:
			return true
		case <-tick.C:
			if o.Progress != nil {
				requests, failed := r.recorder.progress()
				o.Progress(Progress{WarmingUp: warmup, Elapsed: time.Since(begin), Of: length, Requests: requests, Errors: failed})
			}
		}
	}
}

// warnings say what makes the figures mean something else than they seem to.
func (r *Running) warnings(sent *http.Request) []string {
	var out []string
	res := r.result
	answered, failed := res.Answered(), res.Failed()
	var redirects int64
	for status, n := range res.Status {
		if status/100 == 3 {
			redirects += n
		}
	}
	if redirects > 0 {
		what := "some"
		if redirects == answered {
			what = "all"
		}
		out = append(out, fmt.Sprintf("%s answers (%s of %s) were redirects, which are not followed%s",
			what, quantity.Count(float64(redirects)), quantity.Count(float64(answered)), leadsTo(sent, r.recorder.location)))
	}
	switch {
	case res.Requests == 0 && res.InFlight > 0 && res.End.After(res.Start):
		out = append(out, fmt.Sprintf("no request ended within %s: %s still under way",
			quantity.Nanoseconds(float64(res.End.Sub(res.Start))), quantity.Plural(res.InFlight, "request")))
	case res.OldestInFlight > max(longInFlight, 2*time.Duration(res.Service.Max())):
		out = append(out, fmt.Sprintf("%s still under way when the load ended, the oldest for %s: much longer than the service times, which it is not in; look for what hangs",
			quantity.Plural(res.InFlight, "request"), quantity.Nanoseconds(float64(res.OldestInFlight))))
	}
	switch {
	case res.Requests > 0 && failed == res.Requests:
		out = append(out, "every request failed: the figures are those of failing")
	case failed > 0 && float64(failed) >= 0.01*float64(res.Requests):
		out = append(out, fmt.Sprintf("%s of the requests failed", quantity.Percent(float64(failed)/float64(res.Requests))))
	}
	if ratio := res.LateRatio(); ratio > 0.01 {
		out = append(out, fmt.Sprintf("the generator could not keep up: %s of the requests were sent more than %v after they were due and could have been; the response times hold that too",
			quantity.Percent(ratio), lateAfter))
	}
	if n := res.Errors[TimedOut]; n > 0 {
		out = append(out, fmt.Sprintf("%s timed out and stand in the service times with the timeout, which is less than they would have taken",
			quantity.Plural(int(n), "request")))
	}
	return out
}

// longInFlight is how long a request must have been under way at the end to be
// spoken of: in a closed loop there is always one for each client.
const longInFlight = time.Second

// leadsTo says what to do about a redirect.
func leadsTo(sent *http.Request, location string) string {
	to, err := sent.URL.Parse(location)
	switch {
	case location == "" || err != nil:
		return ""
	case to.String() == sent.URL.String():
		return ": they lead back to the same address"
	}
	return ": give the address they lead to, " + line(to.Redacted())
}
