package review

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/report/run"
)

// WriteMarkdown writes the verdict and the findings for a pull request.
func WriteMarkdown(w io.Writer, p *run.Page, o Options) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### whet: %s\n\n%s\n", page.CodeSpan(printable.Line(cmp.Or(p.Package, p.Target))), page.Prose(p.Verdict.Text))
	if len(p.Findings) > 0 {
		b.WriteString("\n| finding | function | line | cost | confidence |\n| --- | --- | --- | --- | --- |\n")
	}
	for i := range p.Findings {
		f := &p.Findings[i]
		name, _ := o.file(f)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", page.CodeSpan(printable.Line(f.Rule)), page.CodeCell(page.CodeSpan(printable.Line(f.Function))),
			page.CodeCell(page.CodeSpan(printable.Line(fmt.Sprintf("%s:%d", name, f.Line)))), page.Prose(shares(f)), page.Prose(string(f.Confidence)))
	}
	for i := range p.Findings {
		f := &p.Findings[i]
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", page.Prose(f.Title))
		for _, text := range []string{f.Why, f.Remedy} {
			if text != "" {
				fmt.Fprintf(&b, "%s\n\n", page.Prose(text))
			}
		}
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "- %s\n", page.Prose(e.Text))
		}
		b.WriteString("\n</details>\n")
	}
	if len(p.Warnings) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", quantity.Plural(len(p.Warnings), "warning"))
		for _, text := range p.Warnings {
			fmt.Fprintf(&b, "- %s\n", page.Prose(text))
		}
		b.WriteString("\n</details>\n")
	}
	return page.Print(w, "the summary", []byte(strings.ReplaceAll(b.String(), "\u00a0", " ")))
}
