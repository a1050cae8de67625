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
			Cost: "allocates a slice of the parts", Instead: "strings.Count(s, sep) + 1 is their number, if sep is not empty.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: line,
				Before: `return len(strings.Split(line, ","))`, After: `return strings.Count(line, ",") + 1`},
		},
		{
			ID: "bytes-split-counted", Cause: "counted-result", Callees: []string{"bytes.Split", "bytes.SplitAfter"}, When: counted,
			Cost: "allocates a slice of the parts", Instead: "bytes.Count(s, sep) + 1 is their number, if sep is not empty.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "line []byte", Result: "int", Args: "[]byte(" + line + ")",
				Before: `return len(bytes.Split(line, []byte(",")))`, After: `return bytes.Count(line, []byte(",")) + 1`},
		},
		{
			ID: "strings-fields-counted", Cause: "counted-result", Callees: []string{"strings.Fields"}, When: counted, Go: "go1.24",
			Cost: "allocates a slice of the words", Instead: "Count them in a loop: for range strings.FieldsSeq(s) { n++ }.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: `return len(strings.Fields(text))`, After: "n := 0\nfor range strings.FieldsSeq(text) {\n\tn++\n}\nreturn n"},
		},
		{
			ID: "strings-fieldsfunc-counted", Cause: "counted-result", Callees: []string{"strings.FieldsFunc"}, When: counted, Go: "go1.24",
			Cost: "allocates a slice of the words", Instead: "Count them in a loop: for range strings.FieldsFuncSeq(s, f) { n++ }.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: `return len(strings.FieldsFunc(text, unicode.IsSpace))`, After: "n := 0\nfor range strings.FieldsFuncSeq(text, unicode.IsSpace) {\n\tn++\n}\nreturn n"},
		},
		{
			ID: "bytes-fields-counted", Cause: "counted-result", Callees: []string{"bytes.Fields"}, When: counted, Go: "go1.24",
			Cost: "allocates a slice of the words", Instead: "Count them in a loop: for range bytes.FieldsSeq(s) { n++ }.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: "[]byte(" + sentence + ")",
				Before: `return len(bytes.Fields(text))`, After: "n := 0\nfor range bytes.FieldsSeq(text) {\n\tn++\n}\nreturn n"},
		},
		{
			ID: "bytes-fieldsfunc-counted", Cause: "counted-result", Callees: []string{"bytes.FieldsFunc"}, When: counted, Go: "go1.24",
			Cost: "allocates a slice of the words", Instead: "Count them in a loop: for range bytes.FieldsFuncSeq(s, f) { n++ }.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: "[]byte(" + sentence + ")",
				Before: `return len(bytes.FieldsFunc(text, unicode.IsSpace))`, After: "n := 0\nfor range bytes.FieldsFuncSeq(text, unicode.IsSpace) {\n\tn++\n}\nreturn n"},
		},
		{
			ID: "strings-split-first", Cause: "first-pieces", Callees: []string{"strings.Split"}, When: early(2),
			Cost:    "allocates a slice of all parts",
			Instead: "Use strings.Cut, once for each part, which allocates no slice. Cut reports whether there was a separator; an index beyond the last part panics today; with an empty separator Split yields characters, Cut nothing.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "string", Args: line,
				Before: `return strings.Split(line, ",")[0]`, After: "first, _, _ := strings.Cut(line, \",\")\nreturn first"},
		},
		{
			ID: "bytes-split-first", Cause: "first-pieces", Callees: []string{"bytes.Split"}, When: early(2),
			Cost:    "allocates a slice of all parts",
			Instead: "Use bytes.Cut, once for each part, which allocates no slice; before you append to a part, limit its capacity (p[:len(p):len(p)]). Cut reports whether there was a separator; an index beyond the last part panics today; with an empty separator Split yields characters, Cut nothing.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line []byte", Result: "int", Args: "[]byte(" + line + ")",
				Before: "parts := bytes.Split(line, []byte(\",\"))\nreturn int(parts[0][0])", After: "first, _, _ := bytes.Cut(line, []byte(\",\"))\nreturn int(first[0])"},
		},
		{
			ID: "strings-fields-first", Cause: "first-pieces", Callees: []string{"strings.Fields"}, When: early(2), Go: "go1.24",
			Cost:    "allocates a slice of all words",
			Instead: "End a loop over strings.FieldsSeq(s) at the wanted word; it allocates no slice. An index beyond the last word panics today.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "string", Args: sentence,
				Before: `return strings.Fields(text)[0]`, After: "for word := range strings.FieldsSeq(text) {\n\treturn word\n}\nreturn \"\""},
		},
		{
			ID: "bytes-fields-first", Cause: "first-pieces", Callees: []string{"bytes.Fields"}, When: early(2), Go: "go1.24",
			Cost:    "allocates a slice of all words",
			Instead: "End a loop over bytes.FieldsSeq(s) at the wanted word; it allocates no slice. An index beyond the last word panics today.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: "[]byte(" + sentence + ")",
				Before: `return int(bytes.Fields(text)[0][0])`, After: "for word := range bytes.FieldsSeq(text) {\n\treturn int(word[0])\n}\nreturn 0"},
		},
		{
			ID: "strings-split-chars", Cause: "ranged-pieces", Callees: []string{"strings.Split"}, When: all(textIs(1, ""), rangedWith),
			Cost:       "allocates a slice of all characters, each a string",
			Instead:    `Range over the string itself: for i, r := range s. i is the byte index of r, and an invalid UTF-8 byte yields utf8.RuneError; compare r with 'x' in place of "x"; string(r) is the character as a string.`,
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: `"the quick brown fox jumps over the lazy dog"`,
				Before: "n := 0\nfor _, c := range strings.Split(text, \"\") {\n\tif c == \"o\" {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nfor _, c := range text {\n\tif c == 'o' {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "strings-split-ranged", Cause: "ranged-pieces", Callees: []string{"strings.Split"}, When: ranged, Go: "go1.24",
			Cost: "allocates a slice of all parts", Instead: "Range over strings.SplitSeq(s, sep), which yields them one by one.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: line,
				Before: "n := 0\nfor _, p := range strings.Split(line, \",\") {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.SplitSeq(line, \",\") {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-lower-compared", Cause: "compared-text", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: comparedFolded,
			Cost:    "allocates a string",
			Instead: "Use strings.EqualFold, which allocates no string. It compares with Unicode case folding, which differs for a few letters outside ASCII: ſ and s, and ς and σ, are equal, though ToLower tells them apart; so are the Kelvin sign and k, though ToUpper tells them apart. İ and i are not equal, though ToLower gives the same for both; nor are ı and I, though ToUpper does.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "name, wanted string", Result: "bool", Args: `"Content-Length", "content-length"`,
				Before: `return strings.ToLower(name) == strings.ToLower(wanted)`, After: `return strings.EqualFold(name, wanted)`},
		},
	}
}

