// Package channelperitem is the rule that finds items that one goroutine hands to
// another one by one, through a channel without room.
//
// Each such hand-off parks one of the two and wakes it again. The execution trace
// counts the waits at both ends, the CPU profile says what sending, receiving and
// scheduling cost, and the typed source that every channel the statement may send on
// was made without a buffer.
//
// What the scheduler does for a wait is not charged to any line: the rule gives each
// wait its share of the scheduler's samples, at most [diagnose.ParkNs], so that
// processors that look for work in vain make no finding. It misleads where the channel
// is there to keep two goroutines in step, which the source does not say.
package channelperitem
