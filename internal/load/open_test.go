package load

import (
	"context"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The schedule, written out: at 400 per second arrivals are 2.5 ms apart, the
// first at once.
func TestSchedule(t *testing.T) {
	a := newArrivals(time.Time{}, 400)
	for k, want := range []time.Duration{0, 2500 * time.Microsecond, 5 * time.Millisecond, 7500 * time.Microsecond} {
		if got := a.at(int64(k)); got != want {
			t.Errorf("arrival %d at %v, want %v", k, got, want)
		}
	}
	for _, c := range []struct {
		elapsed time.Duration
		want    int64
	}{{0, 0}, {1, 1}, {2500 * time.Microsecond, 1}, {2500*time.Microsecond + 1, 2}, {time.Second, 400}, {-time.Second, 0}, {time.Hour, 1_440_000}} {
		if got := a.by(c.elapsed); got != c.want {
			t.Errorf("%d arrivals before %v, want %d", got, c.elapsed, c.want)
		}
	}
}

// by counts what at says, at any rate and moment.
func TestByCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newArrivals(time.Time{}, rapid.Float64Range(0.01, maxRate).Draw(t, "rate"))
		elapsed := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "elapsed"))
		n := a.by(elapsed)
		if n < 0 || n > 0 && a.at(n-1) >= elapsed || a.at(n) < elapsed {
			t.Fatalf("%d arrivals before %v: number %d at %v, the next at %v", n, elapsed, n-1, a.at(n-1), a.at(n))
		}
	})
}

// Release and finish hand out every arrival once, whatever the moments at which
// the pacer wakes up.
func TestArrivals(t *testing.T) {
	origin := time.Now()
	a := newArrivals(origin, 1000)
	var mu sync.Mutex
	got := make(map[time.Duration]int)
	var takers sync.WaitGroup
	for range 7 {
		takers.Go(func() {
			for {
				due, ok := a.take()
				if !ok {
					return
				}
				mu.Lock()
				got[due.Sub(origin)]++
				mu.Unlock()
			}
		})
	}
	for _, c := range []struct{ at, wait time.Duration }{
		{0, time.Millisecond}, {time.Millisecond / 2, time.Millisecond / 2}, {time.Millisecond, time.Millisecond},
		{40 * time.Millisecond, time.Millisecond}, {40*time.Millisecond + 1, time.Millisecond - 1},
	} {
		if wait, done := a.release(origin.Add(c.at)); done || wait != c.wait {
			t.Errorf("at %v: wait %v, done %v; want %v", c.at, wait, done, c.wait)
		}
	}
	a.finish(origin.Add(100 * time.Millisecond))
	takers.Wait()
	if _, done := a.release(origin.Add(time.Second)); !done {
		t.Error("arrivals go on behind the end")
	}
	if len(a.abandon()) != 0 {
		t.Error("arrivals were left")
	}
	for k := range 100 {
		if n := got[time.Duration(k)*time.Millisecond]; n != 1 {
			t.Errorf("arrival %d was handed out %d times", k, n)
		}
	}
	if len(got) != 100 {
		t.Errorf("%d arrivals", len(got))
	}
}

// What nobody took when the load was given up is returned, and nothing after.
func TestAbandon(t *testing.T) {
	origin := time.Now()
	a := newArrivals(origin, 10)
	a.release(origin.Add(450 * time.Millisecond))
	if due, ok := a.take(); !ok || due != origin {
		t.Errorf("%v %v", due.Sub(origin), ok)
	}
	left := a.abandon()
	if len(left) != 4 || left[0].Sub(origin) != 100*time.Millisecond || left[3].Sub(origin) != 400*time.Millisecond {
		t.Errorf("left %v", left)
	}
	if _, ok := a.take(); ok {
		t.Error("an arrival behind the end")
	}
}

// due is the number of arrivals in the window of a result, by the schedule.
func due(r *Result) int64 {
	a := newArrivals(r.Began, r.Rate)
	return a.by(r.End.Sub(r.Began)) - a.by(r.Start.Sub(r.Began))
}

