package comparedtext

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/results"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "compared-text",
		Title: "a text made only to be compared",
		Doc: diagnose.Doc{
			What:   "A statement makes a text with strings.ToLower or ToUpper, time.Time.Format, strconv.Itoa, FormatInt or FormatUint, or hex.EncodeToString, and all that ever sees it is == or !=.",
			Why:    "The text is allocated and filled, and dropped when it was compared; what it is made of can be compared as it is.",
			Silent: "When anything else sees the text, in any branch: another function, a map's key, a switch, an order (<); for a text in one case that is compared with anything but another of the same function or a constant in that case; for other functions; for conversions, which the compiler compares without making them.",
			Fix:    "strings.EqualFold; Date or Equal of the times; the numbers or bytes themselves: the finding names the one.",
			Before: "if strings.ToLower(name) == strings.ToLower(wanted) {",
			After:  "if strings.EqualFold(name, wanted) {",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

const (
	fold    = "Use strings.EqualFold, which makes no text. It compares by Unicode's folding, under which a few letters are equal that ToLower and ToUpper tell apart: the Kelvin sign and k, ſ and s."
	numbers = "Compare the numbers: parse the other side once, where it is made. Parsing takes 007 and +7 for 7, which are no such text."
)

var instead = map[string]string{
	"strings.ToLower":             fold,
	"strings.ToUpper":             fold,
	"time.Time.Format":            "Compare what the layout shows: Year, YearDay or Date of the times, or the times themselves with Equal, in one zone; parse a constant once.",
	"strconv.Itoa":                numbers,
	"strconv.FormatInt":           numbers,
	"strconv.FormatUint":          numbers,
	"encoding/hex.EncodeToString": "Compare the bytes: decode the other side once, which takes capital letters too, and use bytes.Equal, or of secrets subtle.ConstantTimeCompare.",
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	known := func(name string) bool { return instead[name] != "" }
	for _, p := range results.Find(s, results.Search{Function: known, All: known, Use: compared}) {
		claims = append(claims, p.Claim(s, "makes a text, and the program compares it and drops it.", instead[p.Callee]))
	}
	return claims
}

func compared(pkg *typed.Package, use ast.Expr) bool {
	e, ok := pkg.Parent(use).(*ast.BinaryExpr)
	if !ok || e.Op != token.EQL && e.Op != token.NEQ {
		return false
	}
	made, other := use, e.Y
	if other == use {
		other = e.X
	}
	if v := pkg.Var(use); v != nil {
		values, known := pkg.SetTo(v)
		if !known || len(values) != 1 {
			return false
		}
		made = values[0]
	}
	return folds(pkg, made, other)
}

// folds reports whether a text can be compared without its case changed: one that
// strings.ToLower or ToUpper made with another of the same, or with a constant that
// it leaves as it is. What other functions made is compared as it is.
func folds(pkg *typed.Package, made, other ast.Expr) bool {
	name := calledIn(pkg, made)
	convert := map[string]func(string) string{"strings.ToLower": strings.ToLower, "strings.ToUpper": strings.ToUpper}[name]
	if convert == nil || calledIn(pkg, other) == name {
		return true
	}
	v := pkg.Info.Types[other].Value
	return v != nil && v.Kind() == constant.String && constant.StringVal(v) == convert(constant.StringVal(v))
}

func calledIn(pkg *typed.Package, e ast.Expr) string {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return pkg.Called(call)
	}
	return ""
}
