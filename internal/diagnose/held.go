package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// mostOfHeld is the share of the CPU time spent under a lock from which a
// claim's statement is what the lock is held for. Below it the lock would be
// held nearly as long without the statement, and the lock's delay is not its.
const mostOfHeld = 0.5

// takeOver gives work done under a lock the lock's delay: of the claims whose
// statement runs while the lock is held, the heaviest takes the delay of the
// lock's own claim as its own, and with it its weight and ceiling, where that
// is more than it has. Moving it out of the lock is worth both. It has to hold
// half of the CPU time spent under the lock; how much of the delay goes with
// less than that, nobody can say. And it has to be a finding without the lock:
// where next to nothing of a statement is avoidable, its remedy frees no lock.
//
// Let d be the lock's delay and c the base's CPU time, in nanoseconds: both
// claims have the delay_ratio d / (d + c), the statement has its own cpu_ratio,
// and its ceiling_ratio is that of the larger of its avoidable_cpu_ratio and the
// lock's share of the time (lockWait).
func (s *Subject) takeOver(ws []weighedClaim) {
	for i := range ws {
		lock := &ws[i]
		if len(lock.claim.Held) == 0 || !lock.above || lock.cost.delay == 0 {
			continue
		}
		under := passing(s.CPU, s.CPUColumn, lock.claim.Held)
		var heaviest *weighedClaim
		for j := range ws {
			w := &ws[j]
			if w.claim.aboutWaits() || w.claim.Leak != nil || !w.above || !s.doneUnder(&w.claim, lock.claim.Held, under) {
				continue
			}
			if heaviest == nil || w.heavier(heaviest) {
				heaviest = w
			}
		}
		if heaviest == nil || heaviest.cost.delay >= lock.cost.delay {
			continue
		}
		if all := s.CPUSamples(under); all > 0 {
			part := s.CPUSamples(both(heaviest.claim.Cost.CPU, under))
			if float64(part) < mostOfHeld*float64(all) {
				continue
			}
		}
		heaviest.cost.delay = lock.cost.delay
		heaviest.avoidable.delay = max(heaviest.avoidable.delay, lock.avoidable.delay)
		heaviest.cost.wait = lock.cost.wait
		heaviest.avoidable.wait = max(heaviest.avoidable.wait, lock.avoidable.wait)
		heaviest.underLock = &lock.claim.Place
	}
}

// heavier compares what two claims weigh of their own; on a tie the first by
// place, so that the order of the rules does not matter.
func (w *weighedClaim) heavier(than *weighedClaim) bool {
	p, q := &w.claim.Place, &than.claim.Place
	return cmp.Or(
		cmp.Compare(max(than.cost.cpu, than.cost.alloc), max(w.cost.cpu, w.cost.alloc)),
		cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(w.rule.ID, than.rule.ID),
	) < 0
}

// doneUnder reports whether a claim's statement runs while a lock is held: it
// lies on the held lines, or most of its samples come from there, through
// calls.
func (s *Subject) doneUnder(c *Claim, held []Location, under Keep) bool {
	if slices.ContainsFunc(held, func(h Location) bool {
		return h.File == c.Place.File && h.Line <= c.Place.Line && c.Place.Line <= h.EndLine
	}) {
		return true
	}
	return 2*s.CPUSamples(both(c.Cost.CPU, under)) > s.CPUSamples(c.Cost.CPU)
}

// passing selects the base samples that pass through one of the places' lines.
func passing(c *hot.Classified, column int, places []Location) Keep {
	if c == nil {
		return nil
	}
	held := make([]bool, c.NumFrames())
	for id := range held {
		f := c.Frame(callstack.FrameID(id))
		held[id] = slices.ContainsFunc(places, func(p Location) bool {
			return p.File == f.File && p.Line <= f.Line && f.Line <= p.EndLine
		})
	}
	return baseWhere(c, column, func(stack []callstack.FrameID) bool {
		return slices.ContainsFunc(stack, func(id callstack.FrameID) bool { return held[id] })
	})
}

// fewestUnder is the number of samples that must fall under a lock before the place with
// most of them is named.
const fewestUnder = 20

// MostUnder returns the user's own line with most of the CPU time under a lock, which
// under selects, at or below it, innermost first, and its share of that time. ok is false
// if the samples are few, or no line has half of them.
func (s *Subject) MostUnder(under Keep) (at Location, share float64, ok bool) {
	if s.CPUSamples(under) < fewestUnder {
		return at, 0, false
	}
	sums := make(map[Location]int64)
	EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if !under(sample.Index()) {
			return
		}
		for _, id := range stack {
			if f := s.CPU.Frame(id); s.Own(f) {
				sums[Location{Function: declared(f.Function), File: f.File, Line: f.Line, EndLine: f.Line}] += sample.Value(s.CPUColumn)
				return
			}
		}
	})
	whole := baseSum(s.CPU, s.CPUColumn, under)
	for p, v := range sums {
		if part := ratio(v, whole); part >= mostOfHeld && (part > share || part == share && s.At(p) < s.At(at)) {
			at, share = p, part
		}
	}
	return at, share, share > 0
}

func both(a, b Keep) Keep {
	if a == nil || b == nil {
		return nil
	}
	return func(i int) bool { return a(i) && b(i) }
}

// At returns a place for people: "file:line".
func (s *Subject) At(p Location) string {
	return fmt.Sprintf("%s:%d", s.display(p.File), p.Line)
}