// comparedFolded: a text in one case is compared with another of the same function,
// or with a constant in that case.
var comparedFolded = compared("it is compared with another string in that case", func(c *Call, other ast.Expr) bool {
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
			Cost:    "allocates a string",
			Instead: "strings.EqualFold ignores case: pass the string unchanged. It differs for two letters, which it does not equate with i and I: İ, which ToLower turns into i, and ı, which ToUpper turns into I.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "name, wanted string", Result: "bool", Args: `"Content-Length", "CONTENT-LENGTH"`,
				Before: "return strings.EqualFold(strings.ToLower(name), wanted)",
				After:  "return strings.EqualFold(name, wanted)"},
		},
		{
			ID: "strings-case-rune", Cause: "general-function", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: either(converted(0, "byte", "string"), converted(0, "rune", "string"), converted(0, "uint8", "string"), converted(0, "int32", "string")),
			Cost:       "processes a one-character string",
			Instead:    "unicode.ToLower(r) or ToUpper(r), converted to a string, is the same.",
			Confidence: finding.High,
			Example: Example{Params: "c rune", Result: "string", Args: "'x'",
				Before: "return strings.ToUpper(string(c))",
				After:  "return string(unicode.ToUpper(c))"},
		},
		{
			ID: "strings-replace-chain", Cause: "general-function", Callees: []string{"strings.ReplaceAll"}, When: chained(3),
			Cost:       "scans the string once for each replacement, and allocates a new one for each that applies",
			Instead:    "Make a strings.NewReplacer of them in a package variable: it replaces all in one pass. If most strings need no replacement, check first: strings.ContainsAny(s, …).",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "string", Args: `"a < b && c > d, or \"quoted\" and 'so' on"`, Decls: `var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&#34;")`,
				Before: `return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&#34;")`,
				After:  "return escaper.Replace(text)"},
		},
		{
			ID: "fmt-sprintf-as-bytes", Cause: "written-text", Callees: []string{"fmt.Sprintf"}, When: convertedTo("[]byte"),
			Cost:       "allocates a string",
			Instead:    "fmt.Appendf(nil, …) formats into bytes. For empty output it returns nil, where the conversion returns empty, non-nil bytes.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "[]byte", Args: "123456",
				Before: `return []byte(fmt.Sprintf("%08d", n))`,
				After:  `return fmt.Appendf(nil, "%08d", n)`},
		},
		{
			ID: "strconv-format-as-bytes", Cause: "written-text", Callees: []string{"strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.Quote"}, When: convertedTo("[]byte"),
			Cost:       "allocates a string",
			Instead:    "strconv.AppendInt(nil, int64(n), 10), AppendUint, AppendFloat or AppendQuote writes bytes, or appends them to reused memory.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "[]byte", Args: "123456",
				Before: "return []byte(strconv.Itoa(n))",
				After:  "return strconv.AppendInt(nil, int64(n), 10)"},
		},
		{
			ID: "fmt-sprintf-rounded", Cause: "general-function", Callees: []string{"fmt.Sprintf", "strconv.FormatFloat"}, When: all(decimals, reparsed),
			Cost:    "formats a number as a string, to be parsed again",
			Instead: "Round arithmetically: math.Round(x*100) / 100. A last digit of 5 may round the other way, because x*100 is rounded too.",
			Goes:    All, Confidence: finding.Medium,
			Example: Example{Params: "x float64", Result: "float64", Args: "3.14159",
				Before: "r, _ := strconv.ParseFloat(fmt.Sprintf(\"%.2f\", x), 64)\nreturn r",
				After:  "return math.Round(x*100) / 100"},
		},
		{
			ID: "strings-splitn-pair", Cause: "unused-work", Callees: []string{"strings.SplitN"}, When: all(number(2, "is 2", func(n int64) bool { return n == 2 }), notEmpty(1), pair),
			Cost:    "allocates a slice of the two parts",
			Instead: "Use strings.Cut, which allocates no slice: before, after, found := strings.Cut(s, sep). found replaces the check of len; without a separator, p[1] panics today, and after is empty.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: line,
				Before: "p := strings.SplitN(line, \",\", 2)\nif len(p) < 2 {\n\treturn 0\n}\nreturn len(p[1])",
				After:  "_, rest, found := strings.Cut(line, \",\")\nif !found {\n\treturn 0\n}\nreturn len(rest)"},
		},
		{
			ID: "strings-splitn-few", Cause: "unused-work", Callees: []string{"strings.SplitN"}, When: all(number(2, "is 3 or 4", func(n int64) bool { return n == 3 || n == 4 }), notEmpty(1), few(3)),
			Cost:    "allocates a slice of the parts",
			Instead: "Use strings.Cut, once for each part, which allocates no slice: found of the last call replaces the check of len. If the parts before the last have fixed lengths, check the separators' positions, s[2] == ':', and slice.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "field string", Result: "int", Args: `"MD:Z:34A10^C55"`,
				Before: "p := strings.SplitN(field, \":\", 3)\nif len(p) != 3 || len(p[1]) != 1 {\n\treturn 0\n}\nreturn len(p[0]) + len(p[2])",
				After:  "tag, rest, _ := strings.Cut(field, \":\")\nkind, value, found := strings.Cut(rest, \":\")\nif !found || len(kind) != 1 {\n\treturn 0\n}\nreturn len(tag) + len(value)"},
		},
		{
			ID: "strings-split-last", Cause: "unused-work", Callees: []string{"strings.Split"}, When: all(notEmpty(1), last),
			Cost:       "allocates a slice of all parts",
			Instead:    "Take the part after the last separator: s[strings.LastIndex(s, sep)+len(sep):] if there is one, otherwise all of s.",
			Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: line,
				Before: "p := strings.Split(line, \",\")\nreturn len(p[len(p)-1])",
				After:  "return len(line[strings.LastIndexByte(line, ',')+1:])"},
		},
		{
			ID: "strings-splitafter-ranged", Cause: "ranged-pieces", Callees: []string{"strings.SplitAfter"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over strings.SplitAfterSeq, which yields them one by one.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: line,
				Before: "n := 0\nfor _, p := range strings.SplitAfter(text, \",\") {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.SplitAfterSeq(text, \",\") {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-fields-ranged", Cause: "ranged-pieces", Callees: []string{"strings.Fields"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over strings.FieldsSeq, which yields them one by one.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: "n := 0\nfor _, p := range strings.Fields(text) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.FieldsSeq(text) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-fieldsfunc-ranged", Cause: "ranged-pieces", Callees: []string{"strings.FieldsFunc"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over strings.FieldsFuncSeq, which yields them one by one.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: line,
				Before: "n := 0\nfor _, p := range strings.FieldsFunc(text, unicode.IsPunct) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range strings.FieldsFuncSeq(text, unicode.IsPunct) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "strings-fieldsfunc-space", Cause: "general-function", Callees: []string{"strings.FieldsFunc"}, When: isObject(1, "unicode.IsSpace"),
			Cost:       "calls a function for each character",
			Instead:    "strings.Fields(s) splits at the same characters, and looks up ASCII in a table.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "[]string", Args: `strings.Repeat("internationalization ", 8)`,
				Before: "return strings.FieldsFunc(text, unicode.IsSpace)",
				After:  "return strings.Fields(text)"},
		},
		{
			ID: "strings-trimfunc-space", Cause: "general-function", Callees: []string{"strings.TrimFunc"}, When: isObject(1, "unicode.IsSpace"),
			Cost:       "calls a function for each character at the ends",
			Instead:    "strings.TrimSpace(s) trims the same characters, and looks up ASCII in a table.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "string", Args: `"  the quick brown fox\t\n"`,
				Before: "return strings.TrimFunc(text, unicode.IsSpace)",
				After:  "return strings.TrimSpace(text)"},
		},
		{
			ID: "strings-count-contains", Cause: "unused-work", Callees: []string{"strings.Count"}, When: comparedNumber("it is only compared with 0", "> 0", "== 0", "!= 0"),
			Cost:       "searches all of the string",
			Instead:    "Use strings.Contains, which stops at the first match.",
			Confidence: finding.High,
			Example: Example{Params: "text, part string", Result: "bool", Args: `strings.Repeat("key=value;", 200), ";"`,
				Before: "return strings.Count(text, part) > 0",
				After:  "return strings.Contains(text, part)"},
		},
		{
			ID: "strings-index-prefix", Cause: "unused-work", Callees: []string{"strings.Index"}, When: comparedNumber("it is only compared with 0", "== 0", "!= 0"),
			Cost:       "searches all of the string",
			Instead:    "Use strings.HasPrefix, which examines only the beginning.",
			Confidence: finding.High,
			Example: Example{Params: "text, part string", Result: "bool", Args: `strings.Repeat("key=value;", 20), "https:"`,
				Before: "return strings.Index(text, part) == 0",
				After:  "return strings.HasPrefix(text, part)"},
		},
		{
			ID: "strings-compare-equal", Cause: "unused-work", Callees: []string{"strings.Compare"}, When: comparedNumber("it is only compared with 0", "== 0", "!= 0"),
			Cost:       "determines which comes first",
			Instead:    "Use == of the strings, which compares the lengths first.",
			Confidence: finding.High,
			Example: Example{Params: "a, b string", Result: "bool", Args: `"internal/diagnose/knowledge", "internal/diagnose/knowledge.go"`,
				Before: "return strings.Compare(a, b) == 0",
				After:  "return a == b"},
		},
		{
			ID: "strings-split-joined", Cause: "unused-work", Callees: []string{"strings.Split"}, When: all(notEmpty(1), passed("strings.Join")),
			Cost:       "allocates a slice of all parts",
			Instead:    "strings.ReplaceAll(s, sep, other) does the same as Join of Split in one pass, and returns s itself if there is no separator.",
			Confidence: finding.High,
			Example: Example{Params: "line string", Result: "string", Args: line,
				Before: `return strings.Join(strings.Split(line, ","), "; ")`,
				After:  `return strings.ReplaceAll(line, ",", "; ")`},
		},
		{
			ID: "strings-lower-prefix", Cause: "compared-text", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: foldedAffix,
			Cost:    "allocates a string",
			Instead: "Compare only a prefix of that length with strings.EqualFold: len(s) >= len(p) && strings.EqualFold(s[:len(p)], p); for a suffix s[len(s)-len(p):]. It differs for non-ASCII letters that fold to ASCII, because they take more bytes: the Kelvin sign.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "header string", Result: "bool", Args: `"Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"`,
				Before: `return strings.HasPrefix(strings.ToLower(header), "bearer ")`,
				After:  `return len(header) >= 7 && strings.EqualFold(header[:7], "bearer ")`},
		},
		{
			ID: "strings-steady", Cause: "made-per-call", Callees: []string{"strings.ToLower", "strings.ToUpper", "strings.Repeat", "strings.Replace", "strings.ReplaceAll"}, When: same,
			Cost:    "builds the same string again",
			Instead: "Build it once: before the loop, or in a package variable if its arguments are constant.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "name string, list []string", Result: "int", Args: `"Content-Type", []string{"accept", "content-length", "content-type"}`,
				Before: "for i, s := range list {\n\tif s == strings.ToLower(name) {\n\t\treturn i\n\t}\n}\nreturn -1",
				After:  "name = strings.ToLower(name)\nfor i, s := range list {\n\tif s == name {\n\t\treturn i\n\t}\n}\nreturn -1"},
		},
		{
			ID: "strings-replacer-written", Cause: "written-text", Callees: []string{"strings.(*Replacer).Replace"}, When: written,
			Cost:       "allocates a string",
			Instead:    "The replacer's WriteString(w, s) writes directly.",
			Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, text string", Result: "int", Args: `new(bytes.Buffer), "a < b && c > d, or \"quoted\" and 'so' on"`, Decls: `var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")`,
				Before: "w.Reset()\nw.WriteString(escaper.Replace(text))\nreturn w.Len()",
				After:  "w.Reset()\nescaper.WriteString(w, text)\nreturn w.Len()"},
		},
		{
			ID: "strings-join-written", Cause: "written-text", Callees: []string{"strings.Join"}, When: written,
			Cost:       "allocates a string",
			Instead:    "Write the parts one by one, with the separator before each but the first. For a writer without a buffer keep Join: each Write is a system call.",
			Confidence: finding.Medium,
			Example: Example{Params: "w *bytes.Buffer, parts []string", Result: "int", Args: `new(bytes.Buffer), strings.Fields("the quick brown fox jumps over the lazy dog")`,
				Before: "w.Reset()\nw.WriteString(strings.Join(parts, \", \"))\nreturn w.Len()",
				After:  "w.Reset()\nfor i, p := range parts {\n\tif i > 0 {\n\t\tw.WriteString(\", \")\n\t}\n\tw.WriteString(p)\n}\nreturn w.Len()"},
		},
		{
			ID: "unicode-is-table", Cause: "general-function", Callees: []string{"unicode.Is"}, When: isObject(0, "unicode.Letter", "unicode.L", "unicode.Upper", "unicode.Lu", "unicode.Lower", "unicode.Ll", "unicode.Digit", "unicode.Nd", "unicode.White_Space"),
			Cost:       "searches the table of the class",
			Instead:    "unicode.IsLetter, IsUpper, IsLower, IsDigit or IsSpace answers for Latin-1 with one lookup in a property table, and searches the same table for all other characters.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: "n := 0\nfor _, r := range text {\n\tif unicode.Is(unicode.Letter, r) {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nfor _, r := range text {\n\tif unicode.IsLetter(r) {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "strings-split-few", Cause: "unused-work", Callees: []string{"strings.Split"}, When: all(notEmpty(1), few(2)),
			Cost:    "allocates a slice of all parts",
			Instead: "Use strings.Cut, once for each part, which allocates no slice: found, and strings.Contains on the rest, replace the check of len.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "pair string", Result: "int", Args: `"timeout=30s"`,
				Before: "p := strings.Split(pair, \"=\")\nif len(p) != 2 {\n\treturn 0\n}\nreturn len(p[1])",
				After:  "key, value, found := strings.Cut(pair, \"=\")\nif !found || strings.Contains(value, \"=\") || len(key) == 0 {\n\treturn 0\n}\nreturn len(value)"},
		},
		{
			ID: "strings-fields-few", Cause: "unused-work", Callees: []string{"strings.Fields"}, When: few(15), Go: "go1.24",
			Cost:    "allocates a slice of all words",
			Instead: "Fill an array, which stays on the stack, with the needed words in a loop over strings.FieldsSeq, and count them.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line string", Result: "int", Args: `"cpu0 4705 356 584 3699 23 23 0 0"`,
				Before: "f := strings.Fields(line)\nif len(f) < 4 {\n\treturn 0\n}\nreturn len(f[1]) + len(f[3])",
				After:  "var f [4]string\nn := 0\nfor word := range strings.FieldsSeq(line) {\n\tif n < len(f) {\n\t\tf[n] = word\n\t}\n\tn++\n}\nif n < 4 {\n\treturn 0\n}\nreturn len(f[1]) + len(f[3])"},
		},
		{
			ID: "strings-fields-joined", Cause: "unused-work", Callees: []string{"strings.Fields"}, When: handed(0, "strings.Join"), Go: "go1.24",
			Cost:       "allocates a slice of all words",
			Instead:    "Write the words of strings.FieldsSeq to a strings.Builder grown to the string's length, with the separator before each but the first.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "string", Args: `"the  quick brown   fox jumps over the lazy   dog"`,
				Before: `return strings.Join(strings.Fields(text), " ")`,
				After:  "var b strings.Builder\nb.Grow(len(text))\nfor word := range strings.FieldsSeq(text) {\n\tif b.Len() > 0 {\n\t\tb.WriteByte(' ')\n\t}\n\tb.WriteString(word)\n}\nreturn b.String()"},
		},
		{
			ID: "strings-trim-space", Cause: "general-function", Callees: []string{"strings.Trim"}, When: texts(1, "is space, tab and possibly other white space", func(s string) bool {
				return strings.Contains(s, " ") && strings.Contains(s, "\t") && strings.Trim(s, " \t\n\v\f\r") == ""
			}),
			Cost:       "builds a set of the characters and tests each",
			Instead:    "strings.TrimSpace uses a table. It trims both ends, and all white space, including Unicode's.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "string", Args: `"  the quick brown fox \r\n"`,
				Before: `return strings.Trim(text, " \t\r\n")`,
				After:  "return strings.TrimSpace(text)"},
		},
	}
}

// decimals: the text is that of one float64, with a constant number of digits after
// the point.
var decimals = Condition{"it formats one float64 with a constant number of digits after the point", func(c *Call) bool {
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
var reparsed = result("strconv.ParseFloat of 64 bits parses it, and nothing else uses it", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	return ok && c.setHere(use) && c.In.Called(call) == "strconv.ParseFloat" && len(call.Args) == 2 && call.Args[0] == use && c.isInt(call.Args[1], 64)
})
