package load

import (
	"context"
	"runtime"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/load/wire"
	"whet/internal/loadresult"
)

// Running is a load under way.
type Running struct {
	recorder *record.Recorder
	started  chan struct{} // closed after the warm-up, or at the end of a load that never got there
	done     chan struct{}
	result   *loadresult.Result // valid once done is closed
	err      error              // likewise
}

// Run drives the load to its end. If ctx ends before, the result has the requests until
// then and is marked interrupted; that is not an error.
func Run(ctx context.Context, o Options) (*loadresult.Result, error) {
	r, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	return r.Wait(), r.err
}

// Start begins the load and returns. Its error is about the options, or a Unix socket
// without a listener; all other failures of the target are in the result.
func Start(ctx context.Context, o Options) (*Running, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p, err := o.prepare()
	if err != nil {
		return nil, err
	}
	e, err := o.engine(p)
	if err != nil {
		return nil, err
	}
	if err := enoughFiles(o.Concurrency); err != nil {
		return nil, err
	}
	addresses, err := o.addresses(p)
	if err != nil {
		return nil, err
	}
	if err := o.reachSocket(ctx); err != nil {
		return nil, err
	}
	var fixed []wire.FixedRequest
	if e.Name() != Portable {
		o.lookUp(ctx, &addresses[0])
		fixed = wire.FixedRequests(p.messages, o.KeepAlive)
	}
	check := newSelfCheck(addresses, o.processors(e))
	j := o.job(p, addresses) // last: its clock runs
	j.Fixed = fixed
	r := &Running{recorder: j.Recorder, started: make(chan struct{}), done: make(chan struct{})}
	if o.Interval != nil {
		r.recorder.Interval(o.Interval)
	}
	if o.Slow != nil {
		r.recorder.Watch(int64(o.SlowAfter), o.Slow)
	}
	go func() {
		defer close(r.done)
		r.drive(ctx, &o, p, e, j, check)
	}()
	return r, nil
}

// processors returns how many the load may use at most: one for each request under way.
func (o *Options) processors(e engine.Engine) int {
	n := min(runtime.GOMAXPROCS(0), o.Concurrency*max(o.Streams, 1))
	if o.Loops > 0 && e.Name() != Portable {
		n = min(n, o.Loops)
	}
	return n
}

// job returns the engine's job.
func (o *Options) job(p *prepared, addresses []engine.Address) *engine.Job {
	origin := time.Now()
	if o.Now != nil {
		origin = o.Now()
	}
	return &engine.Job{
		Addresses: addresses, Messages: p.messages, Check: o.Check,
		Connections: o.Concurrency, Streams: max(o.Streams, 1), Protocol: o.Protocol, KeepAlive: o.KeepAlive, Cookies: o.Cookies,
		Arrivals: o.Schedule.Led(o.Warmup), Think: o.Think, Seed: o.Seed, Requests: o.Requests,
		Warmup: o.Warmup, Duration: o.Duration, Timeout: o.Timeout, Origin: origin, Clock: o.Now, Loops: o.Loops,
		Recorder: record.New(record.Plan{Origin: origin, Warmup: o.Warmup, Duration: o.Duration, Requests: o.Requests,
			Open: o.Schedule.Open(), KeepResponses: o.KeepResponses, Targets: p.messages.Len()}),
	}
}

// Origin returns the moment that the times of requests are since.
func (r *Running) Origin() time.Time { return r.recorder.Origin() }

// Started is closed when the warm-up is over, or the load.
func (r *Running) Started() <-chan struct{} { return r.started }

// Done is closed when the load is over.
func (r *Running) Done() <-chan struct{} { return r.done }

// Completed returns the number of complete responses so far, with any status and
// including the warm-up: the difference of two calls is the work done between them.
func (r *Running) Completed() int64 { return r.recorder.Answers() }