// Every arrival that was due in the window is in the result once, and the
// server's own count agrees.
func TestOpenLoop(t *testing.T) {
	var served atomic.Int64
	s := quiet(t, func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		io.WriteString(w, "hello")
	})
	o := options(s.URL)
	o.Warmup, o.Rate, o.KeepResponses = 100*time.Millisecond, 300, true
	running, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := running.Wait()
	if want := due(r); r.Requests != want || want < 80 || want > 100 {
		t.Errorf("%d requests, %d were due", r.Requests, want)
	}
	if r.Failed() != 0 || r.Response.Count() != r.Requests || r.Lateness.Count() != r.Requests || r.Service.Count() != r.Requests {
		t.Errorf("%d requests, %d failed; %d response, %d service times", r.Requests, r.Failed(), r.Response.Count(), r.Service.Count())
	}
	if len(r.Responses) == 0 || int64(len(r.Responses)) != r.Response.Count() || int64(slices.Max(r.Responses)) != r.Response.Max() || int64(slices.Min(r.Responses)) != r.Response.Min() {
		t.Errorf("%d response times kept of %d, %v to %v", len(r.Responses), r.Response.Count(), r.Response.Min(), r.Response.Max())
	}
	if n := served.Load(); n != running.Completed() || n < r.Requests {
		t.Errorf("%d served, %d completed", n, running.Completed())
	}
	// A response holds its service, and nothing was in flight at the end.
	if r.Response.Max() < r.Service.Max() || r.Response.Min() < r.Service.Min() || r.InFlight != 0 || r.Interrupted {
		t.Errorf("response %v to %v, service %v to %v, %d in flight", r.Response.Min(), r.Response.Max(), r.Service.Min(), r.Service.Max(), r.InFlight)
	}
	var seconds int64
	for _, s := range r.Seconds {
		seconds += s.Requests
	}
	if seconds != r.Requests {
		t.Errorf("%d requests in the seconds, %d in all", seconds, r.Requests)
	}
}

// A service that takes one request at a time, each until it is let go, delays
// those behind: their response time holds the wait for a connection, and their
// service time does not.
func TestStallIsNotLeftOut(t *testing.T) {
	const hold = 50 * time.Millisecond
	var clock atomic.Int64 // ahead of the real one by this
	s := quiet(t, func(http.ResponseWriter, *http.Request) { clock.Add(int64(hold)) })
	o := options(s.URL)
	o.Concurrency, o.Rate, o.Duration = 1, 100, 100*time.Millisecond
	o.Now = func() time.Time { return time.Now().Add(time.Duration(clock.Load())) }
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	// Ten arrivals, 10 ms apart, are served in 50 ms each, one after the other:
	// number k waits k·40 ms and is there after k·40 + 50 ms; the median of
	// the ten is that of number 4, 210 ms, and the last is there after 410 ms.
	if r.Requests != 10 {
		t.Fatalf("%d requests", r.Requests)
	}
	at := func(ns int64) time.Duration { return time.Duration(ns) }
	if m := at(r.Response.Quantile(0.5)); m < 200*time.Millisecond {
		t.Errorf("median response time %v: the wait is left out", m)
	}
	if m := at(r.Response.Max()); m < 410*time.Millisecond {
		t.Errorf("largest response time %v", m)
	}
	if m := at(r.Service.Min()); m < hold {
		t.Errorf("service time %v", m)
	}
	// The last is answered 500 ms behind the start, and the load ended at 100.
	if r.Drain < 390*time.Millisecond {
		t.Errorf("the last answer came %v behind the end", r.Drain)
	}
	if rate := r.Throughput(); rate > 10/0.49 {
		t.Errorf("throughput %v: answers behind the end count as if within", rate)
	}
}

