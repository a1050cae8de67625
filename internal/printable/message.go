package printable

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestLine bounds a message: a name in it may be of any length.
const longestLine = 560

// Message joins the lines of a message: every error is one line. Characters that would
// move the cursor, reorder the text or hide in it become question marks, and the middle
// of a long message is left out.
func Message(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	s = strings.Map(func(r rune) rune {
		if r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.Join(lines, "; "))
	if len(s) <= longestLine {
		return s
	}
	// What is wrong stands at the beginning, what to do at the end.
	head, tail := longestLine/2, len(s)-longestLine/2
	for !utf8.RuneStart(s[head]) {
		head--
	}
	for !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "…" + s[tail:]
}

// Cut returns the beginning of a text, as many whole characters as limit bytes hold,
// with an ellipsis where more followed.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// Spaces writes a space for each control and format character of a text, among
// them the ends of its lines.
func Spaces(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return ' '
		}
		return r
	}, text)
}
