package objectpercall

import "whet/internal/diagnose"

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "object-per-call",
		Title: "an object built for every call",
		Doc: diagnose.Doc{
			What:   "A statement builds the same object in every call and drops it: a constructor of the program's own or of another module with constant arguments or none, whose result is only asked by its methods. Or it calls a function that builds large working memory inside and has a form that keeps it: image/png.Encode, math/rand.NewSource, opentype.NewFace.",
			Why:    "Parsing, tables and working memory are paid for in each call: a PNG encoder alone takes some 800 KB, a source of math/rand is seeded with 607 words.",
			Silent: "When an argument varies; when the object is kept, returned, stored, handed on or changed through its fields; when it is built once or seldom (a pool, sync.Once, set-up); when its construction asks for the time, random numbers, files or connections, or takes a lock; about constructors of the standard library but for those named (constant-work, regexp-compile and buffer-per-call know them); when its methods change it and give parts of it away; about the encoding or drawing itself.",
			Fix:    "Build it once and share it, or keep it in a sync.Pool where its methods change it.",
			Before: "rules := loadRules() // parses what is embedded\nif rules.Match(path) {\n\t…\n}",
			After:  "var rules = sync.OnceValue(loadRules)\n\nif rules().Match(path) {\n\t…\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"buffer-per-call"},
		Find:       func(s *diagnose.Subject) []diagnose.Claim { return append(built(s), hidden(s)...) },
	}
}
