package densemap

import (
	"fmt"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/collections"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "dense-map",
		Title: "a map where a slice indexed by number serves",
		Doc: diagnose.Doc{
			What:   "A variable or unexported field is a map whose keys are pointers to all elements of a collection, or map to consecutive numbers, or are the numbers of a counted loop.",
			Why:    "Each lookup hashes the key and probes the map's memory. The map stores keys, control bytes and empty slots beside the values, and is rebuilt several times as it grows. With a number, a lookup is one load from a slice.",
			Silent: "For keys that are strings, structs or interfaces; for sets (values of bool or struct{}), see collection-per-call; for maps that are filled conditionally or from which keys are deleted; for numbers where keys other than a loop's counter are set too; for pointers to types of other modules, to which you cannot add a field; for a map that comes from elsewhere or is passed on (a result, another variable, an argument of a function with other callers), exported fields and exported variables; where a line uses several maps; without type information.",
			Fix:    "Give the element's type a number, and keep the values in a slice indexed by it, or in a field of the element if one user at a time needs them. For keys that are numbers, use a slice.",
			Before: "at := make(map[*Room]int)\nfor i, r := range rooms { at[r] = i }\n… at[door.To]",
			After:  "for i, r := range rooms { r.number = i }\n… door.To.number",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		// That such a map could be kept and cleared is the lesser advice.
		Outranks: []string{"collection-per-call"},
		Find:     find,
	}
}

// slotsOfValues is the share of a map's memory that a slice of its values does
// without: keys, control bytes, a slot in eight that stays empty at least, and
// the tables that were outgrown. It is the least of pointers or words as keys of
// values no larger than they are; values that are larger need more of their
// memory, and then outgrown tables alone are half.
const slotsOfValues = 0.5

func find(s *diagnose.Subject) []diagnose.Claim {
	var claims []diagnose.Claim
	for _, p := range collections.Find(s) {
		for _, c := range p.Collections {
			if claim, ok := claimed(s, p, c); ok {
				claims = append(claims, claim)
			}
		}
	}
	return claims
}

func claimed(s *diagnose.Subject, p *collections.Package, c *collections.Collection) (diagnose.Claim, bool) {
	m, ok := typed.Under[*types.Map](c.Var.Type())
	if !ok || collections.IsSet(m) || c.Maps.Len()+c.Heap.Len() == 0 || c.Leaks() || c.Var.Exported() || c.Owner == nil && !c.Local() && !typed.Global(c.Var) {
		return diagnose.Claim{}, false
	}
	cleared := slices.ContainsFunc(c.Uses, func(u collections.Use) bool { return u.Kind == collections.Reset && u.Value == nil && u.Map })
	made := slices.IndexFunc(c.Uses, func(u collections.Use) bool { return u.Kind == collections.Make && u.Depth == 0 })
	if cleared || made < 0 || c.Has(collections.Delete, collections.Literal) || !c.Has(collections.Get, collections.Range) {
		return diagnose.Claim{}, false
	}
	d := densityOf(s, p, c, m)
	if d == nil {
		return diagnose.Claim{}, false
	}
	half := diagnose.Portion(s.Allocs, s.AllocCol, &c.Heap, slotsOfValues)
	claim := diagnose.Claim{
		Place:      p.Place(c.Uses[made]),
		Cost:       diagnose.Samples{CPU: c.Maps.Keep(), Allocs: c.Heap.Keep()},
		Avoidable:  diagnose.Samples{CPU: c.Maps.Has, Allocs: half.Keep()},
		Confidence: d.confidence,
		Why:        d.why,
		Remedy:     d.remedy,
		Evidence:   s.CPUEvidence(c.Maps.Keep(), "are operations on this map"),
	}
	if share := s.AllocShare(claim.Cost.Allocs); share > 0 {
		_, perOp := s.AllocBytes(claim.Cost.Allocs)
		claim.Evidence = append(claim.Evidence, finding.Evidence{Kind: "allocs", Text: fmt.Sprintf("%s of the base's allocated bytes are its tables%s; a slice needs at most half of them",
			quantity.Percent(share), s.PerIteration(perOp))})
	}
	claim.Evidence = append(claim.Evidence, finding.Evidence{Kind: "source", Text: d.evidence})
	return claim, true
}
