package record

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
	if len(s) <= maxLine {
		return s
	}
	cut := maxLine
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
