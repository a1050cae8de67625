package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"

	"whet/internal/printable"
)

//go:embed assets
var assets embed.FS

// Shell is the frame of every document around its content.
type Shell struct {
	Title  string
	Style  template.CSS
	Script template.JS
	Policy string
}

// KitStyle returns the style of what the kit's templates draw, beside the theme.
func KitStyle() string { return Asset(assets, "page.css") + Asset(assets, "charts.css") }

// KitScript returns the script of what the kit's templates draw: the page stands
// without it.
func KitScript() string { return Asset(assets, "page.js") }

// NewShell returns the shell of a page: its style is the theme of all pages and what
// the page adds to it. A page without a script has none; a script is a module,
// so that its names stay its own and it runs once the document is there.
func NewShell(title, style, script string) Shell {
	style = Asset(assets, "theme.css") + style
	return Shell{
		Title:  printable.Line(title),
		Style:  template.CSS(style),
		Script: template.JS(script),
		Policy: policy(style, script),
	}
}

// Asset returns a file of those that a package of pages brings along.
func Asset(of embed.FS, name string) string {
	b, err := of.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // embedded with the program: a test opens every page
	}
	return string(b)
}

// Write writes a page by one of the templates in of, which may call the kit's,
// and line on prose and on text that is not ours.
func Write(w io.Writer, of embed.FS, name string, data any) error {
	t, err := template.New("").Funcs(template.FuncMap{"line": line}).ParseFS(assets, "assets/*.html")
	if err == nil {
		t, err = t.ParseFS(of, "assets/*.html")
	}
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	var buf bytes.Buffer
	if err := t.ExecuteTemplate(&buf, name, data); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	if _, err := io.Copy(w, &buf); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// Figure is a number in large type with what explains it.
type Figure struct{ Name, Value, Note string }

type ErrorRow struct{ Count, Kind, Example string }

// Fact is a line of the head: "CPU", "Intel Xeon, 2 cores".
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
