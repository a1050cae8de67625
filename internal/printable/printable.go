package printable

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line makes a name printable on one line: control characters, terminal
// escapes, invalid bytes and the characters that reorder or hide text become
// escapes.
func Line(s string) string {
	if plain(s) || !strings.ContainsFunc(s, Hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case Hidden(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case Hidden(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case Hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// plain reports whether s has only the printable characters of ASCII, as nearly
// all names have.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Hidden reports whether a character controls the display or is invisible: controls
// (Cc), formats (Cf: direction overrides, zero-width characters), line separators, and
// Unicode's private use.
func Hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// Source is Line for a line of source: its tabs stay, and its end goes.
func Source(s string) string {
	parts := strings.Split(strings.TrimRight(s, "\r\n"), "\t")
	for i := range parts {
		parts[i] = Line(parts[i])
	}
	return strings.Join(parts, "\t")
}

// JSON escapes the characters that JSON allows in strings but that control a terminal
// or are invisible.
func JSON(doc []byte) []byte {
	hidden := func(r rune) bool { return r >= 0x7f && Hidden(r) } // below it JSON itself escapes
	if !bytes.ContainsFunc(doc, hidden) {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for _, r := range string(doc) {
		switch {
		case hidden(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		case hidden(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
