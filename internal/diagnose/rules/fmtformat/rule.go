package fmtformat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "fmt-format",
		Title: "fmt where strconv or append does",
		Doc: diagnose.Doc{
			What:   "A call of fmt.Sprint, Fprint, Append or Print (with f and ln) whose arguments are strings, numbers or booleans and whose verbs are plain.",
			Why:    "fmt boxes each argument into an interface, reads the format at run time and formats into a buffer of its own, which is then copied; strconv and append write the same bytes directly.",
			Silent: "For %+v, %#v, %T, flags and widths, which strconv lacks; for arguments that are structs, errors, Stringers or slices; for Errorf and scanning; for the writing itself below Fprint; inside a log statement that the rule logging covers; in a recording without types.",
			Fix:    "strconv.Itoa and + for a string, strconv.AppendInt and append for bytes, io.WriteString for plain text.",
			Before: "key := fmt.Sprintf(\"%s:%d\", name, id)",
			After:  "key := name + \":\" + strconv.Itoa(id)",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// statement collects the samples of one statement that calls fmt.
type statement struct {
	diagnose.Statement
	function string
	calls    map[string][]use // by fmt function that can be replaced
	all      bool             // every fmt call of the statement can
	cpu, mem samplesOf
}

type samplesOf struct{ cost, avoidable diagnose.Set }

type finder struct {
	s  *diagnose.Subject
	at map[diagnose.SourceLine]*statement
}

func find(s *diagnose.Subject) []diagnose.Claim {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]*statement)}
	f.walk(s.CPU, s.CPUColumn, func(st *statement) *samplesOf { return &st.cpu })
	f.walk(s.Allocs, s.AllocCol, func(st *statement) *samplesOf { return &st.mem })
	var claims []diagnose.Claim
	for _, st := range f.at {
		if st.cpu.cost.Len()+st.mem.cost.Len() > 0 {
			claims = append(claims, f.claim(st))
		}
	}
	slices.SortFunc(claims, func(a, b diagnose.Claim) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	return claims
}

// walk visits every own frame of every base stack: a call of fmt may lie
// inside another's Stringer, and share decides about each.
func (f *finder) walk(c *hot.Classified, col int, of func(*statement) *samplesOf) {
	diagnose.EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		for at := range stack {
			frame := c.Frame(stack[at])
			callee := ""
			if at > 0 {
				callee = c.Frame(stack[at-1]).Function
			}
			boxing := strings.HasPrefix(callee, "runtime.convT") || at == 0 && c == f.s.Allocs && diagnose.BoxSized(sample.Labels())
			if !boxing && !isFormatting(callee) || !f.s.Own(frame) {
				continue
			}
			st := f.statement(frame)
			if boxing {
				if !st.all {
					continue
				}
			} else if _, ok := st.calls[callee]; !ok {
				continue
			}
			set := of(st)
			set.cost.Add(sample.Index())
			if boxing || !writes(c, stack[:at]) {
				set.avoidable.Add(sample.Index())
			}
			if st.function == "" || frame.Function < st.function {
				st.function = frame.Function
			}
		}
	})
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

func (f *finder) statement(frame *callstack.Frame) *statement {
	at := f.s.Statement(frame.File, frame.Line)
	if st := f.at[at.At()]; st != nil {
		return st
	}
	st := &statement{Statement: at, calls: make(map[string][]use)}
	f.judge(st)
	f.at[at.At()] = st
	return st
}

// judge decides which of a statement's fmt functions can be replaced: those
// all of whose calls can, because samples do not tell two calls on one line
// apart.
func (f *finder) judge(st *statement) {
	calls, _ := f.s.StatementCalls(st.Statement)
	refused := make(map[string]bool)
	for _, c := range calls {
		if !strings.HasPrefix(c.Callee, "fmt.") {
			continue
		}
		uses, ok := replaceable(c)
		if !ok || !isFormatting(c.Callee) {
			refused[c.Callee] = true
			continue
		}
		st.calls[c.Callee] = append(st.calls[c.Callee], uses...)
		if len(uses) == 0 {
			st.calls[c.Callee] = append(st.calls[c.Callee], use{'s', "string"})
		}
	}
	for fn := range refused {
		delete(st.calls, fn)
	}
	st.all = len(st.calls) > 0 && len(refused) == 0
}

func (f *finder) claim(st *statement) diagnose.Claim {
	s := f.s
	names := make([]string, 0, len(st.calls))
	for fn := range st.calls {
		names = append(names, fn)
	}
	slices.Sort(names)
	var remedies []string
	for _, fn := range names {
		remedies = append(remedies, remedy(fn, st.calls[fn]))
	}
	c := diagnose.Claim{
		Place:      st.Place(st.function),
		Cost:       diagnose.Samples{CPU: st.cpu.cost.Keep(), Allocs: st.mem.cost.Keep()},
		Avoidable:  diagnose.Samples{CPU: st.cpu.avoidable.Keep(), Allocs: st.mem.avoidable.Keep()},
		Confidence: finding.High,
		Why:        fmt.Sprintf("%s boxes its arguments and reads its format for every call; they are only strings, numbers or booleans with plain verbs.", strings.Join(names, " and ")),
		Remedy:     strings.Join(remedies, " "),
	}
	if c.Avoidable.CPU == nil && c.Avoidable.Allocs == nil {
		none := func(int) bool { return false }
		c.Avoidable = diagnose.Samples{CPU: none, Allocs: none}
	}
	if keep := c.Cost.CPU; keep != nil {
		text := fmt.Sprintf("%d of %d base samples are in %s and the boxing of its arguments", s.CPUSamples(keep), s.BaseCPUSamples(), strings.Join(names, " and "))
		if w := s.CPUShare(keep) - s.CPUShare(c.Avoidable.CPU); w > 0 {
			text += fmt.Sprintf("; %s of the base's CPU time of them is the destination's Write", quantity.Percent(w))
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: text})
	}
	if keep := c.Cost.Allocs; s.AllocShare(keep) > 0 {
		_, perOp := s.AllocBytes(keep)
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: quantity.Percent(s.AllocShare(keep)) + " of the base's allocated bytes" + s.PerIteration(perOp)})
	}
	var types []string
	for _, fn := range names {
		for _, u := range st.calls[fn] {
			if t := "%" + string(u.verb) + " " + u.typ; !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: "verbs and argument types: " + strings.Join(types, ", ")})
	return c
}
