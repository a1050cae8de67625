package record

import (
	"sync"
	"sync/atomic"
	"time"
)

// watch tells of requests that took longer than a bound: one comparison for each
// request, and a call for those few that are above it.
type watch struct {
	bound atomic.Int64 // ns
	mu    sync.Mutex   // held while f runs
	f     func(*Outcome) bool
}

// Watch registers a function that is called for each request that counts and took
// longer than the bound, in response time if it has one, otherwise in service time. If
// the function returns true, the bound rises to that request's time. The event loop
// calls it, one call at a time: it must not block.
func (r *Recorder) Watch(bound int64, f func(*Outcome) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watch = &watch{f: f}
	r.watch.bound.Store(bound)
	for _, s := range r.shards {
		s.watch = r.watch
	}
}

// Took returns the duration of a request, from its planned start if it has one.
func (o *Outcome) Took() int64 {
	if o.Due >= 0 {
		return o.End - o.Due
	}
	return o.End - o.Sent
}

func (w *watch) see(o *Outcome) {
	took := o.Took()
	if took <= w.bound.Load() || o.Sent < 0 {
		return
	}
	slow := *o // a copy: else the outcome of every request would be allocated
	w.mu.Lock()
	defer w.mu.Unlock()
	if took > w.bound.Load() && w.f(&slow) {
		w.bound.Store(took)
	}
}

// Origin returns the moment that all times are since.
func (r *Recorder) Origin() time.Time { return r.plan.Origin }
