package load

import (
	"embed"
	"errors"
	"html/template"
	"io"
	"strings"

	"whet/internal/document"
	"whet/internal/loadresult"
	"whet/internal/report/page"
)

// Load is the page of one load, or of several beside each other.
type Page struct {
	Runs []Run
	// Searches are what was looked for, each with the name of its run where there
	// are several recordings. What they warn of in all stands in Warnings.
	Searches []Search
	// Warnings are about the page; those about a run stand in its result.
	Warnings []string
}

// Run is a run of a load as a page shows it.
type Run struct {
	Name   string // tells it from others on the page; may be "" where there is one
	Plan   loadresult.Plan
	Result *loadresult.Result
	Course *Course // nil: there is no heat map
	Bounds []Bound // of -slo, in the order given
}

// Bound is one thing that was to hold.
type Bound struct {
	Bound   string `json:"bound"` // "p99<50ms"
	Value   string `json:"value"` // measured, printed
	Broken  bool   `json:"broken"`
	Unknown bool   `json:"unknown"`
	Note    string `json:"note"` // what to think of beside it; "": nothing
}

// Verdict says in a word whether it held.
func (b Bound) Verdict() string {
	switch {
	case b.Unknown:
		return "unknown"
	case b.Broken:
		return "broken"
	}
	return "kept"
}

//go:embed assets
var assets embed.FS

// Part returns the parts of a load's page beside figures and seconds: the heat map, the
// percentiles and the generator, for another page that has the figures itself.
func Part(run *Run) (html template.HTML, style, script string, err error) {
	var b strings.Builder
	if err := page.Write(&b, assets, "part.html", newView(&Page{Runs: []Run{*run}})); err != nil {
		return "", "", "", err
	}
	return template.HTML(b.String()), page.Asset(assets, "load.css"), page.Asset(assets, "load.js"), nil
}

// Document returns the load as JSON has it within a document.
func Document(run *Run) document.Object {
	return document.Object{"warnings", document.Items(run.Result.Warnings), run.json()}
}

// WriteHTML writes a load, or several beside each other, as one HTML file
// that loads nothing from elsewhere. Of several the first is what the others
// are compared with. A search that found nothing has a page without a load.
func WriteHTML(w io.Writer, p *Page) error {
	if len(p.Runs) == 0 && len(p.Searches) == 0 {
		return errors.New("write page of a load: no run")
	}
	return page.Write(w, assets, "load.html", newView(p))
}
