package record

import (
	"sync"
	"time"

	"whet/internal/loadresult"
)

// Plan is the plan of a load, given to the recorder before it begins.
type Plan struct {
	Origin           time.Time // with its monotonic reading
	Warmup, Duration time.Duration
	// Requests is the number of requests to send after the warm-up; 0: no limit within
	// the duration. See the package comment.
	Requests int64
	Open     bool
	// KeepResponses keeps every response time, 8 bytes each.
	KeepResponses bool
	Targets       int // counted apart where more than one
}

// Recorder makes a Result of its shards' outcomes.
type Recorder struct {
	plan   Plan
	result *loadresult.Result

	mu      sync.Mutex
	shards  []*Shard
	pending []*tally // the seconds after result.Seconds, not yet passed by all shards
	free    []*tally
	total   *tally // of the closed seconds; its bins mean nothing
	feed    *feed
	watch   *watch // nil: nobody asks for slow requests
}

// New returns the recorder of one load.
func New(p Plan) *Recorder {
	const most = 3600 // seconds to make room for; longer loads grow
	n := min(int64(p.Duration/time.Second)+1, most)
	return &Recorder{plan: p, total: new(tally), result: &loadresult.Result{
		Began: p.Origin, Start: p.Origin.Add(p.Warmup), Open: p.Open,
		Errors: make(map[string]int64), Examples: make(map[string]string), Status: make(map[int]int64),
		Seconds: make([]loadresult.Second, 0, n), Answers: make([]int32, 0, n*int64(binsPerSecond)),
		Generator: loadresult.Generator{CPU: -1, Share: -1, Shared: -1},
	}}
}

