package regexpreplace

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// does carries a plan out by package strings and loops: what its words say.
func (p *plan) does(s string, n int) any {
	in := func(b byte) bool {
		if b >= utf8.RuneSelf {
			return p.chars.others
		}
		return p.chars.ascii[b]
	}
	set := ""
	if p.chars != nil {
		set = p.chars.list(true)
	}
	anyText := func(f func(s, t string) bool) bool {
		return slices.ContainsFunc(p.texts, func(t string) bool { return f(s, t) })
	}
	switch p.op {
	case contains:
		if p.texts != nil {
			return anyText(strings.Contains)
		}
		for i := range len(s) {
			if in(s[i]) {
				return true
			}
		}
		return false
	case begins:
		if p.texts != nil {
			return anyText(strings.HasPrefix)
		}
		return len(s) > 0 && in(s[0])
	case ends:
		if p.texts != nil {
			return anyText(strings.HasSuffix)
		}
		return len(s) > 0 && in(s[len(s)-1])
	case sides:
		return len(s) > 0 && (in(s[0]) || in(s[len(s)-1]))
	case equals:
		return slices.Contains(p.texts, s)
	case allOf:
		for i := range len(s) {
			if !in(s[i]) {
				return false
			}
		}
		return len(s) > 0 || p.empty
	case replace:
		if len(p.texts) == 1 {
			return strings.ReplaceAll(s, p.texts[0], p.repl)
		}
		old := p.texts
		if old == nil && !p.chars.others {
			old = strings.Split(set, "")
		}
		if old != nil {
			var args []string
			for _, o := range old {
				args = append(args, o, p.repl)
			}
			byReplacer := strings.NewReplacer(args...).Replace(s)
			if p.chars != nil {
				var b strings.Builder
				for i := range len(s) {
					if in(s[i]) {
						b.WriteString(p.repl)
					} else {
						b.WriteByte(s[i])
					}
				}
				if b.String() != byReplacer {
					return "the loop differs from the replacer"
				}
			}
			return byReplacer
		}
		var b strings.Builder
		keep := p.chars.list(false)
		for _, r := range s {
			if r < utf8.RuneSelf && strings.ContainsRune(keep, r) {
				b.WriteRune(r)
			} else {
				b.WriteString(p.repl)
			}
		}
		return b.String()
	case cutHead:
		if p.texts == nil {
			return strings.TrimLeft(s, set)
		}
		if rest, ok := strings.CutPrefix(s, p.texts[0]); ok {
			return p.repl + rest
		}
		return s
	case cutTail:
		if p.texts == nil {
			return strings.TrimRight(s, set)
		}
		if rest, ok := strings.CutSuffix(s, p.texts[0]); ok {
			return rest + p.repl
		}
		return s
	case trimBoth:
		return strings.Trim(s, set)
	case split:
		if p.texts != nil {
			return strings.SplitN(s, p.texts[0], n)
		}
		if len(set) == 1 {
			return strings.SplitN(s, set, n)
		}
		if n == 0 {
			return []string(nil)
		}
		var out []string
		for n < 0 || len(out) < n-1 {
			i := strings.IndexAny(s, set)
			if i < 0 {
				break
			}
			out, s = append(out, s[:i]), s[i+1:]
		}
		return append(out, s)
	}
	i, l := -1, 1
	if p.texts != nil {
		i, l = strings.Index(s, p.texts[0]), len(p.texts[0])
	} else {
		i = strings.IndexAny(s, set)
	}
	switch {
	case p.op == index && i < 0:
		return []int(nil)
	case p.op == index:
		return []int{i, i + l}
	case i < 0:
		return ""
	}
	return s[i : i+l]
}

// says returns what package regexp does.
func says(re *regexp.Regexp, method, s, repl string, n int) any {
	text := func(b []byte) any {
		return string(b)
	}
	switch method {
	case "Match":
		return re.Match([]byte(s))
	case "MatchString":
		return re.MatchString(s)
	case "ReplaceAll":
		return text(re.ReplaceAll([]byte(s), []byte(repl)))
	case "ReplaceAllLiteral":
		return text(re.ReplaceAllLiteral([]byte(s), []byte(repl)))
	case "ReplaceAllString":
		return re.ReplaceAllString(s, repl)
	case "ReplaceAllLiteralString":
		return re.ReplaceAllLiteralString(s, repl)
	case "Split":
		return re.Split(s, n)
	case "FindIndex":
		return re.FindIndex([]byte(s))
	case "FindStringIndex":
		return re.FindStringIndex(s)
	case "Find":
		return text(re.Find([]byte(s)))
	}
	return re.FindString(s)
}

var methods = []string{"Match", "MatchString", "ReplaceAll", "ReplaceAllLiteral", "ReplaceAllString", "ReplaceAllLiteralString", "Split", "Find", "FindIndex", "FindString", "FindStringIndex"}

