package flame

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"

	"whet/internal/report/page"
)

//go:embed assets
var assets embed.FS

// Page is a HTML file of flame graphs.
type Page struct {
	Title    string
	Subtitle string
	Module   string // packages of it count as the user's own; "" when that is not known
	Views    []View // views without a graph are left out
	Warnings []string
	Link     Link

	// How the graphs look at first; the page's reader may choose otherwise.
	Palette    Palette // "" is Package
	RootBottom bool    // flames: the root below; else icicles, the root on top
	Negate     bool    // of a comparison: red for less, blue for more
}

// WriteHTML writes the page as one file that loads nothing from elsewhere: it
// opens from disk, in a mail or from any server, and its policy lets the
// browser run only the script and the style that stand in it.
func WriteHTML(w io.Writer, p Page) error {
	widget, err := Widget(p)
	if err != nil {
		return err
	}
	v := struct {
		page.Shell
		Subtitle string
		Warnings []string
		Widget   template.HTML
	}{Shell: page.NewShell(visible(p.Title), page.Asset(assets, "page.css")+Style(), Script()), Subtitle: visible(p.Subtitle), Widget: widget}
	for _, warning := range p.Warnings {
		v.Warnings = append(v.Warnings, visible(warning))
	}
	for i := range p.Views {
		if view := &p.Views[i]; view.Graph != nil {
			for _, warning := range view.Graph.Warnings {
				v.Warnings = append(v.Warnings, view.label()+": "+visible(warning))
			}
		}
	}
	return page.Write(w, assets, "flame.html", v)
}

// Widget returns the part of a page that holds the graphs. The page that it stands
// in has Style in its style, Script as its module, and defines the colours that
// Style refers to; title and warnings are its own.
func Widget(p Page) (template.HTML, error) {
	if err := p.Link.Validate(); err != nil {
		return "", err
	}
	p.Palette = cmp.Or(p.Palette, Package)
	if err := p.Palette.Validate(); err != nil {
		return "", fmt.Errorf("flame graph: %w", err)
	}
	d := flameData(&p)
	data, err := d.script()
	if err != nil {
		return "", fmt.Errorf("write flame graph: %w", err)
	}
	var buf bytes.Buffer
	if err := page.Write(&buf, assets, "widget.html", struct {
		Any  bool
		Data template.JS
	}{len(d.Flames) > 0, data}); err != nil {
		return "", err
	}
	return template.HTML(buf.String()), nil
}

// Style and Script are what a page with a Widget needs.
func Style() string { return page.Asset(assets, "flame.css") }

func Script() string {
	script := ""
	for _, part := range []string{"format", "tree", "sandwich", "layout", "paint", "picture", "flame", "gesture"} {
		script += page.Asset(assets, part+".js")
	}
	return script
}
