//go:build linux

package fast

import "math"

// # When a loop sleeps in place of waiting
//
// With 64 connections busy against a service that answers 200,000 requests a
// second there is an answer every 5 µs. A loop that waits for the next one is
// woken for each, or for two; a loop that sleeps for some 40 µs and then looks
// finds several, for the price of one wake-up. That takes a tenth to a fifth off
// the CPU time of a request, and the service gets its requests in batches too.
//
// The cost is time: a response may wait there for as long as the sleep. By
// Little's law the requests under way keep the service busy for S, the mean
// service time, if no other is sent; a sleep that is a sixth of S lets no service
// run dry that is the bottleneck, and as each request waits for those before it
// anyway, none is answered later. Where the service is not the bottleneck (it
// sleeps itself, say, or is far away) a request would seem to take longer by half
// of the sleep. So the loop tries it: of sixteen stretches of time one is without
// sleep and one with it, and the others have it only where service times were no
// longer for it.
//
// A loop does not sleep if few connections are busy, nor in an open loop, whose sends
// are scheduled, nor if it finds many responses at once without sleep: then it lags,
// and a sleep would hide that it is the bottleneck.

const (
	longestNap   = 100e3
	shortestNap  = 15e3 // below it sleeping costs more than it saves
	napBusy      = 16   // connections
	napShare     = 6    // of the service time: a sixth
	napInterval  = 40e3 // answers of this loop come in this mean interval or faster
	serviceShift = 6    // the mean service time is over some 64 answers
)

// nap returns how long to sleep before looking for answers; 0: wait for the first.
func (l *loop) nap() int64 {
	if l.underWay < napBusy || l.found >= l.many() || l.arrivals != nil {
		return 0
	}
	if l.service > napInterval*int64(l.underWay) {
		return 0
	}
	n := min(l.service/napShare, longestNap)
	if n < shortestNap || !l.trial.naps(l.underWay) {
		return 0
	}
	return n
}

// many returns how many answers at once are so many that waiting for more saves
// nothing.
func (l *loop) many() int { return min(l.underWay/2, 32) }

// trial finds out whether naps make service times longer.
type trial struct {
	stretch  int     // of a cycle: the first is without naps, the second with them
	sum, n   int64   // service times of this stretch
	plain    float64 // the mean without naps
	cost     float64 // logarithm of the mean with naps over that without: of late, on average
	tried    int     // how often
	harmless bool
}

const (
	trialStretches = 16
	trialAnswers   = 32   // of a stretch, for each request under way
	trialMemory    = 8    // comparisons
	trialHarmless  = 0.02 // 2 %: the chance variation of an equal service time
)

// answered counts the service time of an answer.
func (t *trial) answered(service int64) {
	t.sum += service
	t.n++
}

// naps reports whether the loop is to nap now, with so many requests under way.
func (t *trial) naps(underWay int) bool {
	if t.n >= trialAnswers*int64(underWay) {
		t.next()
	}
	return t.stretch == 1 || t.stretch > 1 && t.harmless
}

// next begins another stretch.
func (t *trial) next() {
	mean := max(float64(t.sum)/float64(t.n), 1)
	switch t.stretch {
	case 0:
		t.plain = mean
	case 1:
		t.tried = min(t.tried+1, trialMemory)
		t.cost += (math.Log(mean/t.plain) - t.cost) / float64(t.tried)
		t.harmless = t.cost < trialHarmless
	}
	t.stretch = (t.stretch + 1) % trialStretches
	t.sum, t.n = 0, 0
}
