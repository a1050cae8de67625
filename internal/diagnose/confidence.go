package diagnose

import (
	"cmp"

	"whet/internal/finding"
)

// fewSamples is the number of a place's own samples below which its share is
// a rough one: the standard deviation of 30 is 5.5, a sixth of it.
const fewSamples = 30

// fewContentions is the same of waits for a lock, which profiles scale up by
// the mutex fraction: with the default of 10 they stand for 30 that were seen.
const fewContentions = 300

// confidence lowers a rule's own confidence where the samples or the source
// do not carry it.
func (s *Subject) confidence(w *weighed) finding.Confidence {
	own, p := cmp.Or(w.claim.Confidence, finding.High), w.claim.Place
	if w.claim.Leak != nil || w.claim.Wait > 0 {
		return own
	}
	rough := !s.Statement(p.File, p.Line).Known || s.CPU != nil && !s.CPU.LoopsKnown
	switch cost := w.claim.Cost; {
	case w.cost.alloc >= Threshold && s.isBenchmark(): // whose allocations are counted; those of programs are sampled
		rough = rough || w.cost.few // the bytes stand, the share of time is rough
	case w.cost.few:
		return finding.Low
	case w.claim.aboutWaits():
		rough = rough || s.contentions(cost.Mutex) < fewContentions
	default:
		rough = rough || s.CPUSamples(cost.CPU) < fewSamples
	}
	if rough && own == finding.High {
		return finding.Medium
	}
	return own
}
