package load

import (
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/hist"
)

// outcome is how one request ended.
type outcome struct {
	start  time.Time // it was sent
	took   time.Duration
	status int   // of a whole answer; else 0
	bytes  int64 // of its body
	kind   string
	err    error // nil when it is an answer
	// location is where a redirect leads.
	location string

	// In an open loop:
	due  time.Time
	late time.Duration // sent so long after it was due and could have been
}

// unsent reports whether a request was due and never sent.
func (o *outcome) unsent() bool { return !o.due.IsZero() && o.start.IsZero() }

// recorder counts outcomes. One lock guards all of it: it is held for some ten
// nanoseconds, where net/http takes tens of microseconds for a request.
type recorder struct {
	answers atomic.Int64 // whole answers since the first request

	mu       sync.Mutex
	counting bool
	duration time.Duration
	keep     bool // response times
	result   *Result
	failed   int64
	warmup   struct{ requests, failed int64 }
	// latest is the largest time since Start seen so far. A client that waited
	// for the lock may come later with an earlier time; it counts as latest, so
	// that a finished second stays finished.
	latest time.Duration
	// current holds the service times of the last of result.Seconds.
	current  hist.Histogram
	location string    // of the first redirect
	ended    time.Time // the last request that counts
}

func newRecorder(duration time.Duration) *recorder {
	return &recorder{duration: duration, result: &Result{
		Errors: make(map[string]int64), Examples: make(map[string]string), Status: make(map[int]int64),
		GeneratorCPU: -1,
	}}
}

// begin ends the warm-up.
func (r *recorder) begin(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counting = true
	r.result.Start = now
}

// done counts a request that ended at a moment.
func (r *recorder) done(end time.Time, o *outcome) {
	if o.status != 0 {
		r.answers.Add(1)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.counting {
		r.warmup.requests++
		if o.kind != "" {
			r.warmup.failed++
		}
		return
	}
	at := end.Sub(r.result.Start)
	belongs := at
	if !o.due.IsZero() {
		belongs = o.due.Sub(r.result.Start)
		at = max(min(at, r.duration-1), 0)
	}
	if belongs < 0 || belongs >= r.duration {
		return
	}
	if end.After(r.ended) {
		r.ended = end
	}
	r.latest = max(r.latest, at)
	r.reach(r.latest)

	res, second := r.result, &r.result.Seconds[len(r.result.Seconds)-1]
	res.Requests++
	second.Requests++
	res.Bytes += o.bytes
	if o.status != 0 {
		res.Status[o.status]++
		res.Answers[len(res.Answers)-1]++
	}
	timed := o.status != 0 || o.kind == TimedOut
	if timed && !o.unsent() {
		res.Service.Record(int64(o.took))
		r.current.Record(int64(o.took))
	}
	if timed && !o.due.IsZero() {
		res.Response.Record(int64(end.Sub(o.due)))
		if r.keep {
			res.Responses = append(res.Responses, end.Sub(o.due))
		}
	}
	if !o.due.IsZero() && !o.unsent() {
		res.Lateness.Record(int64(max(o.late, 0)))
		if o.late > lateAfter {
			res.LateSends++
		}
	}
	if o.kind != "" {
		r.failed++
		second.Errors++
		if res.Errors[o.kind]++; res.Errors[o.kind] == 1 {
			res.Examples[o.kind] = o.example()
		}
	}
	if o.location != "" && r.location == "" {
		r.location = o.location
	}
}

// reach adds the seconds and bins up to and with a moment since Start.
func (r *recorder) reach(at time.Duration) {
	for have := time.Duration(len(r.result.Seconds)); have <= at/time.Second; have++ {
		r.summarise()
		r.result.Seconds = append(r.result.Seconds, Second{
			Start:  r.result.Start.Add(have * time.Second),
			Length: min(time.Second, r.duration-have*time.Second),
		})
	}
	for have := time.Duration(len(r.result.Answers)); have <= at/Bin; have++ {
		r.result.Answers = append(r.result.Answers, 0)
	}
}

// summarise finishes the last second.
func (r *recorder) summarise() {
	if r.current.Count() == 0 {
		return
	}
	s := &r.result.Seconds[len(r.result.Seconds)-1]
	s.P50 = time.Duration(r.current.Quantile(0.5))
	s.P99 = time.Duration(r.current.Quantile(0.99))
	s.Max = time.Duration(r.current.Max())
	r.current.Reset()
}

// end stops counting. A load that was interrupted is as long as it came.
func (r *recorder) end(now time.Time, interrupted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.counting:
		r.result.Start, r.duration = now, 0
		r.counting = true // what ends from now on is behind the end, not warm-up
	case interrupted:
		r.duration = max(r.latest+1, min(r.duration, now.Sub(r.result.Start)))
	}
	r.result.Interrupted = interrupted
	r.result.End = r.result.Start.Add(r.duration)
}

// finish completes the result; every client has returned.
func (r *recorder) finish() *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.duration > 0 {
		r.reach(r.duration - 1)
		r.result.Seconds[len(r.result.Seconds)-1].Length = r.duration - time.Duration(len(r.result.Seconds)-1)*time.Second
	}
	r.summarise()
	if r.result.Rate > 0 && r.ended.After(r.result.End) {
		r.result.Drain = r.ended.Sub(r.result.End)
	}
	return r.result
}

// progress is the state of the phase so far.
func (r *recorder) progress() (requests, failed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.counting {
		return r.warmup.requests, r.warmup.failed
	}
	return r.result.Requests, r.failed
}
