package knowledge

import (
	"go/ast"
	"go/constant"
	"strings"

	"whet/internal/finding"
)

// Arguments of examples.
const (
	line     = `"alpha,beta,gamma,delta,epsilon,zeta,eta,theta"`
	sentence = `"the quick brown fox jumps over the lazy dog"`
)

// ofStrings are the rows of packages strings and bytes.
var ofStrings = []Row{
	{
		ID: "strings-split-counted", Cause: "counted-result", Callees: []string{"strings.Split", "strings.SplitAfter"}, When: counted,
		Cost: "makes a slice of the pieces", Instead: "strings.Count(s, sep) + 1 is their number, where sep is not empty.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "line string", Result: "int", Args: line,
			Before: `return len(strings.Split(line, ","))`, After: `return strings.Count(line, ",") + 1`},
	},
	{
		ID: "bytes-split-counted", Cause: "counted-result", Callees: []string{"bytes.Split", "bytes.SplitAfter"}, When: counted,
		Cost: "makes a slice of the pieces", Instead: "bytes.Count(s, sep) + 1 is their number, where sep is not empty.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "line []byte", Result: "int", Args: "[]byte(" + line + ")",
			Before: `return len(bytes.Split(line, []byte(",")))`, After: `return bytes.Count(line, []byte(",")) + 1`},
	},
	{
		ID: "strings-fields-counted", Cause: "counted-result", Callees: []string{"strings.Fields"}, When: counted, Go: "go1.24",
		Cost: "makes a slice of the words", Instead: "Count them in a loop: for range strings.FieldsSeq(s) { n++ }.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "text string", Result: "int", Args: sentence,
			Before: `return len(strings.Fields(text))`, After: "n := 0\nfor range strings.FieldsSeq(text) {\n\tn++\n}\nreturn n"},
	},
	{
		ID: "strings-fieldsfunc-counted", Cause: "counted-result", Callees: []string{"strings.FieldsFunc"}, When: counted, Go: "go1.24",
		Cost: "makes a slice of the words", Instead: "Count them in a loop: for range strings.FieldsFuncSeq(s, f) { n++ }.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "text string", Result: "int", Args: sentence,
			Before: `return len(strings.FieldsFunc(text, unicode.IsSpace))`, After: "n := 0\nfor range strings.FieldsFuncSeq(text, unicode.IsSpace) {\n\tn++\n}\nreturn n"},
	},
	{
		ID: "bytes-fields-counted", Cause: "counted-result", Callees: []string{"bytes.Fields"}, When: counted, Go: "go1.24",
		Cost: "makes a slice of the words", Instead: "Count them in a loop: for range bytes.FieldsSeq(s) { n++ }.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "text []byte", Result: "int", Args: "[]byte(" + sentence + ")",
			Before: `return len(bytes.Fields(text))`, After: "n := 0\nfor range bytes.FieldsSeq(text) {\n\tn++\n}\nreturn n"},
	},
	{
		ID: "bytes-fieldsfunc-counted", Cause: "counted-result", Callees: []string{"bytes.FieldsFunc"}, When: counted, Go: "go1.24",
		Cost: "makes a slice of the words", Instead: "Count them in a loop: for range bytes.FieldsFuncSeq(s, f) { n++ }.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "text []byte", Result: "int", Args: "[]byte(" + sentence + ")",
			Before: `return len(bytes.FieldsFunc(text, unicode.IsSpace))`, After: "n := 0\nfor range bytes.FieldsFuncSeq(text, unicode.IsSpace) {\n\tn++\n}\nreturn n"},
	},
	{
		ID: "strings-split-first", Cause: "first-pieces", Callees: []string{"strings.Split"}, When: early(2),
		Cost:    "makes a slice of all pieces",
		Instead: "Take the pieces with strings.Cut, one call for each, which makes no slice. Cut says whether there was a separator at all; an index beyond the pieces panics today, and by an empty separator Split makes characters, Cut nothing.",
		Goes:    Memory, Confidence: finding.High,
		Example: Example{Params: "line string", Result: "string", Args: line,
			Before: `return strings.Split(line, ",")[0]`, After: "first, _, _ := strings.Cut(line, \",\")\nreturn first"},
	},
	{
		ID: "bytes-split-first", Cause: "first-pieces", Callees: []string{"bytes.Split"}, When: early(2),
		Cost:    "makes a slice of all pieces",
		Instead: "Take the pieces with bytes.Cut, one call for each, which makes no slice; before append to one, cut its capacity (p[:len(p):len(p)]). Cut says whether there was a separator at all; an index beyond the pieces panics today, and by an empty separator Split makes characters, Cut nothing.",
		Goes:    Memory, Confidence: finding.High,
		Example: Example{Params: "line []byte", Result: "int", Args: "[]byte(" + line + ")",
			Before: "parts := bytes.Split(line, []byte(\",\"))\nreturn int(parts[0][0])", After: "first, _, _ := bytes.Cut(line, []byte(\",\"))\nreturn int(first[0])"},
	},
	{
		ID: "strings-fields-first", Cause: "first-pieces", Callees: []string{"strings.Fields"}, When: early(2), Go: "go1.24",
		Cost:    "makes a slice of all words",
		Instead: "End a loop over strings.FieldsSeq(s) at the word that is wanted; it makes no slice. An index beyond the words panics today.",
		Goes:    Memory, Confidence: finding.High,
		Example: Example{Params: "text string", Result: "string", Args: sentence,
			Before: `return strings.Fields(text)[0]`, After: "for word := range strings.FieldsSeq(text) {\n\treturn word\n}\nreturn \"\""},
	},
	{
		ID: "bytes-fields-first", Cause: "first-pieces", Callees: []string{"bytes.Fields"}, When: early(2), Go: "go1.24",
		Cost:    "makes a slice of all words",
		Instead: "End a loop over bytes.FieldsSeq(s) at the word that is wanted; it makes no slice. An index beyond the words panics today.",
		Goes:    Memory, Confidence: finding.High,
		Example: Example{Params: "text []byte", Result: "int", Args: "[]byte(" + sentence + ")",
			Before: `return int(bytes.Fields(text)[0][0])`, After: "for word := range bytes.FieldsSeq(text) {\n\treturn int(word[0])\n}\nreturn 0"},
	},
	{
		ID: "strings-split-chars", Cause: "ranged-pieces", Callees: []string{"strings.Split"}, When: all(textIs(1, ""), rangedWith),
		Cost:       "makes a slice of all characters, each a text",
		Instead:    `Range over the text itself: for i, r := range s. i is where r begins in bytes, and a byte that is no UTF-8 comes as utf8.RuneError; compare r with 'x' in place of "x", string(r) is its text.`,
		Confidence: finding.High,
		Example: Example{Params: "text string", Result: "int", Args: `"the quick brown fox jumps over the lazy dog"`,
			Before: "n := 0\nfor _, c := range strings.Split(text, \"\") {\n\tif c == \"o\" {\n\t\tn++\n\t}\n}\nreturn n",
			After:  "n := 0\nfor _, c := range text {\n\tif c == 'o' {\n\t\tn++\n\t}\n}\nreturn n"},
	},
	{
		ID: "strings-split-ranged", Cause: "ranged-pieces", Callees: []string{"strings.Split"}, When: ranged, Go: "go1.24",
		Cost: "makes a slice of all pieces", Instead: "Range over strings.SplitSeq(s, sep), which yields them one by one.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "line string", Result: "int", Args: line,
			Before: "n := 0\nfor _, p := range strings.Split(line, \",\") {\n\tn += len(p)\n}\nreturn n",
			After:  "n := 0\nfor p := range strings.SplitSeq(line, \",\") {\n\tn += len(p)\n}\nreturn n"},
	},
	{
		ID: "strings-lower-compared", Cause: "compared-text", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: comparedFolded,
		Cost:    "makes a text",
		Instead: "Use strings.EqualFold, which makes no text. It compares by Unicode's folding, under which a few letters are equal that ToLower and ToUpper tell apart: the Kelvin sign and k, ſ and s.",
		Goes:    All, Confidence: finding.High,
		Example: Example{Params: "name, wanted string", Result: "bool", Args: `"Content-Length", "content-length"`,
			Before: `return strings.ToLower(name) == strings.ToLower(wanted)`, After: `return strings.EqualFold(name, wanted)`},
	},
}

// comparedFolded: a text in one case is compared with another of the same function,
// or with a constant in that case.
var comparedFolded = compared("it is compared with another text in that case", func(c *Call, other ast.Expr) bool {
	convert := map[string]func(string) string{"strings.ToLower": strings.ToLower, "strings.ToUpper": strings.ToUpper}[c.Callee()]
	if call, ok := ast.Unparen(other).(*ast.CallExpr); ok && c.In.Called(call) == c.Callee() {
		return true
	}
	v := c.In.Info.Types[other].Value
	return v != nil && v.Kind() == constant.String && constant.StringVal(v) == convert(constant.StringVal(v))
})
