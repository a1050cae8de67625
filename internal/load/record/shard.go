package record

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/hist"
	"whet/internal/loadresult"
)

// Shard takes the outcomes of one event loop. One goroutine writes at a time.
// It takes a few hundred KiB: a loop has one, a connection has not.
type Shard struct {
	r      *Recorder
	warm   int64 // Plan.Warmup
	length int64 // Plan.Duration
	bySent bool  // of a number of requests: a closed loop's request belongs to the moment it was sent
	keep   bool
	watch  *watch

	second int64 // the one that now counts, from 0
	next   int64 // when the next one begins, since Start; MaxInt64: there is none
	now    tally
	done   bool

	lateness  hist.Histogram
	lateSends int64
	waited    int64
	unsent    int64
	begun     int64
	status    [1000]int64
	examples  map[string]example
	planned   []plannedSecond // by second
	responses []time.Duration
	targets   []loadresult.Target
	made      int64 // connections
	making    int64 // ns
	latest    int64 // the largest moment that counted, since Start, within the load
	ended     int64 // the last request's end, since Start, also after the load's

	// Readable by other goroutines while the load runs.
	answers            atomic.Int64 // whole ones, since the origin
	requests, failed   atomic.Int64 // that count
	warmUp, warmFailed atomic.Int64 // requests of the warm-up
	_                  [64]byte     // the next shard's are on another cache line
}

// example is the first of a kind of failure.
type example struct {
	at   int64
	text string
}

// plannedSecond counts the requests due in a second.
type plannedSecond struct{ due, inTime int64 }

// Record counts a request. It does not allocate unless the request failed.
func (s *Shard) Record(o *Outcome) { s.record(o, nil) }

// Fail counts a failed request; text is called if it is the first of its kind.
func (s *Shard) Fail(o *Outcome, text func() string) { s.record(o, text) }

func (s *Shard) record(o *Outcome, text func() string) {
	if o.Status != 0 {
		count(&s.answers)
	}
	at := o.End - s.warm
	belongs := at
	switch {
	case o.Due >= 0:
		belongs = o.Due - s.warm
	case s.bySent:
		belongs = o.Sent - s.warm
	}
	if belongs < 0 {
		count(&s.warmUp)
		if o.Kind != "" {
			count(&s.warmFailed)
		}
		if at >= 0 && at < s.length && o.Status != 0 && !s.bySent {
			s.advance(max(at, s.second*int64(time.Second)))
			s.now.leftover++
		}
		return
	}
	if belongs >= s.length {
		return
	}
	count(&s.requests)
	s.ended = max(s.ended, at)
	// A request may end before the second that is under way: another goroutine
	// of a shared shard came first. A second that was handed over stays as it is.
	behind := at >= s.length
	at = min(max(at, s.second*int64(time.Second)), s.length-1)
	s.latest = max(s.latest, at)
	s.advance(at)

	t := &s.now
	t.requests++
	t.bytes += o.Bytes
	if o.Status != 0 {
		t.answered++
		if behind {
			t.behind++
		}
		t.bins[at%int64(time.Second)/int64(loadresult.Bin)]++
		s.status[min(max(o.Status, 0), len(s.status)-1)]++
	}
	timed := o.timed()
	took := o.End - o.Sent
	if timed && o.Sent >= 0 {
		t.service.Record(took)
		if s.watch != nil {
			s.watch.see(o)
		}
	}
	if o.Due >= 0 {
		s.open(o, timed, belongs)
	}
	if o.Connect > 0 {
		s.made++
		s.making += o.Connect
	}
	if o.Target < len(s.targets) {
		target := &s.targets[o.Target]
		target.Requests++
		if o.Kind != "" {
			target.Errors++
		}
		if timed && o.Sent >= 0 {
			target.Timed++
			target.Service += time.Duration(took)
		}
	}
	if o.Kind != "" {
		s.fail(o, text)
	}
}

// open counts the additional times of an open loop's request.
func (s *Shard) open(o *Outcome, timed bool, due int64) {
	if timed {
		s.now.response.Record(o.End - o.Due)
		if s.keep {
			s.responses = append(s.responses, time.Duration(o.End-o.Due))
		}
	}
	second := due / int64(time.Second)
	for int64(len(s.planned)) <= second {
		s.planned = append(s.planned, plannedSecond{})
	}
	p := &s.planned[second]
	p.due++
	if o.Sent < 0 {
		s.unsent++
		return
	}
	if (o.Sent-s.warm)/int64(time.Second) == second {
		p.inTime++
	}
	if o.Free > o.Due && !o.First {
		s.waited++
	}
	late := max(o.Sent-max(o.Due, o.Free), 0)
	s.lateness.Record(late)
	if late > int64(loadresult.LateAfter) {
		s.lateSends++
	}
}

func (s *Shard) fail(o *Outcome, text func() string) {
	count(&s.failed)
	if o.Kind == loadresult.TimedOut && o.Begun {
		s.begun++
	}
	s.now.errors++
	s.now.fail(o.Kind, 1)
	if _, seen := s.examples[o.Kind]; seen {
		return
	}
	e := example{at: o.End}
	if text != nil {
		e.text = Line(text())
	}
	if e.text == "" {
		e.text = Line(o.example())
	}
	if s.examples == nil {
		s.examples = make(map[string]example)
	}
	s.examples[o.Kind] = e
}

// Tick tells the shard the current time. A loop without outcomes calls it at least
// every 100 ms, so that seconds are closed.
func (s *Shard) Tick(now int64) {
	if at := now - s.warm; at >= 0 {
		s.advance(min(at, s.length-1))
	}
}

// Done marks the end of the shard's outcomes.
func (s *Shard) Done() {
	s.r.collect(s, func() { s.done = true })
}

// advance hands over the seconds before a moment since Start.
func (s *Shard) advance(at int64) {
	if at < s.next {
		return
	}
	s.r.collect(s, func() { s.enter(at / int64(time.Second)) })
}

// enter makes a second the one under way. The last one stays it.
func (s *Shard) enter(second int64) {
	s.second = second
	s.next = (second + 1) * int64(time.Second)
	if s.next >= s.length {
		s.next = math.MaxInt64
	}
}

// count increments a counter that only this goroutine writes.
func count(n *atomic.Int64) { n.Store(n.Load() + 1) }

// Shared is a shard for goroutines that record at the same time.
type Shared struct {
	mu sync.Mutex
	s  *Shard
}

// Record is Shard.Record.
func (s *Shared) Record(o *Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s.Record(o)
}

// Fail is Shard.Fail.
func (s *Shared) Fail(o *Outcome, text func() string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s.Fail(o, text)
}

// Tick is Shard.Tick.
func (s *Shared) Tick(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s.Tick(now)
}

// Done is Shard.Done.
func (s *Shared) Done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s.Done()
}
