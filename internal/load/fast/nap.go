//go:build linux

package fast

// # When a loop sleeps in place of waiting
//
// With 64 connections busy against a service that answers 200,000 requests a
// second there is an answer every 5 µs. A loop that waits for the next one is
// woken for each, or for two; a loop that sleeps for 20 µs and then looks finds
// several, for the price of one wake-up. Measured on nginx, generator and service
// on a processor each, CPU for each request in proportion to wrk's: 0.85 without,
// 0.81 with, at the same throughput or more. Where the service answered 140,000 a
// second, 50 µs gave 0.80 in place of 0.88. Longer sleeps than a sixteenth of the
// service time saved nothing more, and cost throughput.
//
// What it costs is time: an answer may lie there for as long as the sleep. By
// Little's law the requests under way keep the service busy for S, the mean
// service time, if no other is sent; a sleep that is a sixteenth of S lets no
// service run dry that is the bottleneck. Where it is not (it sleeps itself, say)
// the service times are longer by half of the sleep, 3 % at most, and only where
// answers come so fast that a loop would spend its time being woken.
//
// None of it where few connections are busy, nor in an open loop, whose sends
// have their moments, nor where many answers were found at once without it: then
// the loop is behind, and its sleep would hide that it is the bottleneck.

const (
	longestNap   = 50e3
	shortestNap  = 15e3 // below it sleeping costs more than it saves
	napBusy      = 16   // connections
	napShare     = 16   // of the service time
	napAnswers   = 16   // that were found at once
	napInterval  = 40e3 // answers of this loop come in this mean interval or faster
	serviceShift = 6    // the mean service time is over some 64 answers
)

// nap is how long to sleep before looking for answers; 0: wait for the first.
func (l *loop) nap() int64 {
	if l.underWay < napBusy || l.found >= napAnswers || l.arrivals != nil {
		return 0
	}
	if l.service > napInterval*int64(l.underWay) {
		return 0
	}
	n := min(l.service/napShare, longestNap)
	if n < shortestNap {
		return 0
	}
	return n
}
