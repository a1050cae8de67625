package countedresult

import (
	"fmt"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "counted-result",
		Title: "a result made only to be counted",
		Doc: diagnose.Doc{
			What:   "A statement splits, formats, encodes or reads something, and all that is asked of the result is its length: len(strings.Split(…)), or a variable that only len ever sees. The functions are Split, SplitAfter, Fields and FieldsFunc of packages strings and bytes, fmt.Sprint, Sprintf and Sprintln, json.Marshal, io.ReadAll and os.ReadFile.",
			Why:    "The result is allocated and filled, and dropped when it was counted. What it is made of can be counted where it stands.",
			Silent: "When anything else sees the result, in any branch: an index, a loop, another function, a comparison; for other functions; where one of several calls on a line is used otherwise; for conversions, which the compiler measures without making them; about the looking, formatting and reading itself, which stays.",
			Fix:    "strings.Count, a loop over strings.FieldsSeq, io.Copy to io.Discard, os.Stat: the finding names the one.",
			Before: "if len(strings.Split(line, \",\")) != columns {\n\treturn errShort\n}",
			After:  "if strings.Count(line, \",\")+1 != columns {\n\treturn errShort\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Outranks:   []string{"fmt-format"},
		Find:       find,
	}
}

// counter is what counts in a function's place.
type counter struct {
	does, instead string
	all           bool // nothing of the function's work stays
}

// table is by linker name.
var table = map[string]counter{
	"strings.Split":         {does: "makes a slice of the pieces", instead: "strings.Count(s, sep) + 1 is their number, where sep is not empty."},
	"strings.SplitAfter":    {does: "makes a slice of the pieces", instead: "strings.Count(s, sep) + 1 is their number, where sep is not empty."},
	"bytes.Split":           {does: "makes a slice of the pieces", instead: "bytes.Count(s, sep) + 1 is their number, where sep is not empty."},
	"bytes.SplitAfter":      {does: "makes a slice of the pieces", instead: "bytes.Count(s, sep) + 1 is their number, where sep is not empty."},
	"strings.Fields":        {does: "makes a slice of the words", instead: "Count them in a loop: for range strings.FieldsSeq(s) { n++ }."},
	"strings.FieldsFunc":    {does: "makes a slice of the words", instead: "Count them in a loop: for range strings.FieldsFuncSeq(s, f) { n++ }."},
	"bytes.Fields":          {does: "makes a slice of the words", instead: "Count them in a loop: for range bytes.FieldsSeq(s) { n++ }."},
	"bytes.FieldsFunc":      {does: "makes a slice of the words", instead: "Count them in a loop: for range bytes.FieldsFuncSeq(s, f) { n++ }."},
	"fmt.Sprint":            {does: "makes a string", instead: "Append to a buffer that is used again, and take its length: b = fmt.Append(b[:0], …)."},
	"fmt.Sprintf":           {does: "makes a string", instead: "Append to a buffer that is used again, and take its length: b = fmt.Appendf(b[:0], …)."},
	"fmt.Sprintln":          {does: "makes a string", instead: "Append to a buffer that is used again, and take its length: b = fmt.Appendln(b[:0], …)."},
	"encoding/json.Marshal": {does: "makes a copy of the text", instead: "Let json.NewEncoder write to a writer that counts its bytes and keeps none; a newline is added to them."},
	"io.ReadAll":            {does: "keeps all that it reads", instead: "io.Copy(io.Discard, r) returns how much there is."},
	"os.ReadFile":           {does: "reads the whole file", instead: "os.Stat knows the size of a regular file.", all: true},
}

// site is a statement that makes such a result.
type site struct {
	diagnose.Statement
	function, callee string
	cost, avoidable  diagnose.Sets
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	at := make(map[diagnose.SourceLine]*site)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		own := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return s.Own(c.Frame(id)) })
		if own < 1 {
			return
		}
		frame, callee := c.Frame(stack[own]), c.Frame(stack[own-1]).Function
		if table[callee].does == "" || s.Loops.InBenchmark(frame.File, frame.Line) {
			return
		}
		st := s.StatementOf(frame, callee)
		x := at[st.At()]
		if x == nil {
			x = &site{Statement: st, function: frame.Function, callee: callee}
			at[st.At()] = x
		}
		if x.callee == callee {
			x.cost.Of(s, c).Add(sample.Index())
			if avoidable(c, stack[:own], c == s.Allocs) {
				x.avoidable.Of(s, c).Add(sample.Index())
			}
		}
	})
	for _, x := range at {
		if x.avoidable.Len() > 0 && x.counted(s) {
			claims = append(claims, x.claim(s))
		}
	}
	return claims
}

// avoidable reports whether a sample takes memory for the function's own result;
// below are the frames from the leaf to the function. The runtime's are not in a
// profile of allocations.
func avoidable(c *hot.Classified, below []callstack.FrameID, allocs bool) bool {
	i := len(below) - 1
	if table[c.Frame(below[i]).Function].all {
		return true
	}
	for i--; i >= 0 && symbolname.Parse(c.Frame(below[i]).Function).Name == "genSplit"; i-- {
	}
	return i < 0 && allocs || i >= 0 && diagnose.OfRuntime(c.Frame(below[i]).Function)
}

// counted reports whether len alone sees the results: samples do not tell the
// statement's calls of one function apart.
func (x *site) counted(s *diagnose.Subject) bool {
	calls := slices.DeleteFunc(s.Sites(x.Statement), func(c typed.Site) bool { return c.Callee() != x.callee })
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c typed.Site) bool { return !c.In.Counted(c.CallExpr) })
}

func (x *site) claim(s *diagnose.Subject) diagnose.Claim {
	by, name := table[x.callee], symbolname.Short(x.callee)
	c := diagnose.Claim{
		Place: x.Place(x.function), Cost: x.cost.Samples(), Avoidable: x.avoidable.Samples(), Confidence: finding.High,
		Why:    fmt.Sprintf("%s %s, and the program takes its length and drops it.", name, by.does),
		Remedy: by.instead,
	}
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, "are in "+name), s.AllocEvidence(c.Cost.Allocs)...)
	return c
}
