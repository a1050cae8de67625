package dearhandoff

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/rules/channelperitem"
	"whet/internal/finding"
	"whet/internal/quantity"
)

const (
	// most is the share of the processors' time from which handing over costs more than
	// all the work.
	most = 0.5
	// often is how many waits a second there must be: a process that hardly does anything
	// parks its goroutines for most of what it does.
	often = 10_000
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "dear-handoff",
		Title: "hand-offs that cost more than the work",
		Doc: diagnose.Doc{
			What:   "Goroutines hand work to each other, over channels, conditions or wait groups, ten thousand times a second or more, and the hand-offs, synchronization and scheduling together, cost more than all other work of the measured code.",
			Why:    "To park a goroutine, find another and wake the first again takes a microsecond or more. If the work handed over takes less, one goroutine that does all of it is faster than any number of them.",
			Silent: "Where no execution trace or CPU profile was recorded; where channel-per-item reports the channel; for locks, see lock-contention; for waits inside libraries; for processes that are mostly idle.",
			Fix:    "Hand over more at once: a slice of items, a range of indices, a buffer that is swapped when full. In place of a goroutine that answers requests, call a function under a lock.",
			Before: "func (c *counter) Add(n int) int {\n\treply := make(chan int, 1)\n\tc.requests <- request{n, reply}\n\treturn <-reply\n}",
			After:  "func (c *counter) Add(n int) int {\n\tc.mu.Lock()\n\tdefer c.mu.Unlock()\n\tc.sum += n\n\treturn c.sum\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceCPU, diagnose.EvidenceSource},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	known := channelperitem.Claims(s).Ends
	var waits []*diagnose.LocationWait
	for _, w := range s.OwnWaits() {
		locks := slices.ContainsFunc(w.Mechanism, func(f string) bool { return strings.Contains(f, "Mutex).") })
		if w.State != "network" && !locks && !slices.Contains(known, w.Place) {
			waits = append(waits, w)
		}
	}
	h := s.HandOff(waits)
	if h.Share() < most || h.PerSecond < often {
		return nil
	}
	place := first(waits)
	return []diagnose.Claim{{
		Place: place.Place, Cost: diagnose.Samples{CPU: h.Samples}, Wait: h.Share(), Confidence: finding.Medium,
		Why:      fmt.Sprintf("Goroutines wait for each other here and at the other end so often that parking and waking them takes %s of the processors' time, more than the work they hand over.", quantity.Percent(h.Share())),
		Remedy:   "Hand over many items at once, or do the work in place, under a lock if others need the result too.",
		Evidence: h.Evidence(s),
	}}
}

// first returns the first in the source of the places with at least half as many waits as
// that with the most: both ends of a channel have about as many.
func first(waits []*diagnose.LocationWait) *diagnose.LocationWait {
	count := slices.MaxFunc(waits, func(a, b *diagnose.LocationWait) int { return int(a.Count - b.Count) }).Count
	var best *diagnose.LocationWait
	for _, w := range waits {
		if 2*w.Count >= count && (best == nil || w.Place.File < best.Place.File || w.Place.File == best.Place.File && w.Place.Line < best.Place.Line) {
			best = w
		}
	}
	return best
}
