package portable

import (
	"math"
	"runtime"
	"sync"
	"time"

	"whet/internal/load/engine"
	"whet/internal/schedule"
)

// # Response time
//
// In an open loop arrival k is due at a time given by the schedule, whatever the
// outcome of the arrivals before. The schedule is a function of k alone: a late wake-up
// delays the requests it was for, and none after them.
//
// Response time runs from the intended send of a request to the end of its response. It
// includes the wait for a connection, which occurs when the service is slower than the
// arrivals: a service that stalls for a second delays all requests due meanwhile, as it
// does to users. A generator that starts its clock when it sends would hide just that.
//
// It also includes the generator's own lateness, which is not the service's fault. The
// lateness of a request is the time from the moment it was due and a connection free,
// whichever came last, to its send. Late sends are counted, and the times are kept:
// subtracting them would hide a service that takes processor time from the generator on
// its own machine.
//
// A request belongs to the time it was due: those due in [Start, End) count, and the
// load waits after its end for their responses, at most its timeout. Unanswered ones
// then count as timed out, with the full timeout, even if less of it has passed. So
// every arrival due after the warm-up is in the result once.
//
// An arrival of the warm-up that finds no client free is dropped: a backlog of the
// warm-up would delay the requests that count.

// arrivals hands out requests as they fall due.
type arrivals struct {
	job  *engine.Job
	warm int64 // arrivals due before are not kept for later
	end  int64 // arrivals due then or later are not sent

	mu       sync.Mutex
	changed  sync.Cond
	ahead    schedule.Arrivals // of the pacer
	next     int64             // that the pacer releases next; MaxInt64: there is none
	behind   schedule.Arrivals // of the clients
	released int64             // arrivals that are due
	taken    int64             // of them by a client
	free     int               // clients without a request
	over     bool              // no more will be released
}

// newArrivals returns those of a job with so many clients.
func newArrivals(j *engine.Job, clients int) *arrivals {
	a := &arrivals{job: j, warm: int64(j.Warmup), end: j.Ends(), free: clients, ahead: j.Arrivals.Arrivals(0, 1), behind: j.Arrivals.Arrivals(0, 1)}
	a.changed.L = &a.mu
	a.next = a.moment(&a.ahead)
	return a
}

// moment returns when the next arrival of a row is due.
func (a *arrivals) moment(row *schedule.Arrivals) int64 {
	due := int64(row.Next())
	if due >= a.end {
		return math.MaxInt64
	}
	return due
}

// take waits for an arrival that nobody has taken; ok is false when there will
// be none.
func (a *arrivals) take() (due int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.taken >= a.released {
		if a.over {
			return 0, false
		}
		a.changed.Wait()
	}
	a.taken++
	a.free--
	due = a.moment(&a.behind)
	if !a.job.Take(due) {
		a.released, a.over = a.taken, true
		a.changed.Broadcast()
		return 0, false
	}
	return due, true
}

// done says that a client is free again.
func (a *arrivals) done(now int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fallDue(now)
	a.free++
}

// fallDue makes the arrivals up to a moment due.
func (a *arrivals) fallDue(now int64) {
	for !a.over && a.next <= now {
		if a.next < a.warm && int64(a.free) <= a.released-a.taken {
			a.moment(&a.behind) // the one that waited longest: of the warm-up too
		} else {
			a.released++
			a.changed.Signal()
		}
		a.next = a.moment(&a.ahead)
	}
}

// release makes the arrivals up to a moment due, and returns the wait until the
// next one; done is true once there is none.
func (a *arrivals) release(now int64) (wait time.Duration, done bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fallDue(now)
	if a.next == math.MaxInt64 && !a.over {
		a.over = true
		a.changed.Broadcast()
	}
	if a.over {
		return 0, true
	}
	return time.Duration(a.next - now), false
}

// finish ends the arrivals. Due ones can still be taken.
func (a *arrivals) finish() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	a.changed.Broadcast()
}

// longestNap bounds how long the pacer does not look whether the load is over.
const longestNap = 10 * time.Millisecond

// pace releases arrivals until they are over. It keeps a thread for itself:
// the runtime's timers come up to a millisecond late where a processor is idle,
// since it waits in epoll by whole milliseconds, and that is more than a quick
// service takes for a request. The thread ends with the goroutine, and its
// settings with it.
func (a *arrivals) pace(now func() int64) {
	runtime.LockOSThread()
	sharpen()
	for {
		wait, done := a.release(now())
		if done {
			return
		}
		nap(min(wait, longestNap))
	}
}
