package flame

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed assets
var assets embed.FS

// Page is one HTML file of flame graphs.
type Page struct {
	Title    string
	Subtitle string
	Module   string // packages of it count as the user's own; "" when that is not known
	Views    []View // views without a graph are left out
	Warnings []string
	Link     Link

	// How the graphs look at first; the page's reader may choose otherwise.
	Palette  Palette // "" is Package
	Inverted bool    // icicles: the root on top
	Negate   bool    // of a comparison: red for less, blue for more
}

// WriteHTML writes the page as one file that loads nothing from elsewhere: it
// opens from disk, in a mail or from any server, and its policy lets the
// browser run only the script and the style that stand in it.
func WriteHTML(w io.Writer, p Page) error {
	widget, err := Widget(p)
	if err != nil {
		return err
	}
	style, script := asset("page.css")+Style(), Script()
	v := struct {
		Title, Subtitle, Policy string
		Style                   template.CSS
		Script                  template.JS
		Warnings                []string
		Widget                  template.HTML
	}{
		Title: visible(p.Title), Subtitle: visible(p.Subtitle), Style: template.CSS(style), Script: template.JS(script), Widget: widget,
		Policy: "default-src 'none'; script-src " + hashSource(script) + "; style-src " + hashSource(style) + "; base-uri 'none'; form-action 'none'",
	}
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
	var buf bytes.Buffer
	if err := execute(&buf, "page.html", v); err != nil {
		return err
	}
	if _, err := io.Copy(w, &buf); err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	return nil
}

// Widget is the part of a page that holds the graphs. The page that it stands
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
	if err := execute(&buf, "widget.html", struct {
		Any  bool
		Data template.JS
	}{len(d.Flames) > 0, data}); err != nil {
		return "", err
	}
	return template.HTML(buf.String()), nil
}

// Style and Script are what a page with a Widget needs.
func Style() string { return asset("flame.css") }

func Script() string {
	return asset("format.js") + asset("tree.js") + asset("sandwich.js") + asset("layout.js") + asset("paint.js") + asset("picture.js") + asset("flame.js") + asset("gesture.js")
}

func execute(w io.Writer, name string, data any) error {
	t, err := template.ParseFS(assets, "assets/*.html")
	if err == nil {
		err = t.ExecuteTemplate(w, name, data)
	}
	if err != nil {
		return fmt.Errorf("write flame graph: %w", err)
	}
	return nil
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // embedded with the program: a test opens every page
	}
	return string(b)
}
