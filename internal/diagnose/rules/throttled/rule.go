package throttled

import (
	"fmt"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// least is the part of the wall time for which the group must have been held back.
const least = 0.1

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "throttled",
		Title: "the control group holds the process back",
		Doc: diagnose.Doc{
			What:   "The control group kept a program or service from running for a tenth of the wall time and more, summed over processors: its CPU limit is too low for what it does. The statement is the one with the most CPU time.",
			Why:    "A group that has used its share of a period, 100 ms, stands still until the next begins, with all its goroutines: whoever asks waits that long, whatever its work.",
			Silent: "For benchmarks; where the control group's counter is not known, or it was held back for less; without a CPU profile.",
			Fix:    "Raise the CPU limit, or do less. Let GOMAXPROCS be the limit, rounded up, as Go does by itself from 1.25 on where nobody sets it: more threads than that use the share up at once, and then stand still together.",
			Before: "env GOMAXPROCS=16 ./server # with a limit of 2 CPUs",
			After:  "./server # GOMAXPROCS is 2",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceSource},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	run := s.Run
	if run == nil || run.ThrottledNs == nil || run.TargetCPUNs == nil || run.WallNs <= 0 || float64(*run.ThrottledNs) < least*float64(run.WallNs) {
		return nil
	}
	var best *diagnose.LocationSamples
	places := s.OwnSamples(nil)
	for i := range places {
		if p := &places[i]; best == nil || s.CPUSamples(p.Keep()) > s.CPUSamples(best.Keep()) {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	held := float64(*run.ThrottledNs)
	share := held / (held + float64(*run.TargetCPUNs))
	return []diagnose.Claim{{
		Place: best.Place, Cost: diagnose.Samples{CPU: best.Keep()}, Wait: share, Confidence: finding.High,
		Why:    fmt.Sprintf("Of the CPU time that the process asked for, its control group withheld %s; no statement asks for more than this one, %s of it.", quantity.Percent(share), quantity.Percent(s.CPUShare(best.Keep()))),
		Remedy: remedy(s),
		Evidence: append([]finding.Evidence{{Kind: "cgroup", Text: fmt.Sprintf("the control group kept the process from running for %s, summed over processors, in %s, in which it had %s of CPU time",
			quantity.Nanoseconds(held), quantity.Nanoseconds(float64(run.WallNs)), quantity.Nanoseconds(float64(*run.TargetCPUNs)))}}, s.CPUEvidence(best.Keep(), "are in this statement, the most of all")...),
	}}
}

// remedy names GOMAXPROCS where it is larger than what the group lets through.
func remedy(s *diagnose.Subject) string {
	text := "Raise the CPU limit of the control group, or do less here."
	if t := s.Trace; t != nil && s.Run.Cores > 0 && t.Processors > s.Run.Cores {
		text += fmt.Sprintf(" GOMAXPROCS is %d and the limit %d: let Go set it by the limit.", t.Processors, s.Run.Cores)
	}
	return text
}
