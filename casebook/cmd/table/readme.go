package main

import (
	"fmt"
	"os"
	"strings"
)

// The markers of the table in a file. What stands between them is written by
// this command and by nobody else.
const (
	beginMark = "<!-- table: written by go run ./casebook/cmd/table -readme casebook/README.md -->"
	endMark   = "<!-- end of the table -->"
)

// writeInto writes the table into a file, between its markers.
func (d *document) writeInto(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	changed, err := d.replace(string(text))
	if err != nil {
		return fmt.Errorf("write the table into %s: %w", name, err)
	}
	if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// replace returns the text with the table between its markers.
func (d *document) replace(text string) (string, error) {
	before, rest, ok := strings.Cut(text, beginMark+"\n")
	_, after, end := strings.Cut(rest, endMark)
	if !ok || !end || strings.Contains(after, beginMark) {
		return "", fmt.Errorf("it does not have the lines %q and %q once each, in this order", beginMark, endMark)
	}
	return before + beginMark + "\n" + d.markdown() + endMark + after, nil
}

// markdown is the table as it stands in a README.
func (d *document) markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n")
	line(titles)
	b.WriteString(strings.Repeat("|---", len(titles)) + "|\n")
	for _, cells := range d.cells() {
		line(cells)
	}
	b.WriteString("\nMeasured " + d.where() + ".\n")
	for _, w := range d.Warnings {
		b.WriteString("\n" + w + ".\n")
	}
	b.WriteString("\n")
	return b.String()
}
