package idlebehindlock

import (
	"fmt"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/rules/lockheld"
	"whet/internal/finding"
	"whet/internal/quantity"
)

const (
	// least is the part of the trace in which a processor must be idle while somebody
	// waits for the lock.
	least = 0.2
	// fewest is how many waits must end in it.
	fewest = 10
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "idle-behind-lock",
		Title: "a processor idles while goroutines wait for one lock",
		Doc: diagnose.Doc{
			What:   "For a fifth of an execution trace or more, goroutines wait for the same sync.Mutex or RWMutex while at least one processor is idle.",
			Why:    "There is work and a free processor, and the lock keeps them apart: its holder works alone, or waits itself for a file, a connection or a timer.",
			Silent: "Where no execution trace or mutex profile was recorded; for fewer than ten waits; where workers hold the lock while they wait for their next job; for locks inside libraries; where all processors are busy, see lock-contention.",
			Fix:    "Release the lock before anything that waits: read the file first, then store the result under the lock. Or split the guarded data: a lock for each key, shard or connection.",
			Before: "c.mu.Lock()\ndefer c.mu.Unlock()\nif c.rows[key] == nil {\n\tc.rows[key] = load(key) // waits for the disk\n}",
			After:  "c.mu.Lock()\nrow := c.rows[key]\nc.mu.Unlock()\nif row == nil {\n\trow = load(key) // others go on\n\tc.mu.Lock()\n\tc.rows[key] = row\n\tc.mu.Unlock()\n}",
		},
		Evidence:  []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceMutex, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential: []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceMutex},
		Outranks:  []string{"lock-contention"},
		Find:      find,
	}
}

func find(s *diagnose.Subject) (out []diagnose.Claim) {
	t := s.Trace
	locks := lockheld.Locks(s)
	for _, w := range s.OwnWaits() {
		if !w.ForLock() || w.Count < fewest || t.Processors < 2 || float64(w.SpareNs) < least*float64(t.SpanNs) {
			continue
		}
		// One without a section that is known may be held by who waits for work.
		i := slices.IndexFunc(locks, func(l lockheld.Lock) bool { return l.Inside == "" && l.Place.Holds(w.Place.File, w.Place.Line) })
		if i < 0 {
			continue
		}
		l, share := &locks[i], min(float64(w.SpareNs)/float64(t.SpanNs), 1)
		name := l.Name
		if name == "" {
			name = "the lock"
		}
		out = append(out, diagnose.Claim{
			Place: w.Place, Cost: diagnose.Samples{Mutex: l.Delay.Keep()}, Wait: share, Confidence: finding.High,
			Why:    fmt.Sprintf("For %s of the trace at least one of %d processors was idle while goroutines waited for %s.", quantity.Percent(share), t.Processors, name),
			Remedy: fmt.Sprintf("Move everything that waits, and all work that needs no lock, out of %s; or split the data it guards: a lock for each key, shard or connection.", name),
			Evidence: append([]finding.Evidence{{Kind: "trace", Text: fmt.Sprintf("%s here in %s of the trace, of %s each on average: %.1f goroutines waited at a time",
				quantity.Plural(int(w.Count), "wait"), quantity.Nanoseconds(float64(t.SpanNs)), quantity.Nanoseconds(float64(w.Ns)/float64(w.Count)), float64(w.Ns)/float64(t.SpanNs))}}, l.Evidence...),
		})
	}
	return out
}