// Requests that wait for a connection are not late: the generator is not to
// blame. A request is late by what passed since it was due and its connection
// free, whichever came last.
func TestLateness(t *testing.T) {
	origin := time.Now()
	at := func(ms int) time.Time { return origin.Add(time.Duration(ms) * time.Millisecond) }
	var r = newRecorder(time.Second)
	r.begin(origin)
	r.result.Rate = 100
	for _, c := range []struct{ due, free, sent, end int }{
		{10, 0, 10, 12},    // in time
		{20, 50, 50, 52},   // waited for its connection
		{30, 5, 45, 47},    // the generator was 15 ms late
		{40, 60, 61, 62},   // 1 ms behind its connection: not more than that
		{50, 70, 90, 1500}, // late, and answered behind the end
	} {
		o := outcome{due: at(c.due), start: at(c.sent), took: at(c.end).Sub(at(c.sent)), status: 200}
		o.lateSince(at(c.free))
		r.done(at(c.end), &o)
	}
	r.done(at(2000), unsent(at(900)))
	r.done(at(2000), &outcome{due: at(1000), start: at(1000), status: 200}) // due at the end: not in it
	r.end(at(1000), false)
	res := r.finish()
	if res.LateSends != 2 || res.LateRatio() != 2.0/5 || res.Lateness.Max() < int64(19*time.Millisecond) || res.Lateness.Max() > int64(21*time.Millisecond) {
		t.Errorf("%d late (%v), at most by %v", res.LateSends, res.LateRatio(), time.Duration(res.Lateness.Max()))
	}
	if res.Requests != 6 || res.Errors[TimedOut] != 1 || res.Response.Count() != 6 || res.Service.Count() != 5 {
		t.Errorf("%d requests, errors %v, %d response times, %d service times", res.Requests, res.Errors, res.Response.Count(), res.Service.Count())
	}
	// 1100 ms of waiting for the request that was never sent, 1450 of the last.
	if m := time.Duration(res.Response.Max()); math.Abs(float64(m-1450*time.Millisecond)) > float64(15*time.Millisecond) {
		t.Errorf("largest response time %v", m)
	}
	if res.Drain != time.Second { // of what was given up
		t.Errorf("drain %v", res.Drain)
	}
	got := strings.Join((&Running{recorder: r, result: res}).warnings(nil), "\n")
	if !strings.Contains(got, "the generator could not keep up: 40.0 % of the requests were sent more than 1ms after") {
		t.Errorf("warnings %q", got)
	}
}

// A service that hangs ends the load all the same, and every arrival has timed
// out: those that had a connection and those that never got one.
func TestOpenLoopHangs(t *testing.T) {
	s := quiet(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	o := options(s.URL)
	o.Concurrency, o.Rate, o.Timeout, o.Duration = 2, 200, 100*time.Millisecond, 200*time.Millisecond
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := due(r); r.Requests != want || r.Errors[TimedOut] != want || r.Response.Count() != want || r.InFlight != 0 {
		t.Errorf("%d requests, %d were due, %v, %d times", r.Requests, want, r.Errors, r.Response.Count())
	}
	if r.Service.Count() >= r.Requests {
		t.Errorf("%d service times of %d requests over 2 connections", r.Service.Count(), r.Requests)
	}
	// The first waited for its timeout; the last was due 5 ms before the end,
	// and given up when the drain was.
	if m := time.Duration(r.Response.Min()); m < 95*time.Millisecond {
		t.Errorf("least response time %v", m)
	}
}

// An interrupt ends an open loop at once, in each of its phases.
func TestOpenLoopInterrupted(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"warm-up":  func(o *Options) { o.Warmup = time.Hour },
		"measured": func(o *Options) { o.Duration = time.Hour },
		"drain":    func(o *Options) { o.Duration = time.Millisecond },
		"idle":     func(o *Options) { o.Duration, o.Rate = time.Hour, 0.001 },
	} {
		entered := make(chan struct{}, 1000)
		o := options(quiet(t, func(_ http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-r.Context().Done()
		}).URL)
		o.Rate, o.Timeout = 1000, time.Hour
		change(&o)
		ctx, cancel := context.WithCancel(context.Background())
		running, err := Start(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		<-entered
		cancel()
		r := running.Wait()
		if !r.Interrupted || r.Requests != 0 || r.InFlight == 0 || r.InFlight > o.Concurrency {
			t.Errorf("%s: interrupted %v, %d requests, %d in flight", name, r.Interrupted, r.Requests, r.InFlight)
		}
	}
}

func TestRateOption(t *testing.T) {
	for rate, ok := range map[float64]bool{0: true, 0.5: true, 1e6: true, 1e6 + 1: false, -1: false, math.NaN(): false, math.Inf(1): false} {
		o := options("http://127.0.0.1:1")
		o.Rate = rate
		if err := o.Validate(); (err == nil) != ok {
			t.Errorf("rate %v: %v", rate, err)
		}
	}
}
