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

// into is a file's text with the table between its markers: the whole of it, or
// with what the document has in place of the same rows of the one that is there.
func (d *document) into(name string, merge bool) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("write the table: %w", err)
	}
	changed, err := d.replace(string(text), merge)
	if err != nil {
		return "", fmt.Errorf("write the table into %s: %w", name, err)
	}
	return changed, nil
}

// writeInto writes the table into a file.
func (d *document) writeInto(name string, merge bool) error {
	changed, err := d.into(name, merge)
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
func (d *document) replace(text string, merge bool) (string, error) {
	before, rest, ok := strings.Cut(text, beginMark+"\n")
	old, after, end := strings.Cut(rest, endMark)
	if !ok || !end || strings.Contains(after, beginMark) {
		return "", fmt.Errorf("it does not have the lines %q and %q once each, in this order", beginMark, endMark)
	}
	p := d.page()
	if merge {
		kept, err := readPage(old)
		if err != nil {
			return "", err
		}
		if p, err = kept.with(p); err != nil {
			return "", err
		}
	}
	return before + beginMark + "\n" + p.String() + endMark + after, nil
}
