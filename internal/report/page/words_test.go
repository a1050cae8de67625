package page

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/printable"
)

// A line ends with no figure whose unit begins the next, and nothing is lost.
func TestWrapKeepsUnits(t *testing.T) {
	got := Wrap("spent 5.6 % sync, for 1.04 s ± 10.0 ms (95 % of 3 GiB), 12 requests, 442 B/op, 1.2 M.", 8)
	want := []string{"spent", "5.6 %", "sync,", "for", "1.04 s", "± 10.0 ms", "(95 % of", "3 GiB),", "12", "requests,", "442 B/op,", "1.2 M."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"5.6", "%", "±", "ms", "s", "sync,", "(95", "a", "1,000"})).Draw(t, "words")
		in := strings.Join(words, " ")
		lines := Wrap(in, rapid.IntRange(1, 30).Draw(t, "width"))
		if strings.Join(lines, " ") != in {
			t.Fatalf("%q became %q", in, lines)
		}
		for i := 1; i < len(lines); i++ {
			if strings.HasPrefix(lines[i], "%") && regexp.MustCompile(`[0-9]$`).MatchString(lines[i-1]) {
				t.Fatalf("%q", lines)
			}
		}
	})
}

// What is a figure and its unit stands together on a page, what only looks like
// one is text, and no name is markup.
func TestLineKeepsUnits(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		"86.8 % of CPU, 216 ms, 1.5 kB":  `[86.8 %] of CPU, [216 ms], [1.5 kB]`,
		"(1.04 s ± 10.0 ms) 5 MB/s":      `([1.04 s] [± 10.0 ms]) [5 MB/s]`,
		"22.5 % ± 9.0 of CPU time":       `[22.5 %] [± 9.0] of CPU time`,
		"5 samples, v2 s, 12 Mutexes":    `5 samples, v2 s, 12 Mutexes`,
		"raise -budget (or --bench-all)": `raise [-budget] (or [--bench-all])`,
		"well-known p-n, a - b, 5-":      `well-known p-n, a - b, 5-`,
		"<b>3 s</b> & \x1b[31m":          `&lt;b&gt;[3 s]&lt;/b&gt; &amp; \x1b[31m`,
	} {
		want = strings.NewReplacer("[31m", "[31m", "[", `<span class="amount">`, "]", "</span>").Replace(want)
		if got := string(line(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"main.(*T[go.shape.int]).Run-fm": "main.(*T[go.shape.int]).Run-fm",
		"größe.日本":                       "größe.日本",
		"a\x1b[31m\r\n\tb":               `a\x1b[31m\x0d\n\tb`,
		"a\u009b\u202e\u200b\u2028b":     `a\u009b\u202e\u200b\u2028b`,
		"a\xffb":                         `a\xffb`,
		"\U000e0041":                     `\U000e0041`,
	} {
		if got := printable.Line(in); got != want {
			t.Errorf("printable.Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"github.com/x/y.F", 16, "github.com/x/y.F"},
		{"github.com/x/y.F", 8, "…m/x/y.F"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "…本語"},
		{"日本語", 4, "…語"}, // half a character cannot stand
	} {
		if got := Shorten(c.in, c.width); got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestWrapLosesNoWord(t *testing.T) {
	in := "one two three four-and-a-very-long-word five  six"
	for width := 1; width < 40; width++ {
		lines := Wrap(in, width)
		if got, want := strings.Join(lines, " "), strings.Join(strings.Fields(in), " "); got != want {
			t.Fatalf("width %d: %q", width, got)
		}
		for _, l := range lines {
			if Cells(l) > width && strings.Contains(l, " ") {
				t.Errorf("width %d: %q", width, l)
			}
		}
	}
}
