package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Where the text of a flag begins, and the width of a help.
const (
	flagColumn = 26
	HelpWidth  = 100
)

// PrintFlag writes the description of a flag beside its name, or below a long one.
func PrintFlag(w io.Writer, head, usage string) {
	line := "  " + head
	if len(line)+2 > flagColumn {
		fmt.Fprintln(w, line)
		line = ""
	}
	lead, n := fmt.Sprintf("%-*s", flagColumn, line), flagColumn
	fmt.Fprint(w, lead)
	for i, word := range strings.Fields(usage) {
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case n+1+length > HelpWidth:
			fmt.Fprintf(w, "\n%*s", flagColumn, "")
			n = flagColumn
		default:
			fmt.Fprint(w, " ")
			n++
		}
		fmt.Fprint(w, word)
		n += length
	}
	fmt.Fprintln(w)
}