func equal(a, b any) bool {
	switch a := a.(type) {
	case []string:
		b, ok := b.([]string)
		return ok && slices.Equal(a, b) && (a == nil) == (b == nil)
	case []int:
		b, ok := b.([]int)
		return ok && slices.Equal(a, b) && (a == nil) == (b == nil)
	}
	return a == b
}

// hold compares a plan with package regexp; it returns whether there is one.
func hold(t *testing.T, pattern, method, s, repl string, n int) bool {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return false
	}
	p, ok := planFor(pattern, method, &repl)
	if !ok {
		return false
	}
	if p.words() == "" {
		t.Fatalf("%s of %q: no words", method, pattern)
	}
	if got, want := p.does(s, n), says(re, method, s, repl, n); !equal(got, want) {
		t.Fatalf("%s of %q on %q with %q, %d: %q (%s), package regexp says %q", method, pattern, s, repl, n, got, p.words(), want)
	}
	return true
}

var simple = []string{
	`a`, `abc`, `\.`, `a\|b`, `é`, `日本`, "\\x00", `\pN`, // the last one is not
	`[abc]`, `[^abc]`, `\s`, `\S`, `\d`, `\W`, `[\s\d-]`, `[a-zA-Z0-9_]`, `[^\x00-\x7f]`, `.`, `(?s).`, `[äö]`, `[^ä]`,
	`\s+`, `[^a-z]+`, `\s*`, `a+`, `(?:a)+`, `(a)+`, `a+?`,
	`foo|bar`, `foo|far`, `a|b|cd`, `foo|foobar`, `foobar|foo`, `(foo|bar)baz`, `colou?r`, `https?://`, `a?`, `|a`, `a|`,
	`^foo`, `foo$`, `^foo$`, `^(foo|bar)$`, `^foo|bar$`, `\Afoo\z`, `^a`, `a$`, `^[a-z]`, `[a-z]$`, `[^a]$`, `^[^a]`,
	`^[a-z]+$`, `^[a-z]*$`, `^[^/]+$`, `^[^/]*$`, `^[a-z]$`, `^[^a]$`, `^.+$`, `^.*$`, `^`, `$`, `^$`, ``,
	`^/+`, `/+$`, `^\s+|\s+$`, `\s+$|^\s+`, `^\s+|\s*$`, `^a+|b+$`, `^a+?`, `^\s+`, `(^\s+)|(\s+$)`,
	`(?i)abc`, `(?i)1`, `(?i)a`, `(?m)^foo`, `(?m)foo$`, `\bfoo`, `a{2}`, `a{2,3}`, `\x{FFFD}`, `[\x{FFFD}a]`, `(a)(b)`, `ab*`, `(ab)+`, `[[:alpha:]]`, `a.c`,
}

var inputs = []string{
	"", "a", "abc", "foo", "bar", "foobar", "xfoobarfoo", "  a \t b\v\n\f\r ", "a b\u00a0c\u2028", "äöü é日本", "\xff", "a\xffb\xc3", "\xe2\x82", "\ufffda", "///a/b//",
	"color colour", "http://x https://y", "aaaa", "0123abc_-ABC", "foo\nfoo", "a.b.c", "$1", "K", "\x00", "colorcolour", "aab", "ab\n",
}

// Each pattern, method and input: the plan does what package regexp does.
func TestPlansAreEquivalent(t *testing.T) {
	if testing.Short() {
		t.Skip("works through many inputs")
	}
	plans := 0
	for _, pattern := range simple {
		for _, method := range methods {
			for _, s := range inputs {
				for _, repl := range []string{"", "_", "<>", "é", "$1", "a$"} {
					for _, n := range []int{-1, 0, 1, 2} {
						if hold(t, pattern, method, s, repl, n) {
							plans++
						}
						if method != "Split" {
							break
						}
					}
					if !strings.Contains(method, "Replace") {
						break
					}
				}
			}
		}
	}
	if plans < 10_000 {
		t.Errorf("only %d comparisons", plans)
	}
}

