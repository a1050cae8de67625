package regexpcompile

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "regexp-compile",
		Title: "a regular expression compiled in every call",
		Doc: diagnose.Doc{
			What:   "A statement calls regexp.Compile, MustCompile (or their POSIX forms), MatchString, Match or MatchReader again and again with a pattern that does not change: a constant, a package variable, an element of a constant list, a value that the surrounding loop does not change, or a constant passed by the callers. At one of the first three hot places, if no other rule reports it and compiling takes 15 % of the time or more, the rule also reports, with low confidence, patterns that functions build from package variables or without arguments.",
			Why:    "Compiling parses the pattern, simplifies it and builds a program for the matcher: that takes microseconds and dozens of allocations, often more than the matching that follows.",
			Silent: "When the pattern comes from the caller's data (whether a bounded cache of compiled expressions pays depends on the number of distinct patterns); when the compilation runs once (in a package variable, init, sync.Once or sync.OnceValue, setup) or the evidence does not show that it is repeated; for the matching itself; for a constant pattern that package strings or a loop can replace, where regexp-replace covers both; without type information.",
			Fix:    "Use a package variable, var re = regexp.MustCompile(…), or sync.OnceValue if it is rarely needed; compile before the loop if the pattern varies between calls.",
			Before: "func isOrder(s string) bool {\n\tok, _ := regexp.MatchString(`^ORD-\\d{6}$`, s)\n\treturn ok\n}",
			After:  "var order = regexp.MustCompile(`^ORD-\\d{6}$`)\n\nfunc isOrder(s string) bool { return order.MatchString(s) }",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Outranks:   []string{"made-per-call"},
		Find:       find,
		At:         at,
	}
}

var compiles = []string{"regexp.Compile", "regexp.MustCompile", "regexp.CompilePOSIX", "regexp.MustCompilePOSIX"}

var matches = []string{"regexp.MatchString", "regexp.Match", "regexp.MatchReader"}

func find(s *diagnose.Subject) []diagnose.Claim {
	var claims []diagnose.Claim
	for _, p := range repeated.Find(s, repeated.Search{
		Function: func(fn string) bool { return slices.Contains(compiles, fn) || slices.Contains(matches, fn) },
		Fixed:    func(c typed.Site) typed.FixedArgument { return c.FixedAt(0) },
		Part:     part,
	}) {
		if p.Repeated(false) {
			claims = append(claims, claim(p))
		}
	}
	return claims
}

// at is about a hot place that compiles in each call, whatever the pattern. It claims
// one that the program makes by itself, of which nothing shows that it is the same each
// time, and only says the cause where callers decide.
func at(s *diagnose.Subject, spot *diagnose.Spot) (j diagnose.Judgement) {
	for _, p := range repeated.Find(s, repeated.Search{
		Function: func(fn string) bool { return slices.Contains(compiles, fn) || slices.Contains(matches, fn) },
		Fixed:    func(typed.Site) typed.FixedArgument { return typed.FixedArgument{By: typed.FixedConst} },
		Part:     part,
	}) {
		lines := func(line int) bool { return p.At.First <= line && line <= p.At.Last }
		share, spent := s.CPUShare(p.Avoidable.CPU), s.CPUShare(spot.Cost.CPU.Keep())
		if p.At.File != spot.File || !slices.ContainsFunc(spot.Lines, lines) || share < diagnose.LeastAsked || share < spent/2 || !p.Repeated(false) {
			continue
		}
		why := fmt.Sprintf("%s compiles a regular expression in every call, which takes %s of the time.", strings.Join(p.ShortNames(), " and "), quantity.Percent(share))
		if slices.ContainsFunc(s.Sites(p.At), func(c typed.Site) bool {
			return slices.Contains(p.Names, c.Callee()) && (len(c.Args) == 0 || ofCaller(c.In, c.Args[0], 0))
		}) {
			return diagnose.Judgement{Cause: why}
		}
		return diagnose.Judgement{Cause: why, Claim: &diagnose.Claim{
			Place: p.Place(), Cost: p.Cost, Avoidable: p.Avoidable, Confidence: finding.Low, Why: why,
			Remedy:   "Compile it once, at a point after which its pattern does not change: in a package variable, or with sync.OnceValue if it is rarely needed.",
			Evidence: append(s.CPUEvidence(p.Cost.CPU, "are in "+strings.Join(p.ShortNames(), ", ")), s.AllocEvidence(p.Cost.Allocs)...),
		}}
	}
	return j
}

// ofCaller reports whether a pattern holds what a call is given, or what cannot be told:
// anything but constants, package variables, what functions return for these, and local
// variables that are set once to such.
func ofCaller(p *typed.Package, pattern ast.Expr, depth int) (found bool) {
	ast.Inspect(pattern, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found {
			return !found
		}
		v := p.Var(id)
		if v == nil || typed.Global(v) {
			return true
		}
		value := p.SetOnce(v)
		found = v.IsField() || value == nil || depth == 8 || ofCaller(p, value, depth+1)
		return true
	})
	return found
}

// part leaves the matching out of what is avoidable.
func part(c *hot.Classified, below []callstack.FrameID) (cost, avoidable bool) {
	if !slices.Contains(matches, c.Frame(below[len(below)-1]).Function) {
		return true, true
	}
	return true, slices.ContainsFunc(below, func(id callstack.FrameID) bool {
		return slices.Contains(compiles, c.Frame(id).Function)
	})
}

func claim(p *repeated.CallSite) diagnose.Claim {
	return diagnose.Claim{
		Place: p.Place(), Cost: p.Cost, Avoidable: p.Avoidable, Confidence: p.Confidence(),
		Why:      fmt.Sprintf("%s compiles a regular expression in every call, and %s.", strings.Join(p.ShortNames(), " and "), p.Reason()),
		Remedy:   remedy(p),
		Evidence: p.Evidence(),
	}
}

func remedy(p *repeated.CallSite) string {
	const rarely = " If it is rarely needed, sync.OnceValue compiles it on first use."
	use := ""
	if slices.ContainsFunc(p.Names, func(n string) bool { return slices.Contains(matches, n) }) {
		use = ", and call its method of the same name"
	}
	switch {
	case p.Handed:
		return "Take a *regexp.Regexp in place of the pattern, and let each caller compile its own once, in a package variable" + use + "."
	case p.By == typed.FixedElement:
		return fmt.Sprintf("Compile the %d patterns once, into a package variable of type []*regexp.Regexp%s.", p.Of, use) + rarely
	case p.By == typed.FixedLoop:
		return "Compile it once before the loop" + use + "."
	}
	return "Compile it once, in a package variable: var re = regexp.MustCompile(…)" + use + "." + rarely
}