// Shard adds a shard.
func (r *Recorder) Shard() *Shard {
	s := &Shard{r: r, watch: r.watch, warm: int64(r.plan.Warmup), length: int64(r.plan.Duration),
		bySent: r.plan.Requests > 0, keep: r.plan.KeepResponses}
	if r.plan.Open {
		s.planned = make([]plannedSecond, 0, cap(r.result.Seconds))
	}
	if r.plan.Targets > 1 {
		s.targets = make([]loadresult.Target, r.plan.Targets)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.enter(int64(len(r.result.Seconds)))
	r.shards = append(r.shards, s)
	return s
}

// Shared adds a shard for goroutines that record at the same time.
func (r *Recorder) Shared() *Shared { return &Shared{s: r.Shard()} }

// collect takes the counts of a shard's second, moves the shard on, and closes the
// seconds that all have passed.
func (r *Recorder) collect(s *Shard, move func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.take(s)
	move()
	behind := int64(-1)
	for _, s := range r.shards {
		if !s.done && (behind < 0 || s.second < behind) {
			behind = s.second
		}
	}
	r.closeBefore(behind)
}

// take takes the counts of a shard's second.
func (r *Recorder) take(s *Shard) {
	if s.now.empty() {
		return
	}
	i := int(s.second) - len(r.result.Seconds)
	for len(r.pending) <= i {
		r.pending = append(r.pending, r.empty())
	}
	r.pending[i].merge(&s.now)
	s.now.reset()
}

// empty returns an empty tally.
func (r *Recorder) empty() *tally {
	n := len(r.free)
	if n == 0 {
		return new(tally)
	}
	t := r.free[n-1]
	r.free = r.free[:n-1]
	return t
}

// release gives a tally back.
func (r *Recorder) release(t *tally) {
	t.reset()
	r.free = append(r.free, t)
}

// closeBefore closes the seconds before one.
func (r *Recorder) closeBefore(second int64) {
	res := r.result
	for have := int64(len(res.Seconds)); have < second; have++ {
		var t *tally
		if len(r.pending) > 0 {
			t = r.pending[0]
			r.pending = append(r.pending[:0], r.pending[1:]...)
		} else {
			t = r.empty()
		}
		begin := time.Duration(have) * time.Second
		row := t.row(res.Start.Add(begin), min(time.Second, r.plan.Duration-begin))
		res.Seconds = append(res.Seconds, row)
		res.Answers = append(res.Answers, t.bins[:]...)
		r.total.merge(t)
		if r.feed != nil {
			r.feed.put(row, t)
		} else {
			r.release(t)
		}
	}
}

// Answers returns the number of whole answers so far, with those of the warm-up.
func (r *Recorder) Answers() int64 {
	return r.sum(func(s *Shard) int64 { return s.answers.Load() })
}

// Counted returns the number of requests so far that count, and of them those that
// failed.
func (r *Recorder) Counted() (requests, failed int64) {
	// The failed ones first: they are never more.
	failed = r.sum(func(s *Shard) int64 { return s.failed.Load() })
	return r.sum(func(s *Shard) int64 { return s.requests.Load() }), failed
}

// WarmedUp returns the same of the warm-up.
func (r *Recorder) WarmedUp() (requests, failed int64) {
	failed = r.sum(func(s *Shard) int64 { return s.warmFailed.Load() })
	return r.sum(func(s *Shard) int64 { return s.warmUp.Load() }), failed
}

func (r *Recorder) sum(of func(*Shard) int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var n int64
	for _, s := range r.shards {
		n += of(s)
	}
	return n
}

// Finish completes the result. The engine is through, and nobody writes to the
// shards any more. end is now. A load that was interrupted is as long as it
// came, and one of a number of requests until the last of them ended.
func (r *Recorder) Finish(end int64, interrupted bool) *loadresult.Result {
	r.mu.Lock()
	res := r.result
	for _, s := range r.shards {
		r.take(s)
	}
	length := r.length(end, interrupted)
	r.plan.Duration = length // that of the intervals still to come
	seconds := int64((length + time.Second - 1) / time.Second)
	r.closeBefore(seconds)
	// A loop may have looked at the clock after the end of a load that was cut
	// short: nothing was counted there.
	res.Seconds = res.Seconds[:seconds]
	res.Answers = res.Answers[:(length+loadresult.Bin-1)/loadresult.Bin]
	if seconds > 0 {
		res.Seconds[seconds-1].Length = length - time.Duration(seconds-1)*time.Second
	}
	res.Interrupted = interrupted
	if end < int64(r.plan.Warmup) {
		res.Start = r.plan.Origin.Add(time.Duration(end))
	}
	res.End = res.Start.Add(length)

	t := r.total
	res.Requests, res.Bytes, res.Behind, res.Leftover = t.requests, t.bytes, t.behind, t.leftover
	res.Service, res.Response = t.service, t.response
	for kind, n := range t.kinds {
		res.Errors[kind] = n
	}
	if r.plan.Targets > 1 {
		res.Targets = make([]loadresult.Target, r.plan.Targets)
	}
	first := make(map[string]int64)
	var ended int64
	for _, s := range r.shards {
		r.add(s, first)
		ended = max(ended, s.ended)
	}
	ended = min(ended, end-int64(r.plan.Warmup)) // nobody waited for timeouts after it
	if res.Open && ended > int64(length) {
		res.Drain = time.Duration(ended) - length
	}
	f := r.feed
	r.mu.Unlock()
	if f != nil {
		f.close()
	}
	return res
}

// length returns how long the load was after its warm-up.
func (r *Recorder) length(end int64, interrupted bool) time.Duration {
	now := time.Duration(end) - r.plan.Warmup
	var latest time.Duration
	var counted int64
	for _, s := range r.shards {
		latest = max(latest, time.Duration(s.latest))
		counted += s.requests.Load()
	}
	switch {
	case now < 0:
		return 0
	case r.plan.Requests > 0 && counted >= r.plan.Requests:
		return latest + 1
	case interrupted && counted > 0:
		// A loop may have read the clock after the load was ended.
		return max(latest+1, min(r.plan.Duration, now))
	case interrupted:
		return min(r.plan.Duration, now)
	}
	return r.plan.Duration
}

// add adds a shard's own counts to the result. first has the times of the examples.
func (r *Recorder) add(s *Shard, first map[string]int64) {
	res := r.result
	for status, n := range s.status {
		if n > 0 {
			res.Status[status] += n
		}
	}
	for kind, e := range s.examples {
		if at, seen := first[kind]; !seen || e.at < at {
			res.Examples[kind], first[kind] = e.text, e.at
		}
	}
	for i, p := range s.planned[:min(len(s.planned), len(res.Seconds))] {
		res.Seconds[i].Due += p.due
		res.Seconds[i].InTime += p.inTime
	}
	for i, t := range s.targets {
		target := &res.Targets[i]
		target.Requests += t.Requests
		target.Errors += t.Errors
		target.Timed += t.Timed
		target.Service += t.Service
	}
	res.Lateness.Merge(&s.lateness)
	res.LateSends += s.lateSends
	res.Waited += s.waited
	res.Unsent += s.unsent
	res.Begun += s.begun
	res.Responses = append(res.Responses, s.responses...)
	res.Connections += s.made
	res.Connecting += time.Duration(s.making)
}

// Interval registers a function that is called for each second after it is closed, in
// order, by a separate goroutine: it never delays the load. If it takes longer than a
// second, waiting seconds are merged. Nothing is lost: Finish returns after the last
// call.
func (r *Recorder) Interval(f func(loadresult.Interval)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.feed = newFeed(r, f)
}
