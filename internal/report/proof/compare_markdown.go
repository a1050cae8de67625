package proof

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchunit"

	"whet/internal/analyze/tables"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// WriteCompareMarkdown writes tables for a pull request or an issue.
func WriteCompareMarkdown(w io.Writer, r *tables.Result) error {
	var b bytes.Buffer
	var config []string
	flush := func() {
		if len(config) > 0 {
			b.WriteString(strings.Join(config, " · ") + "\n\n")
		}
		config = nil
	}
	compareHeads(r, func(line string) {
		if key, value, ok := strings.Cut(line, ": "); ok {
			config = append(config, markdownCode(key+": "+value))
		}
	}, func(t *tables.Table) {
		flush()
		compareMarkdownTable(&b, t)
	})
	for _, note := range CompareNotes(r) {
		b.WriteString("- " + page.Prose(note) + "\n")
	}
	return page.Print(w, "the comparison", b.Bytes())
}

func compareMarkdownTable(b *bytes.Buffer, t *tables.Table) {
	var notes footnotes
	head, rule := "| "+markdownCode(t.Unit)+" |", "|:--|"
	for col, c := range t.Columns {
		head += " " + markdownCode(strings.Join(c.Values, " ")) + " |"
		rule += "--:|"
		if col > 0 {
			head += " vs base | |"
			rule += "--:|:--|"
		}
	}
	b.WriteString(head + "\n" + rule + "\n")
	class := benchunit.ClassOf(t.Unit)
	for i := range t.Rows {
		row := &t.Rows[i]
		scale := rowScale(row, class)
		line := "| " + markdownCode(row.Name) + " |"
		for col, cell := range row.Cells {
			if cell == nil {
				line += strings.Repeat(" |", 1+2*min(col, 1))
				continue
			}
			line += " " + join(scale.Format(cell.Summary.Center), "±", cell.Summary.PctRangeString(), notes.marks(cell.Warnings)) + " |"
			if col == 0 {
				continue
			}
			c := cell.Comparison
			if c == nil {
				line += " | |"
				continue
			}
			delta := c.Test.FormatDelta(c.Base, c.Center)
			switch c.Verdict {
			case tables.Undecided:
				delta = `\~`
			case tables.Better, tables.Worse:
				if !c.Within {
					delta = "**" + delta + "**"
				}
			}
			line += " " + delta + " | " + join(c.Test.String(), notes.marks(c.Warnings)) + " |"
		}
		b.WriteString(line + "\n")
	}
	if len(t.Rows) > 1 {
		line := "| geomean |"
		for col, m := range t.Geomean {
			value := ""
			if m.Known {
				value = benchunit.Scale(m.Value, class)
			}
			line += " " + join(value, notes.marks(m.Warnings)) + " |"
			if col > 0 {
				line += " " + compareGeomean(m) + " | |"
			}
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
	for i, text := range notes.texts {
		fmt.Fprintf(b, "%s %s  \n", superscript(i+1), page.Prose(text))
	}
	if len(notes.texts) > 0 {
		b.WriteString("\n")
	}
}

// join puts blanks between the parts that there are.
func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// markdownCode shows a foreign name as code: no markup acts in it, and nobody
// is notified by an @. A code span cannot hold every name in a table, so those
// with a bar, a backquote or a backslash are written as HTML.
func markdownCode(s string) string {
	s = printable.Line(s)
	switch {
	case strings.TrimSpace(s) == "":
		return ""
	case !strings.ContainsAny(s, "`|\\"):
		return "`" + s + "`"
	}
	return "<code>" + page.MarkdownText(s) + "</code>"
}
