package regexpreplace

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/finding"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "regexp-replace",
		Title: "a regular expression where package strings is enough",
		Doc: diagnose.Doc{
			What:   "A regular expression replaces, matches, splits or finds a literal, one of a few literals, or characters of a class: ReplaceAllString, ReplaceAll (and their Literal forms), MatchString, Match, Split, FindString, Find and their Index forms, with a constant pattern that is certain to mean no more than that.",
			Why:    "The matcher runs a program for every character and allocates for every replacement; package strings or a loop over the bytes does the same many times faster.",
			Silent: "For patterns that are not constant or of a variable that is set in more than one place; for replacements that refer to the match ($1); for repetition, except removing or matching a run of one class; for alternatives of which one is a prefix of another, where the order matters; for \\b, (?m), (?i) and Unicode classes; for the search for a single literal, which package regexp leaves to package strings itself; without type information.",
			Fix:    "Use the equivalent named in the finding, with exactly the characters of the pattern: \\s is \"\\t\\n\\f\\r \" and no more, whereas strings.TrimSpace and strings.Fields accept more.",
			Before: "var unsafe = regexp.MustCompile(`[<>\"\\s]`)\n\nfunc clean(s string) string { return unsafe.ReplaceAllString(s, \"_\") }",
			After:  "var unsafe = strings.NewReplacer(\"\\t\", \"_\", \"\\n\", \"_\", \"\\f\", \"_\", \"\\r\", \"_\", \" \", \"_\", `\"`, \"_\", \"<\", \"_\", \">\", \"_\")\n\nfunc clean(s string) string { return unsafe.Replace(s) }",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"regexp-compile"},
		Outranks:   []string{"general-function"},
		Find:       find,
	}
}

const method = "regexp.(*Regexp)."

// replaced are the functions that may have an equivalent.
func replaced(fn string) bool {
	name, ok := strings.CutPrefix(fn, method)
	return fn == "regexp.MatchString" || fn == "regexp.Match" || ok && slices.Contains([]string{
		"Match", "MatchString", "ReplaceAll", "ReplaceAllLiteral", "ReplaceAllString", "ReplaceAllLiteralString",
		"Split", "Find", "FindIndex", "FindString", "FindStringIndex",
	}, name)
}

func compiles(fn string) bool { return fn == "regexp.Compile" || fn == "regexp.MustCompile" }

// equivalent returns what takes a call's place.
func equivalent(c typed.Site) (p plan, ok bool) {
	callee := c.Callee()
	if !replaced(callee) {
		return plan{}, false
	}
	made, name := c.FixedAt(0), strings.TrimPrefix(callee, "regexp.")
	if bare, isMethod := strings.CutPrefix(callee, method); isMethod {
		re := c.Receiver()
		if re == nil || !compiles(re.Callee) || len(re.Fixed) == 0 {
			return plan{}, false
		}
		made, name = re.Fixed[0], bare
	}
	if made.By != typed.FixedConst || made.Value == nil {
		return plan{}, false
	}
	var repl *string
	if f := c.FixedAt(1); f.By == typed.FixedConst {
		repl = f.Value
	}
	return planFor(*made.Value, name, repl)
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	places := repeated.Find(s, repeated.Search{
		Function: replaced,
		Fixed: func(c typed.Site) typed.FixedArgument {
			p, ok := equivalent(c)
			if !ok {
				return typed.FixedArgument{}
			}
			return typed.FixedArgument{By: typed.FixedConst, Value: &p.pattern}
		},
		Part: part,
	})
	compiled := compilations(s)
	for _, place := range places {
		r := &replacement{CallSite: place, s: s}
		for _, c := range s.Sites(place.At) {
			if p, ok := equivalent(c); ok {
				r.calls, r.plans = append(r.calls, c), append(r.plans, p)
			}
		}
		if r.join(compiled) {
			claims = append(claims, r.claim())
		}
	}
	return claims
}

// part leaves out of what is avoidable what the equivalent does too: making the
// result, and searching for a literal.
func part(c *hot.Classified, below []callstack.FrameID) (cost, avoidable bool) {
	making := ""
	switch called := c.Frame(below[len(below)-1]).Function; strings.TrimPrefix(called, method) {
	case "ReplaceAllString", "ReplaceAllLiteralString", "Split":
		making = called
	case "ReplaceAll", "ReplaceAllLiteral":
		making = method + "replaceAll"
	}
	for i, id := range below {
		fn := c.Frame(id).Function
		makes := fn == making && (i == 0 && isHeap(c) || i > 0 && symbolname.Package(c.Frame(below[i-1]).Function) == "runtime")
		if makes || fn == "strings.Index" || fn == "bytes.Index" || strings.HasPrefix(fn, "internal/bytealg.Index") || strings.HasPrefix(fn, "strings.IndexByte") || strings.HasPrefix(fn, "bytes.IndexByte") {
			return true, false
		}
	}
	return true, true
}

// isHeap reports whether a profile is of allocations: the runtime's frames are
// not in it.
func isHeap(c *hot.Classified) bool {
	_, err := c.TypeIndex("alloc_space")
	return err == nil
}

// replacement is a place with what its calls say.
type replacement struct {
	*repeated.CallSite
	s     *diagnose.Subject
	calls []typed.Site
	plans []plan               // of the calls
	with  []*repeated.CallSite // compilations that serve it alone
}

func (r *replacement) claim() diagnose.Claim {
	c := diagnose.Claim{Place: r.CallSite.Place(), Cost: r.Cost, Avoidable: r.Avoidable, Confidence: finding.High}
	var shown, words []string
	pkg, spaces := "strings", ""
	for i := range r.plans {
		p := &r.plans[i]
		shown, words = append(shown, "`"+p.pattern+"`"), append(words, p.words())
		if p.bytes {
			pkg = "bytes"
		}
		if strings.Contains(p.pattern, `\s`) {
			spaces = ` In a pattern \s is exactly "\t\n\f\r ": not the vertical tab and not Unicode's spaces, which strings.TrimSpace and unicode.IsSpace add.`
		}
	}
	c.Why = fmt.Sprintf("%s runs the matcher of package regexp over every character for %s; package %s or a loop over the bytes needs no matcher.", strings.Join(r.ShortNames(), " and "), strings.Join(unique(shown), " and "), pkg)
	c.Remedy = "Use " + strings.Join(unique(words), "; and ") + "." + spaces
	c.Evidence = r.Evidence()
	if len(r.with) > 0 {
		c.Why += " It is compiled in every call, too."
		for _, p := range r.with {
			c.Cost, c.Avoidable = c.Cost.Union(p.Cost), c.Avoidable.Union(p.Avoidable)
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("compiled only for this use at line %d", r.with[0].At.First)})
		if share := r.s.CPUShare(r.with[0].Cost.CPU); share > 0 {
			c.Evidence = append(c.Evidence, r.with[0].Evidence()[0])
		}
	}
	return c
}

// unique returns the different ones of a list, in its order.
func unique(list []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
