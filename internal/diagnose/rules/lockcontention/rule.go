package lockcontention

import (
	"fmt"

	"whet/internal/diagnose"
	"whet/internal/diagnose/rules/lockheld"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "lock-contention",
		Title: "a contended lock",
		Doc: diagnose.Doc{
			What:   "Goroutines wait for a sync.Mutex or RWMutex at least 100 times, and for a tenth of the time of a request or an operation (in a program, of the run's wall time, and of that delay and its CPU time together).",
			Why:    "Only one goroutine at a time runs a critical section. However many processors there are, one of them does the work under the lock, and all other goroutines queue.",
			Silent: "Where no mutex profile was recorded, as in benchmarks with one goroutine; where lock-held reports the same lock; where workers hold the lock while they wait for their next job; for channels and conditions, which the mutex profile does not cover; for sync.Once, sync.Map and sync.Pool; for locks that the user's own code does not take.",
			Fix:    "Do less while the lock is held: compute before, and publish the result under it. If each holder needs only part of the guarded data, split it: a lock for each shard, key or connection. If most goroutines only read, use an RWMutex or an atomic pointer to a copy; for counters, use atomics.",
			Before: "s.mu.Lock()\nr := render(s.items[key])\ns.last[key] = r\ns.mu.Unlock()",
			After:  "s.mu.Lock()\nitem := s.items[key]\ns.mu.Unlock()\nr := render(item)\ns.mu.Lock()\ns.last[key] = r\ns.mu.Unlock()",
		},
		Evidence:  []diagnose.EvidenceKind{diagnose.EvidenceMutex, diagnose.EvidenceBlock, diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential: []diagnose.EvidenceKind{diagnose.EvidenceMutex},
		Find:      find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	var out []diagnose.Claim
	for _, l := range lockheld.Locks(s) {
		confidence := finding.High
		if l.Held == nil {
			confidence = finding.Medium
		}
		out = append(out, diagnose.Claim{
			Place: l.Place, Cost: diagnose.Samples{Mutex: l.Delay.Keep()}, Confidence: confidence,
			Why:      "Goroutines queue for this lock: the work under it sets the pace for all of them, and more processors do not help.",
			Remedy:   remedy(s, &l),
			Evidence: l.Evidence,
		})
	}
	return out
}

func remedy(s *diagnose.Subject, l *lockheld.Lock) string {
	switch {
	case l.Inside != "":
		return fmt.Sprintf("The lock is inside %s. Call it less often, for example once for many items, or give each goroutine its own value to call it on.", l.Inside)
	case len(l.Held) == 0:
		return "Do less while the lock is held, or split the data it guards: a lock for each shard, key or connection."
	case l.Read:
		return fmt.Sprintf("Readers hold %s across %s, and a writer waits for all of them. Copy the needed data under the lock and work on the copy, or publish the guarded value through an atomic pointer.", l.Name, lines(l.Held))
	}
	if at, share, ok := s.MostUnder(l.Under.Keep()); ok {
		return fmt.Sprintf("%s of the CPU time while %s is held (%s) is spent at %s. Do that before Lock or on a copy after Unlock; or split the data it guards: a lock for each shard, key or connection.", quantity.Percent(share), l.Name, lines(l.Held), s.At(at))
	}
	if of := lockheld.LoopsText(l.Loops); of != "" {
		return fmt.Sprintf("While %s is held (%s), CPU time is spent in loops: %s. Run them before Lock or on a copy after Unlock; or split the data it guards: a lock for each shard, key or connection.", l.Name, lines(l.Held), of)
	}
	return fmt.Sprintf("No single call dominates the work while %s is held (%s). Do less there: compute before Lock or on a copy after Unlock; or split the data it guards: a lock for each shard, key or connection.", l.Name, lines(l.Held))
}

// lines names the held lines from the first to the last.
func lines(held []diagnose.Location) string {
	first, last := held[0].Line, held[len(held)-1].EndLine
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}
