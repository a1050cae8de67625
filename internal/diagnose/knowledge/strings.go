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
func ofStrings() []Row {
	return []Row{
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
			Instead: "Use strings.EqualFold, which makes no text. It compares by Unicode's folding, which differs for a few letters outside ASCII: ſ and s, ς and σ are equal, which ToLower tells apart, the Kelvin sign and k, which ToUpper does; İ and i are not, of which ToLower makes the same, nor ı and I, of which ToUpper does.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "name, wanted string", Result: "bool", Args: `"Content-Length", "content-length"`,
				Before: `return strings.ToLower(name) == strings.ToLower(wanted)`, After: `return strings.EqualFold(name, wanted)`},
		},
	}
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

// ofCharacters are more rows of packages strings and unicode, and of texts made on the
// way to something else.
func ofCharacters() []Row {
	return []Row{
		{
			ID: "strings-lower-folded", Cause: "compared-text", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: handedAny("strings.EqualFold"),
			Cost:    "makes a text",
			Instead: "strings.EqualFold takes no account of case: give it the text as it is. It differs for two letters that it tells from i and I: İ, of which ToLower makes i, and ı, of which ToUpper makes I.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "name, wanted string", Result: "bool", Args: `"Content-Length", "CONTENT-LENGTH"`,
				Before: "return strings.EqualFold(strings.ToLower(name), wanted)",
				After:  "return strings.EqualFold(name, wanted)"},
		},
		{
			ID: "strings-case-rune", Cause: "general-function", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: either(converted(0, "byte", "string"), converted(0, "rune", "string"), converted(0, "uint8", "string"), converted(0, "int32", "string")),
			Cost:       "goes through a text of one character",
			Instead:    "unicode.ToLower(r) or ToUpper(r), converted, is the same.",
			Confidence: finding.High,
			Example: Example{Params: "c rune", Result: "string", Args: "'x'",
				Before: "return strings.ToUpper(string(c))",
				After:  "return string(unicode.ToUpper(c))"},
		},
		{
			ID: "strings-replace-chain", Cause: "general-function", Callees: []string{"strings.ReplaceAll"}, When: chained(3),
			Cost:       "goes through the text once for each of the replacements, and makes a new one for each that it finds",
			Instead:    "Make a strings.NewReplacer of them in a package variable: it replaces all in one pass. Where most texts hold none of them, ask first: strings.ContainsAny(s, …).",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "string", Args: `"a < b && c > d, or \"quoted\" and 'so' on"`, Decls: `var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&#34;")`,
				Before: `return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&#34;")`,
				After:  "return escaper.Replace(text)"},
		},
		{
			ID: "fmt-sprintf-as-bytes", Cause: "written-text", Callees: []string{"fmt.Sprintf"}, When: convertedTo("[]byte"),
			Cost:       "makes a string",
			Instead:    "fmt.Appendf(nil, …) makes the bytes. Of an empty text it returns nil, where the conversion makes bytes that are empty and not nil.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "[]byte", Args: "123456",
				Before: `return []byte(fmt.Sprintf("%08d", n))`,
				After:  `return fmt.Appendf(nil, "%08d", n)`},
		},
		{
			ID: "strconv-format-as-bytes", Cause: "written-text", Callees: []string{"strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.Quote"}, When: convertedTo("[]byte"),
			Cost:       "makes a string",
			Instead:    "strconv.AppendInt(nil, int64(n), 10), AppendUint, AppendFloat or AppendQuote makes the bytes, or appends them to memory that is used again.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "[]byte", Args: "123456",
				Before: "return []byte(strconv.Itoa(n))",
				After:  "return strconv.AppendInt(nil, int64(n), 10)"},
		},
		{
			ID: "fmt-sprintf-rounded", Cause: "general-function", Callees: []string{"fmt.Sprintf", "strconv.FormatFloat"}, When: all(decimals, reparsed),
			Cost:    "writes a number as text, to be read again",
			Instead: "Round by arithmetic: math.Round(x*100) / 100. A last digit of 5 may go the other way, as x*100 is rounded too.",
			Goes:    All, Confidence: finding.Medium,
			Example: Example{Params: "x float64", Result: "float64", Args: "3.14159",
				Before: "r, _ := strconv.ParseFloat(fmt.Sprintf(\"%.2f\", x), 64)\nreturn r",
				After:  "return math.Round(x*100) / 100"},
		},
		{
			ID: "strings-splitn-pair", Cause: "unused-work", Callees: []string{"strings.SplitN"}, When: all(number(2, "is 2", func(n int64) bool { return n == 2 }), notEmpty(1), pair),
			Cost:    "makes a slice of the two pieces",
			Instead: "Use strings.Cut, which makes no slice: before, after, found := strings.Cut(s, sep). found says what len told, that there are two; where there is no separator, p[1] panics today, and after is empty.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: line,
				Before: "p := strings.SplitN(line, \",\", 2)\nif len(p) < 2 {\n\treturn 0\n}\nreturn len(p[1])",
				After:  "_, rest, found := strings.Cut(line, \",\")\nif !found {\n\treturn 0\n}\nreturn len(rest)"},
		},
		{
			ID: "strings-splitn-few", Cause: "unused-work", Callees: []string{"strings.SplitN"}, When: all(number(2, "is 3 or 4", func(n int64) bool { return n == 3 || n == 4 }), notEmpty(1), few(3)),
			Cost:    "makes a slice of the pieces",
			Instead: "Take the pieces with strings.Cut, one call for each, which makes no slice: the last call's found says what len told. Where the pieces before the last have fixed lengths, look at the separators' places, s[2] == ':', and slice.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "field string", Result: "int", Args: `"MD:Z:34A10^C55"`,
				Before: "p := strings.SplitN(field, \":\", 3)\nif len(p) != 3 || len(p[1]) != 1 {\n\treturn 0\n}\nreturn len(p[0]) + len(p[2])",
				After:  "tag, rest, _ := strings.Cut(field, \":\")\nkind, value, found := strings.Cut(rest, \":\")\nif !found || len(kind) != 1 {\n\treturn 0\n}\nreturn len(tag) + len(value)"},
		},
		{
			ID: "strings-split-last", Cause: "unused-work", Callees: []string{"strings.Split"}, When: all(notEmpty(1), last),
			Cost:       "makes a slice of all pieces",
			Instead:    "Take what follows the last separator: s[strings.LastIndex(s, sep)+len(sep):] where there is one, and all of s where there is none.",
			Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: line,
				Before: "p := strings.Split(line, \",\")\nreturn len(p[len(p)-1])",
				After:  "return len(line[strings.LastIndexByte(line, ',')+1:])"},
		},
		{
			ID: "strings-splitafter-ranged", Cause: "ranged-pieces", Callees: []string{"strings.SplitAfter"}, When: ranged, Go: "go1.24",
			Cost:    "makes a slice of all pieces",
			Instead: "Range over strings.SplitAfterSeq, which yields them one by one.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: line,
				Before: "n := 0\nfor _, p := range strings.SplitAfter(text, \",\") {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.SplitAfterSeq(text, \",\") {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-fields-ranged", Cause: "ranged-pieces", Callees: []string{"strings.Fields"}, When: ranged, Go: "go1.24",
			Cost:    "makes a slice of all pieces",
			Instead: "Range over strings.FieldsSeq, which yields them one by one.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: "n := 0\nfor _, p := range strings.Fields(text) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.FieldsSeq(text) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-fieldsfunc-ranged", Cause: "ranged-pieces", Callees: []string{"strings.FieldsFunc"}, When: ranged, Go: "go1.24",
			Cost:    "makes a slice of all pieces",
			Instead: "Range over strings.FieldsFuncSeq, which yields them one by one.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: line,
				Before: "n := 0\nfor _, p := range strings.FieldsFunc(text, unicode.IsPunct) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.FieldsFuncSeq(text, unicode.IsPunct) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-fieldsfunc-space", Cause: "general-function", Callees: []string{"strings.FieldsFunc"}, When: isObject(1, "unicode.IsSpace"),
			Cost:       "calls a function for each character",
			Instead:    "strings.Fields(s) cuts at the same characters, and looks ASCII up in a table.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "[]string", Args: `strings.Repeat("internationalization ", 8)`,
				Before: "return strings.FieldsFunc(text, unicode.IsSpace)",
				After:  "return strings.Fields(text)"},
		},
		{
			ID: "strings-trimfunc-space", Cause: "general-function", Callees: []string{"strings.TrimFunc"}, When: isObject(1, "unicode.IsSpace"),
			Cost:       "calls a function for each character at the ends",
			Instead:    "strings.TrimSpace(s) trims the same characters, and looks ASCII up in a table.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "string", Args: `"  the quick brown fox\t\n"`,
				Before: "return strings.TrimFunc(text, unicode.IsSpace)",
				After:  "return strings.TrimSpace(text)"},
		},
		{
			ID: "strings-count-contains", Cause: "unused-work", Callees: []string{"strings.Count"}, When: comparedNumber("it is only compared with 0", "> 0", "== 0", "!= 0"),
			Cost:       "goes through all of the text",
			Instead:    "strings.Contains, which ends at the first.",
			Confidence: finding.High,
			Example: Example{Params: "text, part string", Result: "bool", Args: `strings.Repeat("key=value;", 200), ";"`,
				Before: "return strings.Count(text, part) > 0",
				After:  "return strings.Contains(text, part)"},
		},
		{
			ID: "strings-index-prefix", Cause: "unused-work", Callees: []string{"strings.Index"}, When: comparedNumber("it is only compared with 0", "== 0", "!= 0"),
			Cost:       "looks through all of the text",
			Instead:    "strings.HasPrefix, which looks at the beginning alone.",
			Confidence: finding.High,
			Example: Example{Params: "text, part string", Result: "bool", Args: `strings.Repeat("key=value;", 20), "https:"`,
				Before: "return strings.Index(text, part) == 0",
				After:  "return strings.HasPrefix(text, part)"},
		},
		{
			ID: "strings-compare-equal", Cause: "unused-work", Callees: []string{"strings.Compare"}, When: comparedNumber("it is only compared with 0", "== 0", "!= 0"),
			Cost:       "finds out which comes first",
			Instead:    "== of the strings, which looks at the lengths first.",
			Confidence: finding.High,
			Example: Example{Params: "a, b string", Result: "bool", Args: `"internal/diagnose/knowledge", "internal/diagnose/knowledge.go"`,
				Before: "return strings.Compare(a, b) == 0",
				After:  "return a == b"},
		},
		{
			ID: "strings-split-joined", Cause: "unused-work", Callees: []string{"strings.Split"}, When: all(notEmpty(1), passed("strings.Join")),
			Cost:       "makes a slice of all pieces",
			Instead:    "strings.ReplaceAll(s, sep, other) is Join of Split in one pass, and returns s itself where there is no separator.",
			Confidence: finding.High,
			Example: Example{Params: "line string", Result: "string", Args: line,
				Before: `return strings.Join(strings.Split(line, ","), "; ")`,
				After:  `return strings.ReplaceAll(line, ",", "; ")`},
		},
		{
			ID: "strings-lower-prefix", Cause: "compared-text", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: foldedAffix,
			Cost:    "makes a text",
			Instead: "Compare as many bytes with strings.EqualFold: len(s) >= len(p) && strings.EqualFold(s[:len(p)], p), of a suffix s[len(s)-len(p):]. It differs where letters outside ASCII fold to ASCII, which are longer: the Kelvin sign.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "header string", Result: "bool", Args: `"Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"`,
				Before: `return strings.HasPrefix(strings.ToLower(header), "bearer ")`,
				After:  `return len(header) >= 7 && strings.EqualFold(header[:7], "bearer ")`},
		},
		{
			ID: "strings-steady", Cause: "made-per-call", Callees: []string{"strings.ToLower", "strings.ToUpper", "strings.Repeat", "strings.Replace", "strings.ReplaceAll"}, When: same,
			Cost:    "makes the same text again",
			Instead: "Make it once: before the loop, or in a package variable where its arguments are constant.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "name string, list []string", Result: "int", Args: `"Content-Type", []string{"accept", "content-length", "content-type"}`,
				Before: "for i, s := range list {\n\tif s == strings.ToLower(name) {\n\t\treturn i\n\t}\n}\nreturn -1",
				After:  "name = strings.ToLower(name)\nfor i, s := range list {\n\tif s == name {\n\t\treturn i\n\t}\n}\nreturn -1"},
		},
		{
			ID: "strings-replacer-written", Cause: "written-text", Callees: []string{"strings.(*Replacer).Replace"}, When: written,
			Cost:       "makes a text",
			Instead:    "The replacer's WriteString(w, s) writes as it replaces.",
			Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, text string", Result: "int", Args: `new(bytes.Buffer), "a < b && c > d, or \"quoted\" and 'so' on"`, Decls: `var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")`,
				Before: "w.Reset()\nw.WriteString(escaper.Replace(text))\nreturn w.Len()",
				After:  "w.Reset()\nescaper.WriteString(w, text)\nreturn w.Len()"},
		},
		{
			ID: "strings-join-written", Cause: "written-text", Callees: []string{"strings.Join"}, When: written,
			Cost:       "makes a text",
			Instead:    "Write the parts one by one, with the separator before each but the first. Of a writer without a buffer join them all the same: each Write is a system call.",
			Confidence: finding.Medium,
			Example: Example{Params: "w *bytes.Buffer, parts []string", Result: "int", Args: `new(bytes.Buffer), strings.Fields("the quick brown fox jumps over the lazy dog")`,
				Before: "w.Reset()\nw.WriteString(strings.Join(parts, \", \"))\nreturn w.Len()",
				After:  "w.Reset()\nfor i, p := range parts {\n\tif i > 0 {\n\t\tw.WriteString(\", \")\n\t}\n\tw.WriteString(p)\n}\nreturn w.Len()"},
		},
		{
			ID: "unicode-is-table", Cause: "general-function", Callees: []string{"unicode.Is"}, When: isObject(0, "unicode.Letter", "unicode.L", "unicode.Upper", "unicode.Lu", "unicode.Lower", "unicode.Ll", "unicode.Digit", "unicode.Nd", "unicode.White_Space"),
			Cost:       "searches the table of the class",
			Instead:    "unicode.IsLetter, IsUpper, IsLower, IsDigit or IsSpace answer for Latin-1 by one look at a table of properties, and ask the same of all else.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: "n := 0\nfor _, r := range text {\n\tif unicode.Is(unicode.Letter, r) {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nfor _, r := range text {\n\tif unicode.IsLetter(r) {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "strings-split-few", Cause: "unused-work", Callees: []string{"strings.Split"}, When: all(notEmpty(1), few(2)),
			Cost:    "makes a slice of all pieces",
			Instead: "Take the pieces with strings.Cut, one call for each, which makes no slice: found, and strings.Contains of what is left over, say what len told.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "pair string", Result: "int", Args: `"timeout=30s"`,
				Before: "p := strings.Split(pair, \"=\")\nif len(p) != 2 {\n\treturn 0\n}\nreturn len(p[1])",
				After:  "key, value, found := strings.Cut(pair, \"=\")\nif !found || strings.Contains(value, \"=\") || len(key) == 0 {\n\treturn 0\n}\nreturn len(value)"},
		},
		{
			ID: "strings-fields-few", Cause: "unused-work", Callees: []string{"strings.Fields"}, When: few(15), Go: "go1.24",
			Cost:    "makes a slice of all words",
			Instead: "Let a loop over strings.FieldsSeq fill an array, which lies on the stack, with the words that are used, and count them.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: `"cpu0 4705 356 584 3699 23 23 0 0"`,
				Before: "f := strings.Fields(line)\nif len(f) < 4 {\n\treturn 0\n}\nreturn len(f[1]) + len(f[3])",
				After:  "var f [4]string\nn := 0\nfor word := range strings.FieldsSeq(line) {\n\tif n < len(f) {\n\t\tf[n] = word\n\t}\n\tn++\n}\nif n < 4 {\n\treturn 0\n}\nreturn len(f[1]) + len(f[3])"},
		},
		{
			ID: "strings-fields-joined", Cause: "unused-work", Callees: []string{"strings.Fields"}, When: handed(0, "strings.Join"), Go: "go1.24",
			Cost:       "makes a slice of all words",
			Instead:    "Write the words of strings.FieldsSeq to a strings.Builder that was grown to the text's length, with the separator before each but the first.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "string", Args: `"the  quick brown   fox jumps over the lazy   dog"`,
				Before: `return strings.Join(strings.Fields(text), " ")`,
				After:  "var b strings.Builder\nb.Grow(len(text))\nfor word := range strings.FieldsSeq(text) {\n\tif b.Len() > 0 {\n\t\tb.WriteByte(' ')\n\t}\n\tb.WriteString(word)\n}\nreturn b.String()"},
		},
		{
			ID: "strings-trim-space", Cause: "general-function", Callees: []string{"strings.Trim"}, When: texts(1, "is space, tab and no more than other white space", func(s string) bool {
				return strings.Contains(s, " ") && strings.Contains(s, "\t") && strings.Trim(s, " \t\n\v\f\r") == ""
			}),
			Cost:       "makes a set of the characters and asks it for each",
			Instead:    "strings.TrimSpace asks a table. It trims at both ends, and all white space, that of Unicode too.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "string", Args: `"  the quick brown fox \r\n"`,
				Before: `return strings.Trim(text, " \t\r\n")`,
				After:  "return strings.TrimSpace(text)"},
		},
	}
}

