package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"whet/internal/printable"
	"whet/internal/report/flame"
)

//go:embed assets
var assets embed.FS

// WriteHTML writes the page as one file that loads nothing from elsewhere: it
// opens from disk, in a mail or from any server, and its policy lets the
// browser run only the script and the style that stand in it.
func WriteHTML(w io.Writer, p *Page) error {
	v, err := newPageView(p)
	if err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return writeDocument(w, "page.html", v)
}

// shell is what every document has around its content.
type shell struct {
	Title  string
	Style  template.CSS
	Script template.JS
	Policy string
}

// newShell puts the style and the script together. The script is a module, so
// that its names stay its own and it runs once the document is there.
func newShell(title string) shell {
	return shellOf(title, asset("page.css")+asset("run.css")+flame.Style(), flame.Script())
}

func shellOf(title, style, script string) shell {
	return shell{
		Title:  printable.Line(title),
		Style:  template.CSS(style),
		Script: template.JS(script),
		Policy: "default-src 'none'; script-src " + hashSource(script) + "; style-src " + hashSource(style) +
			"; base-uri 'none'; form-action 'none'",
	}
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

func writeDocument(w io.Writer, name string, data any) error {
	t, err := template.ParseFS(assets, "assets/*.html")
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
