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
		Title: "a CPU limit that throttles the process",
		Doc: diagnose.Doc{
			What:   "The control group (cgroup) kept a program or service from running for a tenth of the wall time or more, summed over processors: its CPU limit is too low for its work. The finding is at the statement with the most CPU time.",
			Why:    "A group that has used its quota of a 100 ms period is stopped, with all its goroutines, until the next period begins: every request waits that long, however little work it is.",
			Silent: "For benchmarks; where the control group's counter is unknown, or the process was throttled for less; without a CPU profile.",
			Fix:    "Raise the CPU limit, or do less. Set GOMAXPROCS to the limit, rounded up, which is Go's default from 1.25 on (but at least 2): more threads than that use up the quota early, and then all stop together.",
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
		Why:    fmt.Sprintf("The control group withheld %s of the CPU time that the process asked for; this statement takes the most CPU time, %s of it.", quantity.Percent(share), quantity.Percent(s.CPUShare(best.Keep()))),
		Remedy: remedy(s),
		Evidence: append([]finding.Evidence{{Kind: "cgroup", Text: fmt.Sprintf("the control group kept the process from running for %s, summed over processors, in %s, in which it had %s of CPU time",
			quantity.Nanoseconds(held), quantity.Nanoseconds(float64(run.WallNs)), quantity.Nanoseconds(float64(*run.TargetCPUNs)))}}, s.CPUEvidence(best.Keep(), "are in this statement, the most of all")...),
	}}
}

// remedy names GOMAXPROCS where it is above the group's limit and above 2, the least that
// Go sets for a limit.
func remedy(s *diagnose.Subject) string {
	text := "Raise the CPU limit of the control group, or do less here."
	if t := s.Trace; t != nil && s.Run.Cores > 0 && t.Processors > max(s.Run.Cores, 2) {
		text += fmt.Sprintf(" GOMAXPROCS is %d and the limit is %d: let Go set it from the limit.", t.Processors, s.Run.Cores)
	}
	return text
}
