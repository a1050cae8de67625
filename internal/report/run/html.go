package run

import (
	"embed"
	"fmt"
	"io"

	"whet/internal/report/page"
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
	return page.Write(w, assets, "run.html", v)
}
