package printable

import (
	"strings"
	"testing"
)

func TestMessage(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\n  \nb\x1b[31m\r\n":               "a; b?[31m",
		"\u202egnp.exe \u2028 \u009b2J \xff":   "?gnp.exe ? ?2J ?",
		strings.Repeat("é", 400) + ": do this": strings.Repeat("é", 140) + "…" + strings.Repeat("é", 135) + ": do this",
	} {
		if got := Message(in); got != want {
			t.Errorf("Message(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aéb", 2, "a…"}, {"aéb", 3, "aé…"}, {"éé", 1, "…"}, {"\x80\x80\x80", 2, "…"},
	} {
		if got := Cut(c.in, c.limit); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func TestSpaces(t *testing.T) {
	if got, want := Spaces("a\x1b[0m\r\n\u202eb\u009bß \xff"), "a [0m   b ß \uFFFD"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
