package escape

import (
	"bytes"
	"fmt"
	"io"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteDiagnostics writes a line for each decision, as compilers do: editors read them.
func WriteDiagnostics(w io.Writer, p *Page, all bool) error {
	var b bytes.Buffer
	for _, r := range p.rows() {
		if r.minor && !all {
			continue
		}
		words := r.words
		if r.site.AllocBytes != nil && r.kind == "escape" {
			words += " [" + bytesOf(true, r.site.AllocBytes) + "]"
		}
		at := r.at.Position
		at.File = p.Name(at.File)
		fmt.Fprintf(&b, "%s: %s: %s\n", printable.Line(at.String()), r.kind, printable.Line(words))
	}
	return page.Print(w, "the diagnostics", b.Bytes())
}
