package view

import (
	"bytes"
	"fmt"
	"io"

	"whet/internal/analyze/selection"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteComments prints what the recorder remarked, a line each: as pprof's
// comments command does also what begins with #, which no other view prints.
func WriteComments(w io.Writer, s *selection.Selection) error {
	var b bytes.Buffer
	for _, c := range s.Meta.Comments {
		fmt.Fprintln(&b, printable.Line(c))
	}
	return page.Print(w, "comments", b.Bytes())
}