// decimals: the text is that of one float64, with a constant number of digits after
// the point.
var decimals = Condition{"it writes one float64 with a constant number of digits after the point", func(c *Call) bool {
	x := c.argument(0)
	if c.Callee() == "fmt.Sprintf" {
		digits, ok := c.text(0)
		digits, found := strings.CutPrefix(digits, "%.")
		digits, verb := strings.CutSuffix(digits, "f")
		x = c.argument(1)
		if !ok || !found || !verb || len(c.Args) != 2 || digits == "" || strings.Trim(digits, "0123456789") != "" {
			return false
		}
	} else if !number(1, "", func(n int64) bool { return n == 'f' }).holds(c) ||
		!number(2, "", func(n int64) bool { return n >= 0 }).holds(c) || !number(3, "", func(n int64) bool { return n == 64 }).holds(c) {
		return false
	}
	return x != nil && typeName(c.In.TypeOf(x)) == "float64"
}}

// reparsed: strconv.ParseFloat of 64 bits reads the text, and nothing else sees it.
var reparsed = result("strconv.ParseFloat of 64 bits reads it, and nothing else sees it", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	return ok && c.setHere(use) && c.In.Called(call) == "strconv.ParseFloat" && len(call.Args) == 2 && call.Args[0] == use && c.isInt(call.Args[1], 64)
})