// Wait returns the result when the load is over. If the engine could not run it at all,
// the result is empty, Result.Invalid gives the reason, and Run returns it as an error.
func (r *Running) Wait() *loadresult.Result {
	<-r.done
	return r.result
}

// drive leads the engine's work through its phases.
func (r *Running) drive(ctx context.Context, o *Options, p *prepared, e engine.Engine, j *engine.Job, check *selfCheck) {
	over := make(chan struct{})
	watched := make(chan struct{})
	check.at = time.Now()
	go func() {
		defer close(watched)
		r.watch(o, j, check, over)
	}()
	report, err := e.Drive(ctx, j)
	now := j.Now()
	close(over)
	<-watched
	generator := check.finish(e.Name(), now) // the time for the summary is not the load's

	interrupted := ctx.Err() != nil
	res := r.recorder.Finish(now, interrupted || err != nil)
	r.result, r.err = res, err
	res.Generator = generator
	res.InFlight, res.OldestInFlight = report.InFlight, report.OldestInFlight
	if length := res.End.Sub(res.Start); res.Open && length > 0 {
		begin := res.Start.Sub(res.Began)
		res.Rate = (j.Arrivals.Planned(begin+length) - j.Arrivals.Planned(begin)) / length.Seconds()
	}
	if err != nil {
		res.Invalid = record.Line(err.Error())
		res.Warnings = []string{res.Invalid}
		return
	}
	w := &warner{res: res, options: o, job: j, report: &report, check: check}
	if !interrupted && report.Location == "" && o.Requests == 0 && w.redirects() > 0 {
		report.Location = o.location(ctx, p)
	}
	w.origin = p.origins[0]
	w.warn()
}

// watch reports progress until the load is over, and starts the self-check when the
// measurement starts.
func (r *Running) watch(o *Options, j *engine.Job, check *selfCheck, over <-chan struct{}) {
	const tick = 200 * time.Millisecond
	begun := false
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		now := j.Now()
		if now >= int64(o.Warmup) && !begun {
			begun = true
			check.begin(now)
			close(r.started)
		}
		wait := tick
		if !begun {
			wait = min(wait, o.Warmup-time.Duration(now))
		}
		t.Reset(wait)
		ended := false
		select {
		case <-over:
			ended = true
		case <-t.C:
		}
		if begun && now < j.Ends() { // only the last responses follow
			check.look(time.Now(), wait)
		}
		if ended {
			if !begun {
				check.begin(j.Now())
				close(r.started)
			}
			return
		}
		if o.Progress != nil {
			o.Progress(r.progress(o, time.Duration(j.Now())))
		}
		check.at = time.Now() // a terminal that does not read is waited for
	}
}

func (r *Running) progress(o *Options, now time.Duration) Progress {
	p := Progress{WarmingUp: now < o.Warmup, Elapsed: now, Of: o.Warmup}
	if p.WarmingUp {
		p.Requests, p.Errors = r.recorder.WarmedUp()
		return p
	}
	p.Elapsed, p.Of = min(now-o.Warmup, o.Duration), o.Duration
	p.Requests, p.Errors = r.recorder.Counted()
	return p
}

// locationLimit is how long the target may take to say where a redirect leads.
const locationLimit = 2 * time.Second

// location sends one more request for the target of a redirect, if the method is safe.
// It returns "" without a target. A load with a number of requests sends no more than
// that, and so skips it.
func (o *Options) location(ctx context.Context, p *prepared) string {
	req, _, err := p.template()
	if err != nil || req.Method != "GET" && req.Method != "HEAD" {
		return ""
	}
	a, err := NewClient(*o)
	if err != nil {
		return ""
	}
	defer a.Close()
	ctx, stop := context.WithTimeout(ctx, locationLimit)
	defer stop()
	answer, err := a.Do(ctx, Request{})
	if err != nil || answer.Status/100 != 3 || len(answer.Header["Location"]) == 0 {
		return ""
	}
	return answer.Header["Location"][0]
}
