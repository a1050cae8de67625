package fmtformat

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "fmt-format",
		Title: "fmt where strconv or append is enough",
		Doc: diagnose.Doc{
			What:   "A call of fmt.Sprint, Fprint, Append or Print (with f and ln) whose arguments are strings, numbers or booleans and whose verbs are plain.",
			Why:    "fmt converts each argument to an interface, parses the format at run time, formats into its own buffer and copies the result; strconv and append write the same bytes directly.",
			Silent: "For %+v, %#v, %T, flags and widths, which strconv lacks; for arguments that are structs, errors, Stringers or slices; for Errorf and scanning; for the destination's Write within Fprint; inside a log statement that the rule logging covers; in a recording without type information.",
			Fix:    "Use strconv.Itoa and + for a string, strconv.AppendInt and append for bytes, io.WriteString for a plain string.",
			Before: "key := fmt.Sprintf(\"%s:%d\", name, id)",
			After:  "key := name + \":\" + strconv.Itoa(id)",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Outranks:   []string{"written-text"},
		Find:       find,
	}
}

// statement collects the samples of one statement that calls fmt.
type statement struct {
	diagnose.Statement
	function        string
	calls           map[string][]use // by fmt function that can be replaced
	all             bool             // every fmt call of the statement can
	cost, avoidable diagnose.Sets
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	at := make(map[diagnose.SourceLine]*statement)
	// Every own frame of a stack is looked at: a call of fmt may lie inside
	// another's Stringer, and share decides about each.
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		for i := range stack {
			frame := c.Frame(stack[i])
			callee := ""
			if i > 0 {
				callee = c.Frame(stack[i-1]).Function
			}
			boxing := strings.HasPrefix(callee, "runtime.convT") || i == 0 && c == s.Allocs && diagnose.BoxSized(sample.Labels())
			if !boxing && !isFormatting(callee) || !s.Own(frame) {
				continue
			}
			of := s.Statement(frame.File, frame.Line)
			st := at[of.At()]
			if st == nil {
				st = &statement{Statement: of, function: frame.Function}
				st.calls, st.all = judge(s.Sites(of))
				at[of.At()] = st
			}
			if boxing && !st.all || !boxing && st.calls[callee] == nil {
				continue
			}
			st.cost.Of(s, c).Add(sample.Index())
			if boxing || !writes(c, stack[:i]) && !(c == s.Allocs && makesResult(c, stack[:i])) {
				st.avoidable.Of(s, c).Add(sample.Index())
			}
			st.function = min(st.function, frame.Function)
		}
	})
	for _, st := range at {
		if st.avoidable.CPU.Len()+st.avoidable.Allocs.Len() > 0 {
			claims = append(claims, st.claim(s))
		}
	}
	return claims
}

// makesResult reports whether a stack below a statement makes the string that Sprint
// returns, which whatever does without fmt makes, too.
func makesResult(c *hot.Classified, below []callstack.FrameID) bool {
	last := len(below) - 1
	return last >= 0 && strings.HasPrefix(c.Frame(below[last]).Function, "fmt.Sprint") &&
		!slices.ContainsFunc(below[:last], func(id callstack.FrameID) bool { return !diagnose.OfRuntime(c.Frame(id).Function) })
}

// writes reports whether a stack below a call of fmt is in the destination's
// own Write.
func writes(c *hot.Classified, stack []callstack.FrameID) bool {
	for j := len(stack) - 1; j > 0; j-- {
		fn := c.Frame(stack[j]).Function
		if !strings.HasPrefix(fn, "fmt.Fprint") && !strings.HasPrefix(fn, "fmt.Print") {
			return false
		}
		if strings.HasSuffix(c.Frame(stack[j-1]).Function, ".Write") {
			return true
		}
	}
	return false
}

// judge decides which of a statement's fmt functions can be replaced: those all
// of whose calls can, because samples do not tell two calls on one line apart.
func judge(sites []typed.Site) (replaced map[string][]use, all bool) {
	replaced = make(map[string][]use)
	for _, c := range sites {
		fn := c.Callee()
		if !strings.HasPrefix(fn, "fmt.") {
			continue
		}
		uses, ok := replaceable(c)
		if before, met := replaced[fn]; !ok || met && before == nil {
			replaced[fn] = nil
			continue
		}
		if len(uses) == 0 {
			uses = []use{{'s', types.Typ[types.String]}}
		}
		replaced[fn] = append(replaced[fn], uses...)
	}
	called := len(replaced)
	maps.DeleteFunc(replaced, func(_ string, uses []use) bool { return uses == nil })
	return replaced, called > 0 && len(replaced) == called
}

func (st *statement) claim(s *diagnose.Subject) diagnose.Claim {
	fns := slices.Sorted(maps.Keys(st.calls))
	var remedies, kinds []string
	for _, fn := range fns {
		remedies = append(remedies, remedy(fn, st.calls[fn]))
		for _, u := range st.calls[fn] {
			if kind := u.String(); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	names := strings.Join(fns, " and ")
	c := diagnose.Claim{
		Place:      st.Place(st.function),
		Cost:       st.cost.Samples(),
		Avoidable:  st.avoidable.Samples(),
		Confidence: finding.High,
		Why:        names + " converts its arguments to interfaces and parses its format in every call, though they are only strings, numbers or booleans with plain verbs.",
		Remedy:     strings.Join(remedies, " "),
	}
	does := "are in " + names + " and the conversion of its arguments to interfaces"
	if w := s.CPUShare(c.Cost.CPU) - s.CPUShare(c.Avoidable.CPU); w > 0 {
		does += fmt.Sprintf("; the destination's Write takes %s of the base's CPU time", quantity.Percent(w))
	}
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, does), s.AllocEvidence(c.Cost.Allocs)...)
	c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: "verbs and argument types: " + strings.Join(kinds, ", ")})
	return c
}
