package escape

import (
	"bytes"
	"fmt"
	"io"

	"whet/internal/format/compiler"
	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/review"
)

// WriteDiagnostics writes a line for each decision, as compilers do: editors read them.
func WriteDiagnostics(w io.Writer, p *Page, all bool) error {
	var b bytes.Buffer
	if p.Limits != nil || p.Base != "" {
		for _, d := range p.faults() {
			fmt.Fprintf(&b, "%s: %s: %s\n", printable.Line(d.at.String()), d.kind, printable.Line(d.words))
		}
		return page.Print(w, "the diagnostics", b.Bytes())
	}
	for _, r := range p.rows() {
		if (r.minor || r.site.Foreign) && !all {
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

// fault is a broken limit or a change.
type fault struct {
	at          compiler.Position
	kind, words string
	worse       bool
}

func (p *Page) faults() []fault {
	var out []fault
	for i := range p.Broken {
		b := &p.Broken[i]
		at := b.Location.Position
		at.File = p.file(at.File)
		out = append(out, fault{at, "limit", brokenWords(b), true})
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		out = append(out, fault{p.place(c), string(c.Kind), changeWords(c) + " in " + c.Function, c.Kind.Worse()})
	}
	return out
}

// WriteGitHub writes the commands of GitHub's workflows that show broken limits and
// changes at their lines; without either, all decisions are notices.
func WriteGitHub(w io.Writer, p *Page, all bool) error {
	var b bytes.Buffer
	list := p.faults()
	if p.Limits == nil && p.Base == "" {
		for _, r := range p.rows() {
			if !r.minor && !r.site.Foreign || all {
				at := r.at.Position
				at.File = p.Name(at.File)
				list = append(list, fault{at, r.kind, r.words, false})
			}
		}
	}
	for _, d := range list {
		level := "notice"
		if d.worse {
			level = "error"
		}
		review.WriteCommand(&b, level, d.at.File, d.at.Line, "whet: "+d.kind, printable.Line(d.words))
	}
	return page.Print(w, "the annotations", b.Bytes())
}
