package knowledge

import (
	"go/ast"
	"go/types"
	"regexp/syntax"
	"slices"
	"strings"

	"whet/internal/finding"
	"whet/internal/symbolname"
)

// ofBroad are rows whose condition is no more than that the call can do without: they
// are asked after the narrow ones of the same function.
func ofBroad() []Row {
	return []Row{
		{
			ID: "csv-records-dropped", Cause: "unused-work", Callees: []string{"encoding/csv.(*Reader).Read"}, When: recordDropped,
			Cost:       "builds the fields of each record, which are dropped",
			Instead:    "Scan the bytes: cut lines off with bytes.IndexByte, and count the separators outside quotes, as far as needed. The loop then has to check FieldsPerRecord and quotes itself.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("alpha,beta,12345,gamma\n", 100)`,
				Before: "r := csv.NewReader(strings.NewReader(text))\nr.ReuseRecord = true\nn := 0\nfor {\n\t_, err := r.Read()\n\tif err != nil {\n\t\treturn n\n\t}\n\tn++\n}",
				After:  "n := 0\nfor len(text) > 0 {\n\t_, text, _ = strings.Cut(text, \"\\n\")\n\tn++\n}\nreturn n"},
		},
		{
			ID: "http-header-fixed", Cause: "made-per-call", Callees: []string{"net/http.Header.Set", "net/http.Header.Add"}, When: all(fixed(0), fixed(1)),
			Cost:       "allocates a slice of one element for a constant value",
			Instead:    "Make the slice once, var vary = []string{\"Origin\"}, and set h[\"Vary\"] = vary[:1:1], with the key in its canonical form. If the key may already be set, look it up first, and then append.",
			Goes:       Time,
			Confidence: finding.Medium,
			Example: Example{Params: "h http.Header", Result: "int", Args: "make(http.Header)", Decls: "var vary = []string{\"Origin\"}",
				Before: "h.Set(\"Vary\", \"Origin\")\nreturn len(h)", After: "h[\"Vary\"] = vary[:1:1]\nreturn len(h)"},
		},
		{
			ID: "url-query-one", Cause: "unused-work", Callees: []string{"net/url.(*URL).Query"}, When: oneKey,
			Cost:       "parses the whole query and builds a map of it, for one key",
			Instead:    "If several keys are used, parse the query once for each request and keep the url.Values. For one key, cut u.RawQuery at & and =, and call url.QueryUnescape for its value alone.",
			Goes:       Time,
			Confidence: finding.Medium,
			Example: Example{Params: "u *url.URL", Result: "string", Args: `&url.URL{RawQuery: "page=3&size=20&sort=name"}`,
				Before: `return u.Query().Get("size")`,
				After:  "for rest := u.RawQuery; rest != \"\"; {\n\tvar pair string\n\tpair, rest, _ = strings.Cut(rest, \"&\")\n\tif k, v, _ := strings.Cut(pair, \"=\"); k == \"size\" {\n\t\tv, _ = url.QueryUnescape(v)\n\t\treturn v\n\t}\n}\nreturn \"\""},
		},
		{
			ID: "encoder-of-bytes", Cause: "made-per-call", Callees: []string{"encoding/base64.NewEncoder", "encoding/base32.NewEncoder"}, When: asked("Write", "Close"),
			Cost:       "allocates an encoder and its buffer",
			Instead:    "For bytes in memory call enc.AppendEncode (from go1.22; before it, Encode into a reused buffer): with a bytes.Buffer or bufio.Writer w, w.Write(enc.AppendEncode(w.AvailableBuffer(), b)) does not allocate. An encoder is for data that comes in pieces.",
			Confidence: finding.Medium,
			Example: Example{Params: "w *bytes.Buffer, b []byte", Args: "new(bytes.Buffer), make([]byte, 32)",
				Before: "w.Reset()\nenc := base64.NewEncoder(base64.StdEncoding, w)\nenc.Write(b)\nenc.Close()", After: "w.Reset()\nw.Write(base64.StdEncoding.AppendEncode(w.AvailableBuffer(), b))"},
		},
		{
			ID: "reflect-index-interface", Cause: "general-function", Callees: []string{"reflect.Value.Interface"}, When: all(receiverMade("reflect.Value.Index"), not(specialised, "the function has not tried slices of several types before")),
			Cost:       "boxes an element, which reflection took out of a slice",
			Instead:    "First handle the common slice types with a type switch: case []int, []float64, []string, []any. Index those directly, and leave reflection to the remaining types.",
			Confidence: finding.Medium,
			Example: Example{Params: "list any", Result: "float64", Args: "[]int{1, 2, 3, 4, 5, 600, 700, 800}",
				Before: "v, sum := reflect.ValueOf(list), 0.0\nfor i := range v.Len() {\n\tswitch x := v.Index(i).Interface().(type) {\n\tcase int:\n\t\tsum += float64(x)\n\tcase any:\n\t\treturn 0\n\t}\n}\nreturn sum",
				After:  "sum := 0.0\nif s, ok := list.([]int); ok {\n\tfor _, x := range s {\n\t\tsum += float64(x)\n\t}\n}\nreturn sum"},
		},
		{
			ID: "deepequal-any", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("interfaces", func(t types.Type) bool { return types.IsInterface(t) }),
			Cost:       "compares both by reflection, and records each visited pair",
			Instead:    "Write a comparison for the types that occur: a type switch with ==, bytes.Equal, and a recursive loop over []any and map[string]any; leave DeepEqual to the others.",
			Confidence: finding.Medium,
			Example: Example{Params: "a, b any", Result: "bool", Args: `[]any{"a", 1.0, true, []any{"b", "c"}}, []any{"a", 1.0, true, []any{"b", "c"}}`,
				Decls:  "func same(a, b any) bool {\n\tx, ok := a.([]any)\n\tif !ok {\n\t\treturn a == b\n\t}\n\ty, ok := b.([]any)\n\tif !ok || len(x) != len(y) {\n\t\treturn false\n\t}\n\tfor i := range x {\n\t\tif !same(x[i], y[i]) {\n\t\t\treturn false\n\t\t}\n\t}\n\treturn true\n}",
				Before: "return reflect.DeepEqual(a, b)", After: "return same(a, b)"},
		},
		{
			ID: "regexp-at-start", Cause: "general-function", Callees: []string{"regexp.(*Regexp).MatchString", "regexp.(*Regexp).Match", "regexp.(*Regexp).FindStringSubmatch", "regexp.(*Regexp).FindSubmatch", "regexp.(*Regexp).FindString", "regexp.(*Regexp).FindStringIndex", "regexp.(*Regexp).FindIndex", "regexp.(*Regexp).Find"}, When: pattern("is anchored at the beginning and made of characters, repetitions and groups", atStart),
			Cost:       "runs the matcher of package regexp",
			Instead:    "Check the characters in order: a loop over the bytes with a comparison or a table of 256 bool for each part, strings.Cut at separators. A match can only begin at the start of the string, so there is nothing to search; if the first characters often decide, check them before the expression.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "bool", Args: `"2024-05-06"`, Decls: "var month = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)",
				Before: "return month.MatchString(text)",
				After:  "if len(text) != 10 {\n\treturn false\n}\nfor i := range len(text) {\n\tif i == 4 || i == 7 {\n\t\tif text[i] != '-' {\n\t\t\treturn false\n\t\t}\n\t} else if text[i] < '0' || text[i] > '9' {\n\t\treturn false\n\t}\n}\nreturn true"},
		},
		{
			ID: "regexp-replace-run", Cause: "general-function", Callees: []string{"regexp.(*Regexp).ReplaceAllString", "regexp.(*Regexp).ReplaceAllLiteralString", "regexp.(*Regexp).ReplaceAll"}, When: pattern("is a character, a character class, or a run of either", ofCharacterRun),
			Cost:       "runs the matcher of package regexp over each character",
			Instead:    "Loop over the bytes, append the ones that stay, and write the replacement once for each run; first check whether there is anything to replace, strings.Contains(s, \"//\") or strings.ContainsAny, and if not, return the string itself.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "path string", Result: "string", Args: `"/static//css/main.css"`, Decls: "var slashes = regexp.MustCompile(`/{2,}`)",
				Before: "return slashes.ReplaceAllString(path, \"/\")",
				After:  "if !strings.Contains(path, \"//\") {\n\treturn path\n}\nb := make([]byte, 0, len(path))\nfor i := range len(path) {\n\tif path[i] != '/' || i == 0 || path[i-1] != '/' {\n\t\tb = append(b, path[i])\n\t}\n}\nreturn string(b)"},
		},
		{
			ID: "text-parsed-again", Cause: "general-function", Callees: []string{"strconv.ParseFloat", "strconv.ParseInt", "strconv.ParseUint", "strconv.Atoi", "math/big.(*Int).SetString", "math/big.(*Float).SetString", "math/big.(*Rat).SetString", "math/big.ParseFloat", "github.com/shopspring/decimal.NewFromString", "net.ParseIP", "net/netip.ParseAddr", "net/url.Parse", "time.Parse"}, When: formatted,
			Cost:       "parses a string that was formatted from a value",
			Instead:    "Convert the value directly: new(big.Float).SetInt(x), decimal.NewFromBigInt(x, exp), netip.AddrFromSlice(ip), float64(n).",
			Confidence: finding.Medium,
			Example: Example{Params: "x *big.Int", Result: "float64", Args: "big.NewInt(123456789012)",
				Before: "f, _ := strconv.ParseFloat(x.String(), 64)\nreturn f", After: "f, _ := x.Float64()\nreturn f"},
		},
		{
			ID: "string-of-bytes-parsed", Cause: "needless-copy", Callees: []string{"string([]byte)"}, When: handed(0, "math/big.(*Int).SetString", "math/big.(*Float).SetString", "math/big.(*Rat).SetString", "strconv.ParseFloat", "strconv.ParseInt", "strconv.ParseUint", "strconv.Atoi", "time.Parse"),
			Cost:       "copies the bytes for a parser that does not keep them",
			Instead:    "Use unsafe.String(unsafe.SliceData(b), len(b)), the same string without a copy, which is safe for a call that does not keep it; or parse the digits from the bytes in a loop.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "x *big.Int, b []byte", Result: "int", Args: `new(big.Int), []byte("123456789012345678901234567890")`,
				Before: "x.SetString(string(b), 10)\nreturn x.BitLen()", After: "x.SetString(unsafe.String(unsafe.SliceData(b), len(b)), 10)\nreturn x.BitLen()"},
		},
		{
			ID: "split-whole-file", Cause: "unused-work", Callees: []string{"bytes.Split", "strings.Split"}, When: all(not(ranged, "no loop ranges over the parts"), either(resultOf(0, "os.ReadFile", "io.ReadAll"), convertedResultOf(0, "os.ReadFile", "io.ReadAll"))),
			Cost:       "splits a whole file, which was read for that",
			Instead:    "Read no further than the wanted part: use a bufio.Scanner over the file, or bytes.IndexByte on the data. If the same file is read again, cache its lines by file name.",
			Confidence: finding.Medium,
			Example: Example{Params: "name string, n int", Result: "int", Args: `func() string { f, _ := os.CreateTemp("", ""); f.WriteString(strings.Repeat("a line of the file\n", 2000)); return f.Name() }(), 20`,
				Before: "data, err := os.ReadFile(name)\nif err != nil {\n\treturn 0\n}\nlines := bytes.Split(data, []byte{'\\n'})\nreturn len(lines[n])",
				After:  "f, err := os.Open(name)\nif err != nil {\n\treturn 0\n}\ndefer f.Close()\nin := bufio.NewScanner(f)\nfor range n {\n\tin.Scan()\n}\nif !in.Scan() {\n\treturn 0\n}\nreturn len(in.Bytes())"},
		},
		{
			ID: "timer-before-select", Cause: "made-per-call", Callees: []string{"time.NewTimer"}, When: timerSelected,
			Cost:       "allocates a timer for a select that may not have to wait",
			Instead:    "First try the other cases, in a select with a default, and make the timer only if none was ready.",
			Confidence: finding.Medium,
			Example: Example{Params: "c chan int", Result: "int", Args: "func() chan int { c := make(chan int); close(c); return c }()",
				Decls:  "func wait(c chan int) int {\n\tt := time.NewTimer(time.Minute)\n\tdefer t.Stop()\n\tselect {\n\tcase n := <-c:\n\t\treturn n\n\tcase <-t.C:\n\t\treturn 0\n\t}\n}",
				Before: "t := time.NewTimer(time.Minute)\ndefer t.Stop()\nselect {\ncase n := <-c:\n\treturn n\ncase <-t.C:\n\treturn 0\n}",
				After:  "select {\ncase n := <-c:\n\treturn n\ndefault:\n\treturn wait(c)\n}"},
		},
		{
			ID: "reflect-call", Cause: "general-function", Callees: []string{"reflect.Value.Call"}, When: not(receiverMade("reflect.Value.MethodByName"), "it is not called on the result of MethodByName"),
			Cost:       "allocates arguments and results, and checks their types",
			Instead:    "Handle the common function types with a type switch, case func(string) (string, error):, and call those directly; leave reflection to the others. If the types are known, keep a closure in place of the Value.",
			Confidence: finding.Medium,
			Example: Example{Params: "fn any, n int", Result: "int", Args: "func(n int) int { return n + 1 }, 3",
				Before: "return int(reflect.ValueOf(fn).Call([]reflect.Value{reflect.ValueOf(n)})[0].Int())",
				After:  "if f, ok := fn.(func(int) int); ok {\n\treturn f(n)\n}\nreturn 0"},
		},
		{
			ID: "reflect-mapindex", Cause: "general-function", Callees: []string{"reflect.Value.MapIndex"}, When: not(rangedOver(0, "reflect.Value.MapKeys"), "its argument is not the variable of a loop over MapKeys"),
			Cost:       "looks up a key by reflection, and copies the element to the heap",
			Instead:    "Handle the common map types with a type switch, case map[string]any:, case map[string]string:, and index those; leave reflection to the others.",
			Confidence: finding.Medium,
			Example: Example{Params: "m any, key string", Result: "int", Args: `map[string]int{"a": 1, "b": 2}, "b"`,
				Before: "v := reflect.ValueOf(m).MapIndex(reflect.ValueOf(key))\nif !v.IsValid() {\n\treturn 0\n}\nreturn int(v.Int())",
				After:  "if m, ok := m.(map[string]int); ok {\n\treturn m[key]\n}\nreturn 0"},
		},
		{
			ID: "reflect-tag-per-call", Cause: "made-per-call", Callees: []string{"reflect.StructTag.Get", "reflect.StructTag.Lookup"},
			Cost:       "parses a field's tag",
			Instead:    "Read a type's field tags once, and keep them in a sync.Map by the type.",
			Confidence: finding.Medium,
			Example: Example{Params: "t reflect.Type", Result: "int", Args: "reflect.TypeFor[tagged]()", Decls: "type tagged struct {\n\tA int `json:\"a\" db:\"first\"`\n\tB int `json:\"b\" db:\"second\"`\n}\n\nvar names sync.Map\n\nfunc init() { names.Store(reflect.TypeFor[tagged](), []string{\"first\", \"second\"}) }",
				Before: "n := 0\nfor i := range t.NumField() {\n\tn += len(t.Field(i).Tag.Get(\"db\"))\n}\nreturn n",
				After:  "list, _ := names.Load(t)\nn := 0\nfor _, name := range list.([]string) {\n\tn += len(name)\n}\nreturn n"},
		},
		{
			ID: "frames-by-pc", Cause: "made-per-call", Callees: []string{"runtime.CallersFrames", "runtime.(*Frames).Next", "runtime.FuncForPC", "runtime.(*Func).Name", "runtime.(*Func).FileLine"},
			Cost:       "looks up a function, its file and its line in the program's tables",
			Instead:    "Keep the result in a sync.Map by the program counter: a program has few call sites. Or keep only the program counters of runtime.Callers, and look them up when they are printed.",
			Confidence: finding.Medium,
			Example: Example{Params: "pc uintptr", Result: "int", Args: "reflect.ValueOf(strings.Repeat).Pointer()", Decls: "var lines sync.Map\n\nfunc lookUp(pc uintptr) int {\n\t_, line := runtime.FuncForPC(pc).FileLine(pc)\n\tlines.Store(pc, line)\n\treturn line\n}",
				Before: "_, line := runtime.FuncForPC(pc).FileLine(pc)\nreturn line",
				After:  "if line, ok := lines.Load(pc); ok {\n\treturn line.(int)\n}\nreturn lookUp(pc)"},
		},
		{
			ID: "split-walked", Cause: "unused-work", Callees: []string{"strings.Split", "strings.Fields", "bytes.Split", "bytes.Fields"}, When: fieldsOnly,
			Cost:       "allocates a slice of the parts",
			Instead:    "Take the parts one by one where they are used: part, rest, more = strings.Cut(rest, sep), with a separate counter if the index is needed. Stop as soon as the result is known.",
			Goes:       Time,
			Confidence: finding.Medium,
			Example: Example{Params: "path string", Result: "int", Args: `"static/css/site/main.css"`,
				Before: "n := 0\nfor i, part := range strings.Split(path, \"/\") {\n\tn += i * len(part)\n}\nreturn n",
				After:  "n := 0\nfor i, more := 0, true; more; i++ {\n\tvar part string\n\tpart, path, more = strings.Cut(path, \"/\")\n\tn += i * len(part)\n}\nreturn n"},
		},
		{
			ID: "runes-walked", Cause: "unused-work", Callees: []string{"[]rune(string)"}, When: fieldsOnly,
			Cost:       "allocates a slice of all characters, four bytes each",
			Instead:    "Iterate over the string itself: for i, r := range s yields each character, utf8.DecodeRuneInString(s[i:]) the next, and if all bytes are below utf8.RuneSelf, s[i] is the i-th character.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: sentence,
				Before: "n := 0\nr := []rune(text)\nfor i := 0; i < len(r); i++ {\n\tif r[i] == 'e' {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nfor _, r := range text {\n\tif r == 'e' {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "lower-key", Cause: "text-key", Callees: []string{"strings.ToLower", "strings.ToUpper"}, When: keyed,
			Cost:       "builds a string in one letter case",
			Instead:    "First look up the string unchanged, if the usual spelling is among the keys. Or convert the string into an array, var b [64]byte, and look up m[string(b[:n])], for which the compiler does not copy; longer strings go the old way.",
			Confidence: finding.Medium,
			Example: Example{Params: "name string", Result: "int", Args: `"Content-Type"`, Decls: "var known = map[string]int{\"content-type\": 1, \"accept\": 2}",
				Before: "return known[strings.ToLower(name)]",
				After:  "var b [64]byte\nif len(name) > len(b) {\n\treturn 0\n}\nfor i := range len(name) {\n\tc := name[i]\n\tif 'A' <= c && c <= 'Z' {\n\t\tc += 'a' - 'A'\n\t}\n\tb[i] = c\n}\nreturn known[string(b[:len(name)])]"},
		},
		{
			ID: "regexp-after-literal", Cause: "general-function", Callees: []string{"regexp.(*Regexp).FindAllString", "regexp.(*Regexp).FindAllStringIndex", "regexp.(*Regexp).FindAllStringSubmatch", "regexp.(*Regexp).FindAllStringSubmatchIndex", "regexp.(*Regexp).FindStringSubmatch", "regexp.(*Regexp).FindStringSubmatchIndex", "regexp.(*Regexp).ReplaceAllString", "regexp.(*Regexp).ReplaceAllStringFunc"}, When: pattern("begins with a literal", startsLiteral),
			Cost:       "runs the matcher of package regexp",
			Instead:    "Search for the pattern's literal prefix with strings.Index or IndexByte, and check the characters after it in a loop; if it is absent, there is nothing to do.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `"a text with {one} name and {another}"`, Decls: "var names = regexp.MustCompile(`\\{([a-z]+)\\}`)",
				Before: "n := 0\nfor _, m := range names.FindAllStringSubmatch(text, -1) {\n\tn += len(m[1])\n}\nreturn n",
				After:  "n := 0\nfor {\n\ti := strings.IndexByte(text, '{')\n\tif i < 0 {\n\t\treturn n\n\t}\n\ttext = text[i+1:]\n\tif end := strings.IndexByte(text, '}'); end > 0 {\n\t\tn += end\n\t}\n}"},
		},
		{
			ID: "regexp-around-literal", Cause: "general-function", Callees: []string{"regexp.(*Regexp).Split", "regexp.(*Regexp).FindAllString", "regexp.(*Regexp).FindAllStringIndex", "regexp.(*Regexp).FindAllStringSubmatch", "regexp.(*Regexp).FindAllStringSubmatchIndex", "regexp.(*Regexp).ReplaceAllString"}, When: pattern("is a literal with optional runs of characters around it, such as \\s*,\\s*", aroundLiteral),
			Cost:       "runs the matcher of package regexp over each character",
			Instead:    "Search for the literal with strings.IndexByte, Index, Cut or Split, and remove the surrounding characters with strings.TrimSpace, Trim or a loop.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "[]string", Args: `"alpha, beta , gamma,delta ,epsilon"`, Decls: "var commas = regexp.MustCompile(`\\s*,\\s*`)",
				Before: "return commas.Split(text, -1)",
				After:  "parts := strings.Split(text, \",\")\nfor i, p := range parts {\n\tparts[i] = strings.TrimSpace(p)\n}\nreturn parts"},
		},
		{
			ID: "regexp-find-runs", Cause: "general-function", Callees: []string{"regexp.(*Regexp).FindAllString", "regexp.(*Regexp).FindAllStringIndex", "regexp.(*Regexp).FindAll", "regexp.(*Regexp).FindAllIndex"}, When: pattern("is a run of characters of a class", ofCharacterRun),
			Cost:       "runs the matcher of package regexp over each character",
			Instead:    "Use strings.FieldsFunc(s, func(r rune) bool { … }), which splits at all other characters; a loop over the bytes that remembers where a run began allocates no slice.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: sentence, Decls: "var word = regexp.MustCompile(`[a-z]+`)",
				Before: "n := 0\nfor _, w := range word.FindAllString(text, -1) {\n\tn += len(w)\n}\nreturn n",
				After:  "n := 0\nfor i := range len(text) {\n\tif c := text[i]; 'a' <= c && c <= 'z' {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "rune-func", Cause: "general-function", Callees: []string{"strings.IndexFunc", "strings.ContainsFunc", "strings.TrimFunc", "strings.TrimLeftFunc", "strings.TrimRightFunc", "bytes.IndexFunc", "bytes.ContainsFunc", "bytes.TrimFunc"},
			Cost:       "decodes each character and calls a function for it",
			Instead:    "Loop over the bytes with a table, var is = [256]bool{…}, and call the function only from the first byte that is utf8.RuneSelf or above.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `"a-name-of-thirty-two-characters!"`, Decls: "var letters = func() (t [256]bool) {\n\tfor c := 'a'; c <= 'z'; c++ {\n\t\tt[c] = true\n\t}\n\tt['-'] = true\n\treturn t\n}()",
				Before: "return strings.IndexFunc(text, func(r rune) bool { return (r < 'a' || 'z' < r) && r != '-' })",
				After:  "for i := range len(text) {\n\tif !letters[text[i]] {\n\t\treturn i\n\t}\n}\nreturn -1"},
		},
		{
			ID: "mime-type-alone", Cause: "unused-work", Callees: []string{"mime.ParseMediaType"}, When: parametersDropped,
			Cost:       "builds a map of the parameters",
			Instead:    "The type alone is the part before the first semicolon: t, _, _ := strings.Cut(v, \";\"), trimmed, compared with strings.EqualFold. This does not detect errors in the parameters.",
			Confidence: finding.Medium,
			Example: Example{Params: "header string", Result: "bool", Args: `"application/json; charset=utf-8"`,
				Before: "t, _, err := mime.ParseMediaType(header)\nreturn err == nil && t == \"application/json\"",
				After:  "t, _, _ := strings.Cut(header, \";\")\nreturn strings.EqualFold(strings.TrimSpace(t), \"application/json\")"},
		},
		{
			ID: "regexp-compile-varying", Cause: "made-per-call", Callees: []string{"regexp.Compile", "regexp.MustCompile", "regexp.CompilePOSIX"}, When: all(not(fixed(0), "the pattern is not a constant"), either(onlyAsked, askedByCallers)),
			Cost:       "parses a pattern",
			Instead:    "Keep the compiled expression in a map by its pattern, with a lock or a sync.Map and a bound if patterns come from outside; or store it where the pattern is set.",
			Confidence: finding.Medium,
			Example: Example{Params: "pattern, text string", Result: "bool", Args: `"[a-z]+[0-9]", "abc7"`, Decls: "var compiled sync.Map\n\nfunc compile(pattern string) *regexp.Regexp {\n\tre := regexp.MustCompile(pattern)\n\tcompiled.Store(pattern, re)\n\treturn re\n}",
				Before: "re, err := regexp.Compile(pattern)\nreturn err == nil && re.MatchString(text)",
				After:  "re, ok := compiled.Load(pattern)\nif !ok {\n\tre = compile(pattern)\n}\nreturn re.(*regexp.Regexp).MatchString(text)"},
		},
		{
			ID: "reflect-method-varying", Cause: "made-per-call", Callees: []string{"reflect.Value.MethodByName", "reflect.Type.MethodByName"},
			Cost:       "looks up the method by its name",
			Instead:    "Look up once for each type and name, m, ok := t.MethodByName(name), keep m.Index in a sync.Map, and call v.Method(m.Index). If there are few such methods, use an interface that has them.",
			Confidence: finding.Medium,
			Example: Example{Params: "v reflect.Value, name string", Result: "int", Args: `reflect.ValueOf(walker(3)), "Steps"`, Decls: "type walker int\n\nfunc (w walker) Name() string { return \"w\" }\n\nfunc (w walker) Steps() int { return int(w) }\n\nfunc (w walker) Walk() {}\n\nvar index = map[string]int{\"Name\": 0, \"Steps\": 1, \"Walk\": 2}",
				Before: "return v.MethodByName(name).Type().NumOut()", After: "return v.Method(index[name]).Type().NumOut()"},
		},
		{
			ID: "bytes-written-one-by-one", Cause: "general-function", Callees: []string{"bytes.(*Buffer).WriteByte", "bufio.(*Writer).WriteByte"}, When: inLoop,
			Cost:       "checks for room, for a single byte",
			Instead:    "Append the bytes to a slice, and write that after the loop: b := w.AvailableBuffer(); b = append(b, c); w.Write(b). Write unchanged runs with one Write or WriteString.",
			Confidence: finding.Medium,
			Example: Example{Params: "w *bytes.Buffer, text string", Result: "int", Args: "new(bytes.Buffer), " + sentence,
				Before: "w.Reset()\nfor i := range len(text) {\n\tw.WriteByte(text[i] ^ 1)\n}\nreturn w.Len()",
				After:  "w.Reset()\nb := w.AvailableBuffer()\nfor i := range len(text) {\n\tb = append(b, text[i]^1)\n}\nw.Write(b)\nreturn w.Len()"},
		},
	}
}

