package constantwork

import (
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "constant-work",
		Title: "the same work in every call",
		Doc: diagnose.Doc{
			What:   "A statement calls a function whose result does not change, again and again: os.Hostname, os.Getenv, user.Current, net.InterfaceAddrs, time.LoadLocation; a parser of a constant template, URL, address, duration or JSON text; os.ReadFile of a constant name; strings.NewReplacer of constants. Or it builds a map or slice literal of constants that the function only reads.",
			Why:    "The first result would do for every call. System calls, file reads and parsers take microseconds and allocate, for a value that is known when the program starts.",
			Silent: "When an argument varies; when the call is made once (in a package variable, init, sync.Once or sync.OnceValue, setup) or the evidence does not show that it is repeated; for a literal that is changed, returned or passed on; for functions outside the rule's table; for regular expressions, which regexp-compile covers; when the call is cheap; without type information.",
			Fix:    "Use a package variable; sync.OnceValue or OnceValues if the value is rarely needed or may fail; or a variable before the loop. Read values that can change while the program runs (a host name, an address, a file) again at intervals, not in every call.",
			Before: "func stamp(t time.Time) string {\n\tloc, err := time.LoadLocation(\"Europe/Lisbon\")\n\tif err != nil {\n\t\treturn \"\"\n\t}\n\treturn t.In(loc).Format(time.RFC3339)\n}",
			After:  "var lisbon = sync.OnceValues(func() (*time.Location, error) { return time.LoadLocation(\"Europe/Lisbon\") })\n\nfunc stamp(t time.Time) string {\n\tloc, err := lisbon()\n\tif err != nil {\n\t\treturn \"\"\n\t}\n\treturn t.In(loc).Format(time.RFC3339)\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	claims := literals(s)
	places := repeated.Find(s, repeated.Search{
		Function: func(fn string) bool { _, ok := table[fn]; return ok },
		Fixed:    fixed,
		Part:     part,
	})
	made, escaping := makers(s, places), readEscaping(s, places)
	for i, p := range places {
		bulk := slices.ContainsFunc(p.Names, func(n string) bool { return table[n].bulk })
		if _, joined := made[i]; joined || !p.Repeated(bulk) {
			continue
		}
		c := claim(p)
		for j, user := range made {
			if user == i {
				c.Cost, c.Avoidable = c.Cost.Union(places[j].Cost), c.Avoidable.Union(places[j].Avoidable)
			}
		}
		escaping.add(&c, p)
		claims = append(claims, c)
	}
	return claims
}

// makers finds the places that make what another place uses, where that one's
// work is done for the thing made: one finding tells of both. The first use in
// the source takes its maker over.
func makers(s *diagnose.Subject, places []*repeated.CallSite) map[int]int {
	made := make(map[int]int)
	for i, p := range places {
		for _, c := range s.Sites(p.At) {
			if table[c.Callee()].builds == "" {
				continue
			}
			by := c.Receiver()
			if by == nil || by.Held != "" && by.Held != "local" {
				continue
			}
			for j, m := range places {
				if _, taken := made[j]; i != j && !taken && m.At.File == p.At.File && m.At.First <= by.Line && by.Line <= m.At.Last {
					made[j] = i
				}
			}
		}
	}
	return made
}

// fixed says of a call whether all that decides about its result is fixed.
func fixed(c typed.Site) typed.FixedArgument {
	w := table[c.Callee()]
	if w.recv && c.Receiver() == nil {
		return typed.FixedArgument{}
	}
	args := c.Fixed()
	if w.args == nil {
		if len(args) < len(c.Args) {
			return typed.FixedArgument{}
		}
		return repeated.Weakest(args)
	}
	var deciding []typed.FixedArgument
	for _, i := range w.args {
		deciding = append(deciding, c.FixedAt(i))
	}
	return repeated.Weakest(deciding)
}

func claim(p *repeated.CallSite) diagnose.Claim {
	var why, remedy []string
	for i, short := range p.ShortNames() {
		w := table[p.Names[i]]
		why = append(why, short+" "+w.does)
		for _, text := range []string{w.remedy, w.caveat} {
			if text != "" && !slices.Contains(remedy, text) {
				remedy = append(remedy, text)
			}
		}
	}
	if p.By == typed.FixedLoop {
		remedy = slices.Insert(remedy, 0, "Do it before the loop, or, if the argument is one of few, keep the results in a map.")
	}
	if p.Handed {
		remedy = slices.Insert(remedy, 0, "Let the callers make it once and pass the result in place of the constant.")
	}
	return diagnose.Claim{
		Place: p.Place(), Cost: p.Cost, Avoidable: p.Avoidable, Confidence: p.Confidence(),
		Why:      strings.Join(why, ", and ") + ", in every call; " + p.Reason() + ".",
		Remedy:   strings.Join(remedy, " "),
		Evidence: p.Evidence(),
	}
}
