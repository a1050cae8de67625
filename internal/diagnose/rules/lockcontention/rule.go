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
		Title: "a lock that many wait for",
		Doc: diagnose.Doc{
			What:   "A sync.Mutex or RWMutex that other goroutines wait for at least 100 times, and for a tenth of the time of a request or an operation (of a program: of the run's wall time, and of that delay and its CPU time together).",
			Why:    "Only one goroutine at a time gets through a critical section. However many processors there are, the work under the lock is done by one of them, and everybody else waits in line.",
			Silent: "Where no mutex profile was recorded, as in benchmarks with one goroutine; where lock-held has a finding at the same lock; where workers hold the lock while they wait for their next job; for channels and conditions, which the mutex profile does not know; for sync.Once, sync.Map and sync.Pool; for locks that no line of the user's own code leads to.",
			Fix:    "Do less while the lock is held: compute before, and publish the result under it. Where each holder needs only a part of what the lock guards, divide it: a lock for each shard, key or connection. Where most only read, use an RWMutex or an atomic pointer to a copy; where it counts, an atomic.",
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
			Why:      "Goroutines wait in line for this lock: what runs while it is held sets the pace of all of them, and more processors do not help.",
			Remedy:   remedy(s, &l),
			Evidence: l.Evidence,
		})
	}
	return out
}

func remedy(s *diagnose.Subject, l *lockheld.Lock) string {
	switch {
	case l.Inside != "":
		return fmt.Sprintf("The lock is inside %s. Call it less often, as once for many items, or give each goroutine a value of its own to call it on.", l.Inside)
	case len(l.Held) == 0:
		return "Do less while the lock is held, or divide what it guards: a lock for each shard, key or connection."
	case l.Read:
		return fmt.Sprintf("Readers hold %s across %s, and a writer waits for all of them. Copy the needed data under the lock and work on the copy, or publish the guarded value through an atomic pointer.", l.Name, lines(l.Held))
	}
	if at, share, ok := s.MostUnder(l.Under.Keep()); ok {
		return fmt.Sprintf("%s of the CPU time while %s is held (%s) is spent at %s. Do that before Lock or on a copy after Unlock; or divide what it guards: a lock for each shard, key or connection.", quantity.Percent(share), l.Name, lines(l.Held), s.At(at))
	}
	if of := lockheld.LoopsText(l.Loops); of != "" {
		return fmt.Sprintf("While %s is held (%s), CPU time is spent in loops: %s. Do that before Lock or on a copy after Unlock; or divide what it guards: a lock for each shard, key or connection.", l.Name, lines(l.Held), of)
	}
	return fmt.Sprintf("No single call is to blame for what runs while %s is held (%s). Do less there: compute before Lock or on a copy after Unlock; or divide what it guards: a lock for each shard, key or connection.", l.Name, lines(l.Held))
}

// lines names the held lines from the first to the last.
func lines(held []diagnose.Location) string {
	first, last := held[0].Line, held[len(held)-1].EndLine
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}
