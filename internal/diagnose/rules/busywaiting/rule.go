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
		Title: "a loop that spins until another goroutine has done something",
		Doc: diagnose.Doc{
			What:   "A loop that does nothing but look: it loads an atomic, tries a lock, asks a channel by a select statement with an empty default, with or without runtime.Gosched, and takes a tenth of the CPU time and more.",
			Why:    "The processor is busy and nothing is done; the goroutine that is waited for may be the one that wants it. Gosched only sends the goroutine to the end of the queue, from where it comes back at once.",
			Silent: "For loops that count their rounds; that change anything, as the retries of a lock-free queue do; that sleep or wait for anything; below a tenth of the CPU time, in which what the scheduler does for runtime.Gosched is not counted; without types of the source.",
			Fix:    "Wait for a channel to be closed, a sync.WaitGroup, a sync.Cond or a Mutex. Leave out the default of the select statement.",
			Before: "for !done.Load() {\n\truntime.Gosched()\n}",
			After:  "<-done // closed by who sets it",
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
			Why:      fmt.Sprintf("%s of the CPU time goes into looking whether another goroutine is done, which may wait for this very processor.", quantity.Percent(share)),
			Remedy:   "Let the goroutine wait: for a channel that is closed, a sync.WaitGroup, a sync.Cond or a Mutex. It is woken when there is something to do.",
			Evidence: s.CPUEvidence(keep, "are in this loop, which changes nothing"),
		})
	}
	return out
}
