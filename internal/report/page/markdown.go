package page

import (
	"fmt"
	"strings"
	"unicode"

	"whet/internal/printable"
)

// CodeSpan sets text as code, where nothing in it means anything: neither
// markup nor a link nor somebody's name. The fence is longer than any run of
// backticks within.
func CodeSpan(s string) string {
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// CodeCell keeps a bar in a code span from ending the table's cell.
func CodeCell(span string) string { return strings.ReplaceAll(span, "|", `\|`) }

// inert parts, by a space without width, what a page would make a link or
// somebody's name of although it is no markup.
var inert = strings.NewReplacer("&#64;", "&#64;&#8203;", "&#35;", "&#35;&#8203;", "://", ":&#8203;//", "www.", "www&#8203;.", "WWW.", "WWW&#8203;.")

// Prose escapes text that may hold what measured programs chose: no
// markup, no link, no mention of anybody, on one line.
func Prose(s string) string {
	return inert.Replace(MarkdownText(strings.ReplaceAll(s, "\u00a0", " ")))
}

// MarkdownText writes ASCII punctuation that could be markup as character
// references, which stand for themselves wherever they are.
func MarkdownText(s string) string {
	var b strings.Builder
	for _, r := range printable.Line(s) {
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune(".,:;/%()=-'+?!\"", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
