package diagnose

import (
	"slices"

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
	c := w.claim.Confidence
	if c == "" {
		c = finding.High
	}
	if w.claim.Leak != nil {
		return c
	}
	p := w.claim.Place
	if !s.Statement(p.File, p.Line).Known {
		c = lower(c, finding.Medium)
	}
	// Allocations of a benchmark are counted; those of programs are sampled.
	byCount := w.cost.alloc >= Threshold && s.isBenchmark()
	switch cost := w.claim.Cost; {
	case byCount:
	case w.claim.aboutWaits():
		if s.contentions(cost.Mutex) < fewContentions {
			c = lower(c, finding.Medium)
		}
	case s.CPUSamples(cost.CPU) < fewSamples:
		c = lower(c, finding.Medium)
	}
	if s.CPU != nil && !s.CPU.LoopsKnown {
		c = lower(c, finding.Medium)
	}
	switch {
	case !w.cost.few:
	case byCount:
		c = lower(c, finding.Medium) // the bytes stand, the share of time is rough
	default:
		c = lower(c, finding.Low)
	}
	return c
}

// lower returns the weaker of two confidences.
func lower(a, b finding.Confidence) finding.Confidence {
	order := []finding.Confidence{finding.Low, finding.Medium, finding.High}
	return order[max(0, min(slices.Index(order, a), slices.Index(order, b)))]
}
