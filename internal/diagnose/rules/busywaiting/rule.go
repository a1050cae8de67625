package busywaiting

import (
	"fmt"
	"go/ast"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// least is the share of the CPU time that the loop must take. What the scheduler does
// for a loop that lets others run in between is no part of it.
const least = 0.1

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "busy-waiting",
		Title: "a loop that spins until another goroutine acts",
		Doc: diagnose.Doc{
			What:   "A loop that only polls takes a tenth of the CPU time or more: it loads an atomic, tries a lock, or runs a select statement with an empty default, with or without runtime.Gosched.",
			Why:    "The loop keeps a processor busy that another goroutine, perhaps the one it waits for, could use. Gosched only moves the goroutine to the end of the run queue, and it soon runs again.",
			Silent: "For loops that count their rounds; for loops that change state, as the retries of a lock-free queue do; for loops that sleep or block; below a tenth of the CPU time, not counting the scheduler's work for runtime.Gosched; without type information.",
			Fix:    "Wait on a closed channel, a sync.WaitGroup, a sync.Cond or a Mutex. Remove the default case of the select statement.",
			Before: "for !done.Load() {\n\truntime.Gosched()\n}",
			After:  "<-done // closed by the goroutine that sets it",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// spin is a loop with its samples.
type spin struct {
	loop    *ast.ForStmt
	place   diagnose.Location
	samples []diagnose.Keep
}

func find(s *diagnose.Subject) (out []diagnose.Claim) {
	var spins []*spin
	for _, p := range s.OwnSamples(nil) {
		pkg := s.PackageOf(p.Place.File)
		st := s.Statement(p.Place.File, p.Place.Line)
		loop, ok := st.Node.(*ast.ForStmt)
		if !ok {
			loop, ok = st.Loop.(*ast.ForStmt)
		}
		if !ok || pkg == nil || !spinsIn(pkg, loop) {
			continue
		}
		var of *spin
		for _, o := range spins {
			if o.loop == loop {
				of = o
			}
		}
		if of == nil {
			head := s.Statement(p.Place.File, s.LineAt(loop.Pos()))
			of = &spin{loop: loop, place: head.Place(p.Place.Function)}
			spins = append(spins, of)
		}
		of.samples = append(of.samples, p.Keep())
	}
	for _, of := range spins {
		keep := func(i int) bool {
			for _, k := range of.samples {
				if k != nil && k(i) {
					return true
				}
			}
			return false
		}
		share := s.CPUShare(keep)
		if share < least {
			continue
		}
		out = append(out, diagnose.Claim{
			Place: of.place, Cost: diagnose.Samples{CPU: keep}, Confidence: finding.High,
			Why:      fmt.Sprintf("%s of the CPU time goes into polling for another goroutine, which may be waiting for this very processor.", quantity.Percent(share)),
			Remedy:   "Block the goroutine until there is something to do: on a channel that is closed, a sync.WaitGroup, a sync.Cond or a Mutex.",
			Evidence: s.CPUEvidence(keep, "are in this loop, which only polls"),
		})
	}
	return out
}