// onlyAsked holds where methods are all that is done with the result: it is not kept.
var onlyAsked = result("only its methods are called, and it is not kept", func(c *Call, use ast.Expr) bool { return c.method(use) != "" })

// askedByCallers holds where an unexported function returns the result, and those that
// call it ask it alone.
var askedByCallers = Condition{"an unexported function returns it, and the callers of that function only call its methods", func(c *Call) bool {
	uses := c.In.Results(c.CallExpr)
	if v := c.set(); len(uses) == 0 && v != nil {
		for _, id := range c.In.Uses(v) {
			if !c.In.Written(id) {
				uses = append(uses, id)
			}
		}
	}
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(use ast.Expr) bool { return c.method(use) == "" && !c.returnedToAsk(use) })
}}

// set returns the local variable that the call's first result is put into, where nothing else
// is; nil where there is none.
func (c *Call) set() *types.Var {
	st, ok := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	if !ok || len(st.Rhs) != 1 {
		return nil
	}
	v := c.In.Var(st.Lhs[0])
	if v == nil || v.Kind() != types.LocalVar {
		return nil
	}
	if values, known := c.In.SetTo(v); !known || len(values) != 1 || ast.Unparen(values[0]) != ast.Expr(c.CallExpr) {
		return nil
	}
	return v
}