// What the words say of a pattern; "" for none.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ pattern, method, repl, want string }{
		{`[{}/\\:.\s]`, "ReplaceAllString", "", `the Replace method of a package variable strings.NewReplacer("\t", "", "\n", "", "\f", "", "\r", "", " ", "", ".", "", "/", "", ":", "", "\\", "", "{", "", "}", ""), or a loop over the bytes`},
		{`\s+`, "ReplaceAllString", "", `the Replace method of a package variable strings.NewReplacer("\t", "", "\n", "", "\f", "", "\r", "", " ", ""), or a loop over the bytes`},
		{`\s+`, "ReplaceAllString", " ", ""},
		{`\s`, "ReplaceAll", "", `a loop over the bytes that writes "" for each that is one of "\t\n\f\r " and copies the others`},
		{`[^a-zA-Z0-9]`, "ReplaceAllString", "-", `a loop over the characters (for _, r := range s) that keeps those that are one of '0' to '9', 'A' to 'Z', 'a' to 'z' and writes "-" for any other`},
		{`foo|bar`, "ReplaceAllString", "x", `the Replace method of a package variable strings.NewReplacer("foo", "x", "bar", "x"), or a loop over the bytes`},
		{`\{new\}|\{text\}`, "ReplaceAllString", "{by}", `the Replace method of a package variable strings.NewReplacer("{new}", "{by}", "{text}", "{by}"), or a loop over the bytes`},
		{`\{pkg\}`, "ReplaceAllString", "{text}", `strings.ReplaceAll(s, "{pkg}", "{text}")`},
		{`[,]`, "FindStringIndex", "", `strings.Index(s, ",") and the length of the match`},
		{`^ab`, "ReplaceAll", "c", `bytes.CutPrefix(s, []byte("ab")), and "c" in its place if it was found`},
		{`foo|foobar`, "ReplaceAllString", "x", ""},
		{`(foo)`, "ReplaceAllString", "$1", ""},
		{`(foo)`, "ReplaceAllLiteralString", "$1", `strings.ReplaceAll(s, "foo", "$1")`},
		{`^\s+|\s+$`, "ReplaceAllString", "", `strings.Trim(s, "\t\n\f\r ")`},
		{`^[a-z_]+$`, "MatchString", "", `a loop over the bytes that stops at the first that is not one of '_', 'a' to 'z' (and no match for an empty string)`},
		{`^[^/]*$`, "MatchString", "", `a loop over the bytes that stops at one of "/"`},
		{`^https?://`, "MatchString", "", `strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")`},
		{`^(get|put)$`, "MatchString", "", `s == "get" || s == "put"`},
		{`\.json$`, "Match", "", `bytes.HasSuffix(s, []byte(".json"))`},
		{`, `, "Split", "", `strings.Split(s, ", "), or SplitN with the same count`},
		{`[,;]`, "Split", "", `a loop that cuts s at the next index that strings.IndexAny(s, ",;") finds (strings.FieldsFunc would drop empty parts)`},
		{`\s+`, "Split", "", ""},
		{`\bfoo`, "MatchString", "", ""},
		{`(?i)foo`, "MatchString", "", ""},
		{`(?m)^foo`, "MatchString", "", ""},
		{`\p{L}`, "MatchString", "", ""},
		{`a+b`, "MatchString", "", ""},
		{`foo`, "FindStringSubmatch", "", ""},
		{`(`, "MatchString", "", ""},
	} {
		p, ok := planFor(tt.pattern, tt.method, &tt.repl)
		got := ""
		if ok {
			got = p.words()
		}
		if got != tt.want {
			t.Errorf("%s of %s: %s\nwant %s", tt.method, tt.pattern, got, tt.want)
		}
	}
	// A replacement that is not constant may hold anything.
	for _, tt := range []struct {
		pattern, method string
		want            bool
	}{
		{"foo", "ReplaceAllString", false}, {"foo", "ReplaceAllLiteralString", true}, {"foo", "ReplaceAllLiteral", true},
		{"[fo]", "ReplaceAllLiteralString", false}, {"f+", "ReplaceAllLiteralString", false}, {"^foo", "ReplaceAllLiteralString", false},
	} {
		if _, ok := planFor(tt.pattern, tt.method, nil); ok != tt.want {
			t.Errorf("%s of %s: %v", tt.method, tt.pattern, ok)
		}
	}
}

// The characters that a class names are those that it matches, one by one.
func TestClassNamesItsCharacters(t *testing.T) {
	for _, pattern := range []string{`\s`, `\S`, `\d`, `\w`, `\W`, `[{}/\\:.\s]`, `[[:punct:]]`, `[^"']`, `.`} {
		f, ok := parse(pattern)
		if !ok || f.chars == nil {
			t.Fatalf("%s: %+v", pattern, f)
		}
		re := regexp.MustCompile(pattern)
		for b := range 128 {
			if in := strings.IndexByte(f.chars.list(true), byte(b)) >= 0; in != re.MatchString(string(rune(b))) {
				t.Errorf("%s: %s is %v", pattern, strconv.QuoteRune(rune(b)), in)
			}
		}
	}
	if got := mustParse(t, `\s`).chars.list(true); got != "\t\n\f\r " {
		t.Errorf(`\s is %q`, got)
	}
}

func mustParse(t *testing.T, pattern string) form {
	t.Helper()
	f, ok := parse(pattern)
	if !ok {
		t.Fatal(pattern)
	}
	return f
}

// FuzzPlan: whatever the pattern, where there is a plan it does what package
// regexp does.
func FuzzPlan(f *testing.F) {
	for i, pattern := range simple {
		f.Add(pattern, uint8(i%len(methods)), inputs[i%len(inputs)], "_", -1)
	}
	f.Fuzz(func(t *testing.T, pattern string, method uint8, s, repl string, n int) {
		if len(pattern) > 100 || len(s) > 1000 || len(repl) > 20 {
			return
		}
		hold(t, pattern, methods[int(method)%len(methods)], s, repl, n)
	})
}
