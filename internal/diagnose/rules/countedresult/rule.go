package countedresult

import (
	"whet/internal/diagnose"
	"whet/internal/diagnose/results"
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

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	for _, p := range results.Find(s, results.Search{
		Function: func(name string) bool { return table[name].does != "" },
		All:      func(name string) bool { return table[name].all },
		Use:      (*typed.Package).Measured,
	}) {
		by := table[p.Callee]
		claims = append(claims, p.Claim(s, by.does+", and the program takes its length and drops it.", by.instead))
	}
	return claims
}
