// Package channelperitem is the rule that finds items that one goroutine passes to
// another one by one, through an unbuffered channel.
//
// Each such hand-off parks one of the two goroutines and wakes it again. The execution
// trace counts the waits at both ends, the CPU profile shows the cost of sending,
// receiving and scheduling, and the typed source shows that every channel of the
// statement was made without a buffer.
//
// The scheduler's work for a wait is not charged to any line: the rule gives each wait
// its share of the scheduler's samples, at most [diagnose.ParkNs], so that processors
// that look for work in vain cause no finding. It misleads where the channel exists to
// keep two goroutines in step, which the source does not show.
package channelperitem
