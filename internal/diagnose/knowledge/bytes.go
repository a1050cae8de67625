package knowledge

import (
	"go/ast"

	"whet/internal/finding"
)

// ofBytes are rows of package bytes.
func ofBytes() []Row {
	return []Row{
		{
			ID: "bytes-splitn-pair", Cause: "unused-work", Callees: []string{"bytes.SplitN"}, When: all(number(2, "is 2", func(n int64) bool { return n == 2 }), notEmpty(1), pair),
			Cost:    "allocates a slice of the two parts",
			Instead: "Use bytes.Cut, which allocates no slice: before, after, found := bytes.Cut(s, sep). found replaces the check of len; without a separator, p[1] panics today, and after is nil. Before you append to a part, limit its capacity.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line []byte", Result: "int", Args: `[]byte("alpha,beta,gamma,delta,epsilon,zeta,eta,theta")`,
				Before: "p := bytes.SplitN(line, []byte(\",\"), 2)\nif len(p) < 2 {\n\treturn 0\n}\nreturn len(p[1])",
				After:  "_, rest, found := bytes.Cut(line, []byte(\",\"))\nif !found {\n\treturn 0\n}\nreturn len(rest)"},
		},
		{
			ID: "bytes-splitn-few", Cause: "unused-work", Callees: []string{"bytes.SplitN"}, When: all(number(2, "is 3 or 4", func(n int64) bool { return n == 3 || n == 4 }), notEmpty(1), few(3)),
			Cost:    "allocates a slice of the parts",
			Instead: "Use bytes.Cut, once for each part, which allocates no slice: found of the last call replaces the check of len. If the parts before the last have fixed lengths, check the separators' positions, s[2] == ':', and slice.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "field []byte", Result: "int", Args: `[]byte("MD:Z:34A10^C55")`,
				Before: "p := bytes.SplitN(field, []byte(\":\"), 3)\nif len(p) != 3 || len(p[1]) != 1 {\n\treturn 0\n}\nreturn len(p[0]) + len(p[2])",
				After:  "tag, rest, _ := bytes.Cut(field, []byte(\":\"))\nkind, value, found := bytes.Cut(rest, []byte(\":\"))\nif !found || len(kind) != 1 {\n\treturn 0\n}\nreturn len(tag) + len(value)"},
		},
		{
			ID: "bytes-split-last", Cause: "unused-work", Callees: []string{"bytes.Split"}, When: all(notEmpty(1), last),
			Cost:       "allocates a slice of all parts",
			Instead:    "Take the part after the last separator: s[bytes.LastIndex(s, sep)+len(sep):] if there is one, otherwise all of s.",
			Confidence: finding.High,
			Example: Example{Params: "line []byte", Result: "int", Args: `[]byte("alpha,beta,gamma,delta,epsilon,zeta,eta,theta")`,
				Before: "p := bytes.Split(line, []byte(\",\"))\nreturn len(p[len(p)-1])",
				After:  "return len(line[bytes.LastIndexByte(line, ',')+1:])"},
		},
		{
			ID: "bytes-splitafter-ranged", Cause: "ranged-pieces", Callees: []string{"bytes.SplitAfter"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over bytes.SplitAfterSeq, which yields the parts one by one, and searches for the next only then: the loop must not change the following bytes.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: `[]byte("alpha,beta,gamma,delta,epsilon,zeta,eta,theta")`,
				Before: "n := 0\nfor _, p := range bytes.SplitAfter(text, []byte(\",\")) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range bytes.SplitAfterSeq(text, []byte(\",\")) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "bytes-fields-ranged", Cause: "ranged-pieces", Callees: []string{"bytes.Fields"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over bytes.FieldsSeq, which yields the words one by one, and searches for the next only then: the loop must not change the following bytes.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: `[]byte("the quick brown fox jumps over the lazy dog")`,
				Before: "n := 0\nfor _, p := range bytes.Fields(text) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range bytes.FieldsSeq(text) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "bytes-fieldsfunc-ranged", Cause: "ranged-pieces", Callees: []string{"bytes.FieldsFunc"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over bytes.FieldsFuncSeq, which yields the parts one by one, and searches for the next only then: the loop must not change the following bytes.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: `[]byte("alpha,beta,gamma,delta,epsilon,zeta,eta,theta")`,
				Before: "n := 0\nfor _, p := range bytes.FieldsFunc(text, unicode.IsPunct) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range bytes.FieldsFuncSeq(text, unicode.IsPunct) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "bytes-split-ranged", Cause: "ranged-pieces", Callees: []string{"bytes.Split"}, When: ranged, Go: "go1.24",
			Cost:    "allocates a slice of all parts",
			Instead: "Range over bytes.SplitSeq, which yields the parts one by one, and searches for the next only then: the loop must not change the following bytes.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: `[]byte("alpha,beta,gamma,delta,epsilon,zeta,eta,theta")`,
				Before: "n := 0\nfor _, p := range bytes.Split(text, []byte(\",\")) {\n\tn += len(p)\n}\nreturn n",
				After:  "n := 0\nfor p := range bytes.SplitSeq(text, []byte(\",\")) {\n\tn += len(p)\n}\nreturn n"},
		},
		{
			ID: "bytes-fieldsfunc-space", Cause: "general-function", Callees: []string{"bytes.FieldsFunc"}, When: isObject(1, "unicode.IsSpace"),
			Cost:       "calls a function for each character",
			Instead:    "bytes.Fields(s) splits at the same characters, and looks up ASCII in a table.",
			Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "[][]byte", Args: `bytes.Repeat([]byte("internationalization "), 8)`,
				Before: "return bytes.FieldsFunc(text, unicode.IsSpace)",
				After:  "return bytes.Fields(text)"},
		},
		{
			ID: "bytes-trimfunc-space", Cause: "general-function", Callees: []string{"bytes.TrimFunc"}, When: isObject(1, "unicode.IsSpace"),
			Cost:       "calls a function for each character at the ends",
			Instead:    "bytes.TrimSpace(s) trims the same characters, and looks up ASCII in a table. For input of only white space both return nil.",
			Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "[]byte", Args: `[]byte("  the quick brown fox\t\n")`,
				Before: "return bytes.TrimFunc(text, unicode.IsSpace)",
				After:  "return bytes.TrimSpace(text)"},
		},
		{
			ID: "bytes-count-contains", Cause: "unused-work", Callees: []string{"bytes.Count"}, When: comparedNumber("it is only compared with 0", "> 0", "== 0", "!= 0"),
			Cost:       "searches all of the input",
			Instead:    "Use bytes.Contains, which stops at the first match.",
			Confidence: finding.High,
			Example: Example{Params: "text, part []byte", Result: "bool", Args: `bytes.Repeat([]byte("key=value;"), 200), []byte(";")`,
				Before: "return bytes.Count(text, part) > 0",
				After:  "return bytes.Contains(text, part)"},
		},
		{
			ID: "bytes-index-prefix", Cause: "unused-work", Callees: []string{"bytes.Index"}, When: comparedNumber("it is only compared with 0", "== 0", "!= 0"),
			Cost:       "searches all of the input",
			Instead:    "Use bytes.HasPrefix, which examines only the beginning.",
			Confidence: finding.High,
			Example: Example{Params: "text, part []byte", Result: "bool", Args: `bytes.Repeat([]byte("key=value;"), 20), []byte("https:")`,
				Before: "return bytes.Index(text, part) == 0",
				After:  "return bytes.HasPrefix(text, part)"},
		},
		{
			ID: "bytes-compare-equal", Cause: "unused-work", Callees: []string{"bytes.Compare"}, When: comparedNumber("it is only compared with 0", "== 0", "!= 0"),
			Cost:       "determines which comes first",
			Instead:    "Use bytes.Equal, which compares the lengths first.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []byte", Result: "bool", Args: `[]byte("internal/diagnose/knowledge"), []byte("internal/diagnose/knowledge.go")`,
				Before: "return bytes.Compare(a, b) == 0",
				After:  "return bytes.Equal(a, b)"},
		},
		{
			ID: "bytes-lower-compared", Cause: "compared-text", Callees: []string{"bytes.ToLower", "bytes.ToUpper"}, When: foldedEqual,
			Cost:    "makes a copy",
			Instead: "Use bytes.EqualFold, which makes no copies. It compares with Unicode case folding, which differs for a few letters outside ASCII: ſ and s, and ς and σ, are equal, though ToLower tells them apart; so are the Kelvin sign and k, though ToUpper tells them apart. İ and i are not equal, though ToLower gives the same for both; nor are ı and I, though ToUpper does.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "a, b []byte", Result: "bool", Args: `[]byte("Content-Length"), []byte("content-length")`,
				Before: "return bytes.Equal(bytes.ToLower(a), bytes.ToLower(b))",
				After:  "return bytes.EqualFold(a, b)"},
		},
		{
			ID: "bytes-runes-counted", Cause: "counted-result", Callees: []string{"bytes.Runes"}, When: counted,
			Cost:    "decodes all characters into a slice",
			Instead: "utf8.RuneCount(b) is their number.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "text []byte", Result: "int", Args: `[]byte("the quick brown fox jumps over the lazy dog")`,
				Before: "return len(bytes.Runes(text))",
				After:  "return utf8.RuneCount(text)"},
		},
		{
			ID: "bytes-string-counted", Cause: "counted-result", Callees: []string{"bytes.(*Buffer).String"}, When: all(inPlace, counted),
			Cost:    "copies all bytes into a string",
			Instead: "The buffer's Len() is the number of bytes.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "b *bytes.Buffer", Result: "int", Args: `bytes.NewBufferString(strings.Repeat("x", 1000))`,
				Before: "return len(b.String())",
				After:  "return b.Len()"},
		},
		{
			ID: "bytes-string-compared", Cause: "compared-text", Callees: []string{"bytes.(*Buffer).String"}, When: all(inPlace, compared("it is compared", nil)),
			Cost:    "copies all bytes into a string",
			Instead: "Convert in the comparison itself, string(b.Bytes()) == s, which copies nothing.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "b *bytes.Buffer, wanted string", Result: "bool", Args: `bytes.NewBufferString(strings.Repeat("x", 1000)), strings.Repeat("x", 1000)`,
				Before: "return b.String() == wanted",
				After:  "return string(b.Bytes()) == wanted"},
		},
		{
			ID: "bytes-string-written", Cause: "written-text", Callees: []string{"bytes.(*Buffer).String"}, When: all(inPlace, written),
			Cost:    "copies all bytes into a string",
			Instead: "Write its Bytes(), or call WriteTo, which also empties the buffer.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "b, w *bytes.Buffer", Result: "int", Args: `bytes.NewBufferString(strings.Repeat("x", 1000)), new(bytes.Buffer)`,
				Before: "w.Reset()\nw.WriteString(b.String())\nreturn w.Len()",
				After:  "w.Reset()\nw.Write(b.Bytes())\nreturn w.Len()"},
		},
		{
			ID: "bytes-buffer-read", Cause: "needless-copy", Callees: []string{"bytes.NewBufferString"}, When: readOnly,
			Cost:       "copies the string",
			Instead:    "strings.NewReader(s) reads the string in place.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("x", 1000)`,
				Before: "n, _ := io.Copy(io.Discard, bytes.NewBufferString(text))\nreturn int(n)",
				After:  "n, _ := io.Copy(io.Discard, strings.NewReader(text))\nreturn int(n)"},
		},
		{
			ID: "bytes-split-few", Cause: "unused-work", Callees: []string{"bytes.Split"}, When: all(notEmpty(1), few(2)),
			Cost:    "allocates a slice of all parts",
			Instead: "Use bytes.Cut, once for each part, which allocates no slice: found, and bytes.Contains on the rest, replace the check of len.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "pair []byte", Result: "int", Args: `[]byte("timeout=30s")`,
				Before: "p := bytes.Split(pair, []byte(\"=\"))\nif len(p) != 2 {\n\treturn 0\n}\nreturn len(p[1])",
				After:  "key, value, found := bytes.Cut(pair, []byte(\"=\"))\nif !found || bytes.Contains(value, []byte(\"=\")) || len(key) == 0 {\n\treturn 0\n}\nreturn len(value)"},
		},
		{
			ID: "bytes-fields-few", Cause: "unused-work", Callees: []string{"bytes.Fields"}, When: few(15), Go: "go1.24",
			Cost:    "allocates a slice of all words",
			Instead: "Fill an array, which stays on the stack, with the needed words in a loop over bytes.FieldsSeq, and count them.",
			Goes:    Memory, Confidence: finding.High,
			Example: Example{Params: "line []byte", Result: "int", Args: `[]byte("cpu0 4705 356 584 3699 23 23 0 0")`,
				Before: "f := bytes.Fields(line)\nif len(f) < 4 {\n\treturn 0\n}\nreturn len(f[1]) + len(f[3])",
				After:  "var f [4][]byte\nn := 0\nfor word := range bytes.FieldsSeq(line) {\n\tif n < len(f) {\n\t\tf[n] = word\n\t}\n\tn++\n}\nif n < 4 {\n\treturn 0\n}\nreturn len(f[1]) + len(f[3])"},
		},
	}
}

// inPlace: the result is used where the call stands. A variable may be used when that
// which it was made of has changed.
var inPlace = Condition{"its result is used directly", func(c *Call) bool {
	_, set := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	return !set
}}
