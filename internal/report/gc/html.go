package gc

import (
	"embed"
	"io"
	"slices"

	"whet/internal/analyze/gc"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

//go:embed assets
var assets embed.FS

// mostPackages and mostPlaces bound the tables of a page.
const (
	mostPackages = 40
	mostPlaces   = 40
)

type view struct {
	page.Shell
	About       string
	Warnings    []string
	Conclusions []gc.Conclusion
	Facts       []page.Fact
	Time        *page.Timeline
	Grown       *Grown
	GrownNote   string
	Places      [][]string
	Inits       [][]string
	More        string
}

// WriteHTML writes a page as one file that loads nothing from elsewhere.
func WriteHTML(w io.Writer, p *Page) error {
	v := view{
		Shell:       page.NewShell(p.Name, page.KitStyle()+page.Asset(assets, "gc.css"), page.KitScript()),
		About:       p.about(),
		Conclusions: p.conclusions(),
		Time:        p.timeline(),
		Grown:       p.Grown,
	}
	for _, warning := range p.Warnings {
		v.Warnings = append(v.Warnings, printable.Line(warning))
	}
	for _, f := range p.figures() {
		v.Facts = append(v.Facts, page.Fact{Name: page.Capital(f.name), Value: f.text})
	}
	if g := p.Grown; g != nil {
		v.GrownNote = "Heap in use: " + size(g.BeforeBytes) + " at " + span(g.FromNs) + ", " + size(g.AfterBytes) + " at " + span(g.ToNs) + "."
		for _, l := range g.Places[:min(len(g.Places), mostPlaces)] {
			v.Places = append(v.Places, []string{printable.Line(symbolname.Short(l.Function)) + " " + page.FileLine(l.File, l.Line) + through(l.Callers), size(l.BeforeBytes), size(l.AfterBytes), size(l.More())})
		}
	}
	inits := slices.Clone(p.Result.Inits)
	slices.SortStableFunc(inits, gc.ByCost)
	for _, i := range inits[:min(len(inits), mostPackages)] {
		v.Inits = append(v.Inits, []string{printable.Line(i.Package), span(int64(i.At)), span(int64(i.Wall)), size(i.Bytes), quantity.Count(float64(i.Allocs))})
	}
	v.More = page.More(len(inits), mostPackages)
	return page.Write(w, assets, "gc.html", v)
}
