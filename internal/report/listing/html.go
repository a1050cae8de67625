package listing

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"whet/internal/printable"
	"whet/internal/report/page"
)

//go:embed assets
var assets embed.FS

type htmlPage struct {
	page.Shell
	Totals    [][]string // the first row is the header
	Unknown   string
	Meaning   string
	Warnings  []string
	Functions []htmlFunction
}

type htmlFunction struct {
	ID, Name, Place string
	Costs           []string
	Notes           []string
	Heads           []string
	Rows            []htmlRow
}

type htmlRow struct {
	Cells  []string
	Number int
	Text   string
	Heat   string
	Notes  []string
}

// WriteHTML writes the page as one file that loads nothing.
func (p *Page) WriteHTML(w io.Writer) error {
	h := htmlPage{Shell: page.NewShell(p.Name, page.Asset(assets, "lines.css"), ""), Meaning: meaning, Warnings: p.Warnings, Unknown: strings.Join(p.unknown(), ", "), Totals: p.totals()}
	for i, f := range p.Functions {
		h.Functions = append(h.Functions, p.htmlFunction(fmt.Sprintf("f%d", i), f))
	}
	return page.Write(w, assets, "lines.html", &h)
}

func (p *Page) htmlFunction(id string, f *Function) htmlFunction {
	out := htmlFunction{ID: id, Name: printable.Line(f.Name), Place: page.FileLine(f.Path, f.Start), Costs: Phrases(p.Model, &f.Costs), Notes: f.notes()}
	shown := columnsOf(f)
	for i := range shown {
		out.Heads = append(out.Heads, shown[i].head)
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		row := htmlRow{Number: r.Number, Text: r.text(), Heat: heat(p.Model.Weight(&r.Costs)), Notes: p.notes(r, true)}
		for c := range shown {
			row.Cells = append(row.Cells, shown[c].cell(&r.Costs))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// heat returns the class of a line by its share of the whole.
func heat(weight float64) string {
	switch {
	case weight >= 0.2:
		return "h3"
	case weight >= 0.05:
		return "h2"
	case weight >= 0.001:
		return "h1"
	}
	return ""
}