// returnedToAsk reports whether an unexported function returns a use of the result, and
// those that call it ask it alone.
func (c *Call) returnedToAsk(use ast.Expr) bool {
	_, returned := c.In.Parent(use).(*ast.ReturnStmt)
	fn, ok := c.In.FunctionAround(use.Pos()).(*ast.FuncDecl)
	if !returned || !ok || fn.Name.IsExported() {
		return false
	}
	callers := c.In.Uses(c.In.Func(fn))
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(id *ast.Ident) bool {
		call, ok := c.In.Parent(c.In.Operand(id)).(*ast.CallExpr)
		if !ok || call.Fun != c.In.Operand(id) {
			return true
		}
		uses := c.In.Results(call)
		return len(uses) == 0 || slices.ContainsFunc(uses, func(use ast.Expr) bool { return c.method(use) == "" })
	})
}

// parametersDropped holds where the second of a call's results has no name.
var parametersDropped = Condition{"the parameters are dropped", func(c *Call) bool { return c.dropsResult(1) }}

// dropsResult reports whether the results of a call are set with _ for one of them.
func (c *Call) dropsResult(i int) bool {
	st, ok := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	if !ok || len(st.Lhs) <= i || len(st.Rhs) != 1 {
		return false
	}
	id, ok := st.Lhs[i].(*ast.Ident)
	return ok && id.Name == "_"
}

