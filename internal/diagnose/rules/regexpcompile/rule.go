package regexpcompile

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "regexp-compile",
		Title: "a regular expression compiled in every call",
		Doc: diagnose.Doc{
			What:   "A statement calls regexp.Compile, MustCompile (or their POSIX forms), MatchString, Match or MatchReader again and again with a pattern that does not change: a constant, a package variable, one of a list of constants, something the loop around it does not change, or what its callers give it as a constant.",
			Why:    "Compiling parses the pattern, simplifies it and builds a program for the matcher: microseconds and dozens of allocations, often more than the matching that follows.",
			Silent: "When the pattern comes from the caller's data (whether a bounded cache of compiled expressions pays, only the number of different ones can tell); when the compilation runs once (in a package variable, init, sync.Once or sync.OnceValue, set-up) or cannot be seen to be repeated; for the matching itself; for a constant pattern that package strings or a loop can do without, where the rule regexp-replace speaks of both; without types.",
			Fix:    "A package variable, var re = regexp.MustCompile(…), or sync.OnceValue where it is rarely needed; before the loop, where the pattern changes from call to call.",
			Before: "func isOrder(s string) bool {\n\tok, _ := regexp.MatchString(`^ORD-\\d{6}$`, s)\n\treturn ok\n}",
			After:  "var order = regexp.MustCompile(`^ORD-\\d{6}$`)\n\nfunc isOrder(s string) bool { return order.MatchString(s) }",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Outranks:   []string{"made-per-call"},
		Find:       find,
	}
}

var compiles = []string{"regexp.Compile", "regexp.MustCompile", "regexp.CompilePOSIX", "regexp.MustCompilePOSIX"}

var matches = []string{"regexp.MatchString", "regexp.Match", "regexp.MatchReader"}

func find(s *diagnose.Subject) []diagnose.Claim {
	var claims []diagnose.Claim
	for _, p := range repeated.Find(s, repeated.Search{
		Function: func(fn string) bool { return slices.Contains(compiles, fn) || slices.Contains(matches, fn) },
		Fixed:    func(c typed.Site) typed.Fixed { return c.FixedAt(0) },
		Part:     part,
	}) {
		if p.Repeated(false) {
			claims = append(claims, claim(p))
		}
	}
	return claims
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

func claim(p *repeated.Place) diagnose.Claim {
	return diagnose.Claim{
		Place: p.Place(), Cost: p.Cost, Avoidable: p.Avoidable, Confidence: p.Confidence(),
		Why:      fmt.Sprintf("%s compiles a regular expression in every call, and %s.", strings.Join(p.ShortNames(), " and "), p.Reason()),
		Remedy:   remedy(p),
		Evidence: p.Evidence(),
	}
}

func remedy(p *repeated.Place) string {
	const rarely = " Where it is rarely needed, sync.OnceValue compiles it when it is first asked for."
	use := ""
	if slices.ContainsFunc(p.Names, func(n string) bool { return slices.Contains(matches, n) }) {
		use = ", and call its method of the same name"
	}
	switch {
	case p.Handed:
		return "Take a *regexp.Regexp in place of the pattern, and let each caller compile its own once, in a package variable" + use + "."
	case p.By == typed.FixedElement:
		return fmt.Sprintf("Compile the %d patterns once, into a package variable that holds a slice of *regexp.Regexp%s.", p.Of, use) + rarely
	case p.By == typed.FixedLoop:
		return "Compile it once before the loop" + use + "."
	}
	return "Compile it once, in a package variable: var re = regexp.MustCompile(…)" + use + "." + rarely
}
