package record

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/printable"
)

const maxLine = 200 // bytes of a text that may come from the target

// Line makes one bounded, printable line of a text that may come from the
// target.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s[:min(len(s), 4*maxLine)])
	return printable.Cut(s, maxLine)
}