// startsLiteral reports whether each match of an expression begins with a text.
func startsLiteral(re *syntax.Regexp) bool {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat {
		return false
	}
	first := re.Sub[0]
	for first.Op == syntax.OpCapture || first.Op == syntax.OpPlus {
		first = first.Sub[0]
	}
	return first.Op == syntax.OpLiteral && first.Flags&syntax.FoldCase == 0
}

// rangedOver holds where an argument is the element of a loop over what one of some
// functions returns.
func rangedOver(i int, callees ...string) Condition {
	return arg(i, "is the variable of a loop over the result of "+words(callees), func(c *Call, e ast.Expr) bool {
		v := c.In.Var(e)
		if v == nil {
			return false
		}
		values, known := c.In.SetTo(v)
		return known && slices.ContainsFunc(values, func(x ast.Expr) bool {
			call := c.made(x)
			return call != nil && slices.Contains(callees, c.In.Called(call))
		})
	})
}

// recordDropped holds where the first of a call's results has no name.
var recordDropped = Condition{"the record is dropped", func(c *Call) bool { return c.dropsResult(0) }}

// oneKey holds where one key is all that is asked of a map that the call makes.
var oneKey = resultOnce("it is queried for one key", func(c *Call, use ast.Expr) bool {
	if ix, ok := c.In.Parent(use).(*ast.IndexExpr); ok {
		return ix.X == use && !c.In.Written(use)
	}
	return slices.Contains([]string{"Get", "Has"}, c.method(use))
})

