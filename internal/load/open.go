package load

import (
	"runtime"
	"sync"
	"time"
)

// # Response time
//
// With Options.Rate set the loop is open: arrival k of the load is due at
// k/Rate seconds after its beginning, whatever became of the arrivals before.
// The schedule is a function of k alone: a late wake-up delays the requests it
// was for, and none behind them.
//
// Response time runs from the moment a request was due to the end of its
// answer. So it holds the wait for one of the Concurrency connections, as it
// comes about when the service is slower than the arrivals, and a service that
// stalls for a second delays all that was due meanwhile, as it does to users.
// A generator that starts its clock when it gets round to sending would hide
// just that.
//
// It also holds what the generator itself is late, and that is not the
// service's. A request is late by what passed between the moment when it was
// due and a connection was free for it, whichever came last, and its sending.
// Late sends are counted, and the times are kept: subtracting them would hide a
// service that takes the processors from the generator on its own machine.
//
// A request belongs to the moment it was due: those due in [Start, End) count,
// and the load waits behind its end for their answers, at most Options.Timeout.
// What is unanswered then counts as timed out, with the time it had waited for.
// So every arrival is in the result, once.

// lateAfter is from when on a request counts as sent late.
const lateAfter = time.Millisecond

// arrivals hands out requests as they fall due.
type arrivals struct {
	origin time.Time
	rate   float64 // per second

	mu       sync.Mutex
	changed  sync.Cond
	released int64 // arrivals that are due
	taken    int64 // of them by a client
	over     bool  // no more will be released
}

func newArrivals(origin time.Time, rate float64) *arrivals {
	a := &arrivals{origin: origin, rate: rate}
	a.changed.L = &a.mu
	return a
}

// at is when arrival k, from 0, is due since the origin.
func (a *arrivals) at(k int64) time.Duration {
	return time.Duration(float64(k) / a.rate * float64(time.Second))
}

// by is the number of arrivals that are due before a moment since the origin.
func (a *arrivals) by(elapsed time.Duration) int64 {
	if elapsed <= 0 {
		return 0
	}
	k := int64(elapsed.Seconds() * a.rate)
	// The division may have gone either way by one.
	for k > 0 && a.at(k-1) >= elapsed {
		k--
	}
	for a.at(k) < elapsed {
		k++
	}
	return k
}

// take waits for an arrival that nobody has taken; ok is false when there will
// be none.
func (a *arrivals) take() (due time.Time, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.taken >= a.released {
		if a.over {
			return time.Time{}, false
		}
		a.changed.Wait()
	}
	k := a.taken
	a.taken++
	return a.origin.Add(a.at(k)), true
}

// release makes the arrivals before a moment due, and returns the wait until
// the next one; done is true once there is none.
func (a *arrivals) release(now time.Time) (wait time.Duration, done bool) {
	elapsed := now.Sub(a.origin) + 1 // what is due at this very moment is due
	n := a.by(elapsed)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return 0, true
	}
	for ; a.released < n; a.released++ {
		a.changed.Signal()
	}
	return a.at(n) + 1 - elapsed, false
}

// finish ends the arrivals: those due before end are still handed out.
func (a *arrivals) finish(end time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.released = max(a.by(end.Sub(a.origin)), a.taken)
	a.over = true
	a.changed.Broadcast()
}

// abandon ends the arrivals at once, and returns when those were due that
// nobody took.
func (a *arrivals) abandon() []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	var left []time.Time
	for ; a.taken < a.released; a.taken++ {
		left = append(left, a.origin.Add(a.at(a.taken)))
	}
	a.over = true
	a.changed.Broadcast()
	return left
}

// longestNap bounds how long the pacer does not look whether the load is over.
const longestNap = 10 * time.Millisecond

// pace releases arrivals until they are over. It keeps a thread for itself:
// the runtime's timers come up to a millisecond late where a processor is idle,
// since it waits in epoll by whole milliseconds, and that is more than a quick
// service takes for a request. The thread ends with the goroutine, and its
// settings with it.
func (a *arrivals) pace(now func() time.Time) {
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
