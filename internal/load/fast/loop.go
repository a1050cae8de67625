//go:build linux

package fast

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/load/wire"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// plan is the data that the loops of a job share. It does not change while they run,
// except peer.
type plan struct {
	job     *engine.Job
	end     int64
	timeout int64
	thinks  bool

	one   *wire.FixedRequest  // nil: requests differ
	fixed []wire.FixedRequest // by target

	address    engine.Address
	peers      []peer
	peer       atomic.Int32 // that answered last
	unresolved error        // why there is none

	loops []*loop
}

// loop drives a part of the job's connections on one thread.
type loop struct {
	*plan
	t     transport
	shard *record.Shard
	conns []conn

	busy     queue // connections with a request under way, the first sent first
	underWay int
	owed     int    // connections whose last request is to be retried
	alarms   alarms // pauses and think times
	service  int64  // mean service time of late, ns
	found    int    // connections that the last wait brought something of, an answer or a part
	waits    uint32 // how many there were
	trial    trial  // of naps

	// Sums over all waits: of found, and of the requests under way, whose answers
	// could have been found.
	sumFound, sumUnderWay int64

	yields  bool  // from time to time: no processor is idle
	yielded int64 // when it did last

	tick  int64       // of the shard's next Tick
	spent atomic.Bool // no more requests may be sent

	// Of an open loop; arrivals is nil in a closed one.
	arrivals *schedule.Arrivals
	due      int64 // the next arrival
	idle     fifo

	shape wire.Shape // of the answers

	message message.Message
	stream  *message.Stream
	random  *rand.Rand // think times

	tls     handshakes
	stopped atomic.Bool // the load is to be cut off
}

func newLoop(p *plan, k, loops, connections int) *loop {
	job := p.job
	l := &loop{plan: p, shard: job.Recorder.Shard(), conns: make([]conn, connections), busy: queue{none, none},
		random: rand.New(rand.NewPCG(job.Seed, uint64(k))), idle: newFIFO(connections), alarms: make(alarms, 0, connections)}
	for i := range l.conns {
		c := &l.conns[i]
		c.index, c.fd = int32(i), none
		c.parser.Shape = &l.shape
		if c.verifier = job.Check.Verifier(); c.verifier != nil {
			c.parser.Sink = c.verifier
		}
		if p.one != nil {
			c.request, c.head = p.one.Bytes, p.one.Head
		}
	}
	if p.one == nil {
		l.stream = job.Messages.Stream(k)
	}
	if p.address.TLS != nil {
		l.tls.clear = make([]byte, clearSize)
	}
	if job.Open() {
		a := job.Arrivals.Arrivals(int64(k), int64(loops))
		l.arrivals = &a
		l.advance()
	}
	return l
}

// Connections are not opened all at once: the target's accept queue is short, and a
// client that finds it full tries again a second later. In each millisecond this many
// are opened.
const (
	connectsAtOnce = 32
	connectsEvery  = 1e6
)

const (
	tickEvery = 50e6
	mostFound = 256 // answers that any transport can bring in one wait
)

// yieldEvery is less than the 10 ms after which the runtime's monitor preempts a
// goroutine.
const yieldEvery = 5e6

