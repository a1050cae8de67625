package objectpercall

import "whet/internal/diagnose"

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "object-per-call",
		Title: "an object built for every call",
		Doc: diagnose.Doc{
			What:   "A statement builds the same object in every call and drops it: a constructor of the program or of another module takes constant arguments or none, and the program only calls methods of the result. Or the statement calls a function that allocates large working memory inside and has a variant that reuses it: image/png.Encode, math/rand.NewSource, opentype.NewFace.",
			Why:    "Each call pays for parsing, tables and working memory: a PNG encoder alone takes some 800 KB, and seeding a source of math/rand fills 607 words.",
			Silent: "When an argument varies; when the object is kept, returned, stored, passed on or changed through its fields; when it is built once or seldom (a pool, sync.Once, setup); when its construction reads the time, random numbers, files or connections, or takes a lock; for other constructors of the standard library, see constant-work, regexp-compile and buffer-per-call; when its methods change it and return parts of it; for the encoding or drawing itself.",
			Fix:    "Build it once and share it, or keep it in a sync.Pool if its methods change it.",
			Before: "rules := loadRules() // parses an embedded file\nif rules.Match(path) {\n\t…\n}",
			After:  "var rules = sync.OnceValue(loadRules)\n\nif rules().Match(path) {\n\t…\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"buffer-per-call"},
		Find:       func(s *diagnose.Subject) []diagnose.Claim { return append(built(s), hidden(s)...) },
	}
}
