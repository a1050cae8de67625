package printable

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"main.(*T[go.shape.int]).m", "main.(*T[go.shape.int]).m"},
		{"größe·世界", "größe·世界"},
		{"a\nb\tc\r", `a\nb\tc\x0d`},
		{"\x1b[2J\x7f\u009b", `\x1b[2J\x7f\u009b`},
		{"a\u202eb\u200bc\u2028", `a\u202eb\u200bc\u2028`},
		{"\xff\xc3", `\xff\xc3`},
		{"\ufffd", "\ufffd"}, // the character itself is shown
		{"\ue000\U000e0001\U0010ffff", `\ue000\U000e0001` + "\U0010ffff"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSource(t *testing.T) {
	if got, want := Source("\tx := \"\x1b\" // \u202e\t\r\n"), "\tx := \"\\x1b\" // \\u202e\t"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzPrintable: nothing that a terminal obeys comes out, what was plain is
// untouched, and JSON says what it said.
func FuzzPrintable(f *testing.F) {
	f.Add("main.f")
	f.Add("a\x1b[0m\u202e\xff\t\n")
	f.Add("\x7f\u0080\u009f\U000e0001")
	f.Fuzz(func(t *testing.T, s string) {
		line := Line(s)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, Hidden) || strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%q is printed as %q", s, line)
		}
		if Line(line) != line || len(line) < len(s) && utf8.ValidString(s) {
			t.Errorf("%q: %q", s, line)
		}
		if source := Source(s); strings.ReplaceAll(source, "\t", "") != Line(strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\t", "")) && utf8.ValidString(s) {
			t.Errorf("%q as source: %q", s, source)
		}
		doc, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		escaped := JSON(doc)
		if bytes.ContainsFunc(escaped, Hidden) {
			t.Errorf("%q as JSON: %q", s, escaped)
		}
		var was, is string
		if json.Unmarshal(doc, &was) != nil || json.Unmarshal(escaped, &is) != nil || was != is {
			t.Errorf("%q as JSON: %q, then %q", s, was, is)
		}
	})
}
