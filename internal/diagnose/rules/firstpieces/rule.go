package firstpieces

import (
	"go/ast"
	"go/constant"

	"whet/internal/diagnose"
	"whet/internal/diagnose/results"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "first-pieces",
		Title: "a text split into all its pieces for the first of them",
		Doc: diagnose.Doc{
			What:   "A statement splits a text with Split or Fields of package strings or bytes, and all that is used of the pieces is the first, the second or the third, by a constant index: strings.Split(addr, \":\")[0].",
			Why:    "A slice for all pieces is allocated, and all of the text is searched, for a piece that stands at its beginning.",
			Silent: "When anything else sees the pieces: a loop, another function, len, an index that varies or is larger than two; when an element is set; for other functions; about looking for the separators, which stays.",
			Fix:    "strings.Cut, once for each piece, which makes no slice; of words a loop over strings.FieldsSeq that ends at the one that is wanted.",
			Before: "host := strings.Split(addr, \":\")[0]",
			After:  "host, _, _ := strings.Cut(addr, \":\")",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// most is the largest index: of later pieces as many cuts are no gain in clearness.
const most = 2

var instead = map[string]string{
	"strings.Split":  "Take the pieces with strings.Cut, one call for each, which makes no slice. Cut says whether there was a separator at all; an index beyond the pieces panics today, and by an empty separator Split makes characters, Cut nothing.",
	"bytes.Split":    "Take the pieces with bytes.Cut, one call for each, which makes no slice; before append to one, cut its capacity (p[:len(p):len(p)]). Cut says whether there was a separator at all; an index beyond the pieces panics today, and by an empty separator Split makes characters, Cut nothing.",
	"strings.Fields": "End a loop over strings.FieldsSeq(s) at the word that is wanted; it makes no slice. An index beyond the words panics today.",
	"bytes.Fields":   "End a loop over bytes.FieldsSeq(s) at the word that is wanted; it makes no slice. An index beyond the words panics today.",
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	for _, p := range results.Find(s, results.Search{
		Function: func(name string) bool { return instead[name] != "" },
		All:      func(string) bool { return false },
		Use:      early,
	}) {
		claims = append(claims, p.Claim(s, "makes a slice of all pieces, and the program uses the first ones by a constant index.", instead[p.Callee]))
	}
	return claims
}

// early reports whether a use of the pieces reads one of the first.
func early(pkg *typed.Package, use ast.Expr) bool {
	ix, ok := pkg.Parent(use).(*ast.IndexExpr)
	if !ok || ix.X != use || pkg.Written(use) {
		return false
	}
	at := pkg.Info.Types[ix.Index].Value
	if at == nil {
		return false
	}
	n, exact := constant.Int64Val(constant.ToInt(at))
	return exact && n <= most
}