// settle keeps the goroutine on its thread, whose timers it makes exact.
func settle() {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// yield lets other goroutines have the processor if they wait for it. The loop may go on
// with another thread.
func yield() {
	runtime.UnlockOSThread()
	runtime.Gosched()
	settle()
}

// run drives the load to its end.
//
// The goroutine is locked to its thread, which ends with it. The runtime's monitor would
// preempt it every 20 ms: by a signal that ends the wait, and with four changes of
// threads, since a locked goroutine passes its processor to another thread, which passes
// it back. That took 17 ms of CPU time a second. So where there are as many loops as
// processors, the loop yields before the monitor acts, and unlocks the thread for it;
// io_uring, whose ring is bound to the thread, leaves it at the monitor. (Where a processor is
// idle, each yield would wake a thread for it.)
func (l *loop) run() (engine.Report, error) {
	settle()
	now := l.job.Now()
	for i := range l.conns {
		c := &l.conns[i]
		c.free = now
		if l.arrivals != nil {
			l.idle.push(c.index)
		} else {
			l.later(c, now+int64(i/connectsAtOnce)*connectsEvery)
		}
	}
	err := l.t.enter()
	for err == nil && !l.done(now) {
		l.pass(now)
		if l.tls.fed {
			// Handshakes go on in goroutines. Where there is one processor it is
			// this thread that must let them have it.
			l.tls.fed = false
			yield()
		}
		if l.yields && now >= l.yielded+yieldEvery {
			l.yielded = now
			yield()
		}
		wait := l.untilNext(l.job.Now())
		batch := min(wait, l.nap())
		l.found = 0
		l.waits++
		err = l.t.wait(wait, batch)
		l.sumFound += int64(l.found)
		l.sumUnderWay += int64(min(l.underWay, mostFound))
		now = l.job.Now()
	}
	return l.finish(now), err
}

// done reports whether the load is over for this loop.
func (l *loop) done(now int64) bool {
	switch {
	case l.stopped.Load():
		return true
	case l.arrivals == nil && now >= l.end, now >= l.end+l.timeout:
		return true
	case l.underWay > 0, l.owed > 0:
		return false
	}
	return l.spent.Load() || l.arrivals != nil && now >= l.end && l.due >= l.end
}

// pass does the work that is due.
func (l *loop) pass(now int64) {
	for l.busy.first != none && now-l.conns[l.busy.first].sent >= l.timeout {
		l.fail(&l.conns[l.busy.first], loadresult.TimedOut, record.ErrTimeout)
	}
	for len(l.alarms) > 0 && l.alarms[0].at <= now {
		a := l.alarms.pop()
		if c := &l.conns[a.conn]; c.turn == a.turn {
			l.resume(c, l.job.Now()) // those before took time
		}
	}
	if l.arrivals != nil {
		l.launch(l.job.Now())
	}
	if now >= l.tick {
		l.shard.Tick(now)
		l.tick = now + tickEvery
	}
}

// untilNext returns how long nothing is due.
func (l *loop) untilNext(now int64) int64 {
	next := l.tick
	if now < l.end {
		next = min(next, l.end)
	} else {
		next = min(next, l.end+l.timeout)
	}
	if l.busy.first != none {
		next = min(next, l.conns[l.busy.first].sent+l.timeout)
	}
	if len(l.alarms) > 0 {
		next = min(next, l.alarms[0].at)
	}
	if l.arrivals != nil && l.idle.free > 0 && l.due < l.end && !l.spent.Load() {
		next = min(next, l.due)
	}
	return max(next-now, 0)
}

// take asks whether one more request may be sent, due or sent at a moment.
func (l *loop) take(moment int64) bool {
	if l.spent.Load() {
		return false
	}
	if l.job.Take(moment) {
		return true
	}
	// Others need not wait for the end of a think time to hear of it.
	for _, other := range l.loops {
		other.spent.Store(true)
	}
	return false
}

// finish counts the requests left at the end, and releases everything.
func (l *loop) finish(now int64) engine.Report {
	r := engine.Report{KeptUp: 2*l.sumFound <= l.sumUnderWay}
	if l.arrivals != nil && !l.stopped.Load() && now >= l.end {
		l.giveUp(now)
	} else if l.underWay > 0 {
		r.InFlight = l.underWay
		r.OldestInFlight = time.Duration(now - l.conns[l.busy.first].sent)
	}
	l.t.leave()
	for i := range l.conns {
		l.hangUp(&l.conns[i])
	}
	l.tls.all.Wait()
	l.shard.Done()
	return r
}

// giveUp ends an open loop: unanswered requests have timed out, even if they were sent
// too late for that, and so have requests that were due and never sent.
func (l *loop) giveUp(now int64) {
	for l.busy.first != none {
		c := &l.conns[l.busy.first]
		o := l.outcome(c, now)
		o.Kind, o.End = loadresult.TimedOut, max(now, c.sent+l.timeout)
		l.came(c, &o)
		l.delist(c)
		c.busy = false
		l.shard.Fail(&o, nil)
	}
	for l.due < l.end && l.take(l.due) {
		l.shard.Fail(&record.Outcome{Due: l.due, Free: l.due, Sent: -1, End: now, Kind: loadresult.TimedOut}, nil)
		l.advance()
	}
}