// pattern holds where the regular expression that a method is called on is made once,
// outside of the function, of a constant with a property.
func pattern(words string, is func(*syntax.Regexp) bool) Condition {
	return Condition{"its pattern " + words, func(c *Call) bool {
		patterns := c.patterns()
		return len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool {
			re, err := syntax.Parse(p, syntax.Perl)
			return err != nil || !is(re)
		})
	}}
}

// atStart reports whether an expression matches only at the beginning of the text,
// and has no alternatives that go on differently.
func atStart(re *syntax.Regexp) bool {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re.Op == syntax.OpConcat && re.Sub[0].Op == syntax.OpBeginText
}

// ofCharacterRun reports whether an expression is one character, of some, or a run.
func ofCharacterRun(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus, syntax.OpRepeat:
		return ofCharacterRun(re.Sub[0])
	case syntax.OpLiteral:
		return len(re.Rune) == 1
	case syntax.OpConcat: // x{2,} is xx+
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !ofCharacterRun(sub) || !sameCharacters(sub, re.Sub[0]) })
	}
	return re.Op == syntax.OpCharClass
}

func sameCharacters(a, b *syntax.Regexp) bool {
	for len(a.Sub) == 1 {
		a = a.Sub[0]
	}
	for len(b.Sub) == 1 {
		b = b.Sub[0]
	}
	return a.Op == b.Op && slices.Equal(a.Rune, b.Rune)
}

