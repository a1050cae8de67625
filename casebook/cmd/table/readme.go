package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The markers of the table in a file. What stands between them is written by
// this command and by nobody else.
const (
	beginMark = "<!-- table: written by go run ./casebook/cmd/table -readme casebook/README.md -->"
	endMark   = "<!-- end of the table -->"
)

// into is a file's text with the table between its markers.
func (d *document) into(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("write the table: %w", err)
	}
	changed, err := d.replace(string(text))
	if err != nil {
		return "", fmt.Errorf("write the table into %s: %w", name, err)
	}
	return changed, nil
}

// writeInto writes the table into a file.
func (d *document) writeInto(name string) error {
	changed, err := d.into(name)
	if err != nil {
		return err
	}
	if err := exchange(name, changed); err != nil {
		return fmt.Errorf("write the table into %s: %w", name, err)
	}
	return nil
}

// exchange gives a file another text, at once or not at all.
func exchange(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".table-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
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
