package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/finding"
	"whet/internal/quantity"
)

// fewSamples is the number of a place's own samples below which its share is
// a rough one: the standard deviation of 30 is 5.5, a sixth of it.
const fewSamples = 30

// fewContentions is the same of waits for a lock, which profiles scale up by
// the mutex fraction: with the default of 10 they stand for 30 that were seen.
const fewContentions = 300

// confidence lowers a rule's own confidence where the samples or the source
// do not carry it.
func (s *Subject) confidence(w *weighedClaim) finding.Confidence {
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

// settles names the measurement that would settle what a claim's confidence leaves open;
// "" where it leaves nothing open, or no measurement would.
func (s *Subject) settles(w *weighedClaim) string {
	if w.claim.Leak != nil || w.claim.Wait > 0 || s.confidence(w) == finding.High {
		return ""
	}
	cost := w.claim.Cost
	if own := s.CPUSamples(cost.CPU); !w.claim.aboutWaits() && s.CPU != nil && own > 0 && (w.cost.few || own < fewSamples) {
		return fmt.Sprintf("a longer run would settle the share of time: it rests on %s of %d: %s", quantity.Plural(int(own), "sample"), s.BaseCPUSamples(), s.forMore())
	}
	if n := s.contentions(cost.Mutex); w.claim.aboutWaits() && n < fewContentions {
		return fmt.Sprintf("a longer run would settle the delay: it rests on %s: %s", quantity.Plural(int(n), "wait"), s.forMore())
	}
	if w.claim.Confidence == "" || w.claim.Confidence == finding.High || s.Pool != nil || slices.ContainsFunc(w.claim.Evidence, func(e finding.Evidence) bool { return strings.Contains(e.Text, " would show whether ") }) {
		return ""
	}
	if s.isBenchmark() && strings.HasPrefix(s.Benchmark, "Benchmark") {
		top, _, _ := strings.Cut(s.Benchmark, "/")
		return "the gain depends on the input: with the change in the working tree, whet prove -bench '^" + top + "$' would settle it"
	}
	return "the gain depends on the input: a run before and one after the change, compared by whet diff, would settle it"
}
