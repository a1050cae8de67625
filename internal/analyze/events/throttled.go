package events

import (
	"fmt"
	"time"

	"whet/internal/format/metrics"
)

const (
	// Whiles of throttling that are less than calm apart are one.
	calm = int64(time.Second)
	// Less throttling than this in a while is none: the kernel's accounting
	// gives single milliseconds to processes far from their limit.
	leastThrottled = int64(10 * time.Millisecond)
)

// throttled finds the whiles in which the control group kept the process from
// running.
func throttled(lives [][]metrics.Row) []Event {
	var out []Event
	for _, rows := range lives {
		var at Span
		var sum int64
		end := func() {
			if sum >= leastThrottled {
				out = append(out, Event{
					Kind: Throttled, StartNs: at.StartNs, EndNs: at.EndNs, Value: float64(sum), Low: float64(sum), High: float64(sum),
					Text: fmt.Sprintf("the cgroup throttled the process for %s, summed over processors, within %s: its CPU limit is too low for this work",
						length(sum), length(at.EndNs-at.StartNs)),
				})
			}
			sum = 0
		}
		for i := 1; i < len(rows); i++ {
			n, ok := rise(rows[i-1].ThrottledNs, rows[i].ThrottledNs)
			if !ok || n <= 0 {
				continue
			}
			if sum > 0 && rows[i-1].TimeNs-at.EndNs >= calm {
				end()
			}
			if sum == 0 {
				at.StartNs = rows[i-1].TimeNs
			}
			at.EndNs = rows[i].TimeNs
			sum += min(n, farthest-sum)
		}
		end()
	}
	return out
}
