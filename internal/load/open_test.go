package load

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// due returns the number of arrivals in the window of a result, by the schedule.
func due(o Options, r *loadresult.Result) int64 {
	return o.Schedule.Before(r.End.Sub(r.Began)) - o.Schedule.Before(r.Start.Sub(r.Began))
}

// Every arrival that was due in the window is in the result once, and the
// server's own count agrees.
func TestOpenLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	var served atomic.Int64
	s := quiet(t, func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		io.WriteString(w, "hello")
	})
	o := options(s.URL)
	o.Warmup, o.Schedule, o.KeepResponses = 100*time.Millisecond, schedule.Constant(300), true
	running, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := running.Wait()
	if want := due(o, r); r.Requests != want || want < 80 || want > 100 {
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
// those after: their response time holds the wait for a connection, and their
// service time does not.
func TestStallIsNotLeftOut(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	const hold = 50 * time.Millisecond
	var clock atomic.Int64 // ahead of the real one by this
	s := quiet(t, func(http.ResponseWriter, *http.Request) { clock.Add(int64(hold)) })
	o := options(s.URL)
	o.Concurrency, o.Schedule, o.Duration = 1, schedule.Constant(100), 100*time.Millisecond
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
	// The last is answered 500 ms after the start, and the load ended at 100.
	if r.Drain < 390*time.Millisecond {
		t.Errorf("the last answer came %v after the end", r.Drain)
	}
	if rate := r.Throughput(); rate > 10/0.49 {
		t.Errorf("throughput %v: answers after the end count as if within", rate)
	}
}

// A service that hangs ends the load all the same, and every arrival has timed
// out: those that had a connection and those that never got one.
func TestOpenLoopHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	s := quiet(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	o := options(s.URL)
	o.Concurrency, o.Schedule, o.Timeout, o.Duration = 2, schedule.Constant(200), 100*time.Millisecond, 200*time.Millisecond
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := due(o, r); r.Requests != want || r.Errors[loadresult.TimedOut] != want || r.Response.Count() != want || r.InFlight != 0 {
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
	if testing.Short() {
		t.Skip("drives a load")
	}
	for name, change := range map[string]func(*Options){
		"warm-up":  func(o *Options) { o.Warmup = time.Hour },
		"measured": func(o *Options) { o.Duration = time.Hour },
		"drain":    func(o *Options) { o.Duration = time.Millisecond },
		"idle":     func(o *Options) { o.Duration, o.Schedule = time.Hour, schedule.Constant(0.001) },
	} {
		entered := make(chan struct{}, 1000)
		o := options(quiet(t, func(_ http.ResponseWriter, r *http.Request) {
			entered <- struct{}{}
			<-r.Context().Done()
		}).URL)
		o.Schedule, o.Timeout = schedule.Constant(1000), time.Hour
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
	for plan, ok := range map[string]bool{"0.5": true, "1000000": true, "1000001": false, "1..2000000": false, "10:1s,1000001:1s": false} {
		o := options("http://127.0.0.1:1")
		var err error
		if o.Schedule, err = schedule.Parse(plan, time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := o.Validate(); (err == nil) != ok {
			t.Errorf("rate %v: %v", plan, err)
		}
	}
}
