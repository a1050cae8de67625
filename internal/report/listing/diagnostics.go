package listing

import (
	"bytes"
	"fmt"
	"io"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteDiagnostics writes a line "file:line:column: message" for each line of the
// page, as compilers do. Lines are those of the file here, where it is: one that
// changed since has no place in it and is left out, which a warning says. name
// shortens the name of a file here.
func (p *Page) WriteDiagnostics(w io.Writer, name func(file string) string) error {
	var b bytes.Buffer
	for _, f := range p.Functions {
		file := f.Path
		if f.Here != "" {
			file = name(f.Here)
		}
		for i := range f.Rows {
			r := &f.Rows[i]
			line := r.Number
			switch {
			case r.Gone, r.Beyond:
				continue
			case r.Now > 0:
				line = r.Now
			}
			if text := Message(p.Model, &r.Line); text != "" {
				fmt.Fprintf(&b, "%s:%d:%d: %s\n", printable.Line(file), line, r.column(), printable.Line(text))
			}
		}
	}
	return page.Print(w, "the diagnostics", b.Bytes())
}

// column returns the column of the first decision, or where the line's text begins.
func (r *Row) column() int {
	for _, d := range r.Decisions {
		if d.Col > 0 {
			return d.Col
		}
	}
	return r.Column
}
