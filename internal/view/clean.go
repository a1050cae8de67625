package view

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes an untrusted name printable on one line: control characters,
// terminal escapes, invalid bytes and the characters that reorder or hide text
// become escapes that can be read (\x1b, \u202e).
func clean(s string) string {
	if plain(s) || !strings.ContainsFunc(s, unprintable) && utf8.ValidString(s) {
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
		case unprintable(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unprintable(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case unprintable(r):
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

// unprintable: controls (Cc), formats (Cf: direction overrides, zero-width
// characters), line separators, and what Unicode leaves to private use.
func unprintable(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// cleanSource is clean for a line of source: its tabs stay.
func cleanSource(s string) string {
	parts := strings.Split(strings.TrimRight(s, "\r\n"), "\t")
	for i := range parts {
		parts[i] = clean(parts[i])
	}
	return strings.Join(parts, "\t")
}

// escapeControls escapes DEL and the C1 controls, which JSON allows in strings
// and terminals obey.
func escapeControls(doc []byte) []byte {
	control := func(r rune) bool { return r >= 0x7f && r <= 0x9f }
	if !bytes.ContainsFunc(doc, control) {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for _, r := range string(doc) {
		if control(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