// formatted holds where the first argument is a text that a method of a value made of
// it.
var formatted = arg(0, "is a string that a method formatted from a value: String, Text, MarshalText, EncodeText", func(c *Call, e ast.Expr) bool {
	if x, _ := c.In.Conversion(e); x != nil {
		e = x
	}
	call := c.made(e)
	if call == nil {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || c.In.Info.Selections[sel] == nil || !slices.Contains([]string{"String", "Text", "MarshalText", "EncodeText", "AppendText"}, sel.Sel.Name) {
		return false
	}
	of := c.In.Called(call)
	return !slices.ContainsFunc([]string{"strings.", "bytes.", "bufio.", "reflect.", "flag.", "os.", "encoding/json."}, func(pkg string) bool { return strings.HasPrefix(symbolname.Elide(of), pkg) })
})

// convertedResultOf is resultOf through a conversion.
func convertedResultOf(i int, callees ...string) Condition {
	return arg(i, "is converted from the result of "+words(callees), func(c *Call, e ast.Expr) bool {
		x, _ := c.In.Conversion(e)
		if x == nil {
			return false
		}
		call := c.made(x)
		return call != nil && slices.Contains(callees, c.In.Called(call))
	})
}

// timerSelected holds where the channel of a timer is only received from in a select
// with another case, and the timer is otherwise only stopped.
var timerSelected = Condition{"its channel is a case of a select that has others, and it is otherwise only stopped", func(c *Call) bool {
	selected := false
	for _, use := range c.In.Results(c.CallExpr) {
		sel, ok := c.In.Parent(use).(*ast.SelectorExpr)
		switch {
		case !ok || sel.X != use:
			return false
		case sel.Sel.Name == "Stop":
		case sel.Sel.Name == "C":
			clause := c.clause(sel)
			if clause == nil || !c.sameRound(use) {
				return false
			}
			selected = true
		default:
			return false
		}
	}
	return selected
}}

// clause returns the clause of a select of several that receives from an expression.
func (c *Call) clause(e ast.Expr) *ast.CommClause {
	n := c.In.Parent(e)
	for range 4 {
		if clause, ok := n.(*ast.CommClause); ok {
			block, _ := c.In.Parent(clause).(*ast.BlockStmt)
			if block == nil || len(block.List) < 2 {
				return nil
			}
			for _, other := range block.List {
				if o, ok := other.(*ast.CommClause); ok && o.Comm == nil {
					return nil // it waits for nothing
				}
			}
			return clause
		}
		if n == nil {
			return nil
		}
		n = c.In.Parent(n)
	}
	return nil
}
