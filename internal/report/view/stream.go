package view

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"whet/internal/printable"
)

// stream writes a document that is too large to hold: its head, then lists of
// items, a line each.
type stream struct {
	w     *bufio.Writer
	err   error
	begun bool // the list at hand has an item
	lists int
}

func newStream(w io.Writer, head any) *stream {
	d := &stream{w: bufio.NewWriter(w)}
	doc, err := marshal(head)
	d.err = err
	// The document stays open for the lists.
	d.w.Write(bytes.TrimSuffix(doc, []byte("}")))
	return d
}

func (d *stream) list(key string) {
	d.endList()
	d.lists++
	fmt.Fprintf(d.w, ",\n%q:[", key)
}

func (d *stream) endList() {
	if d.lists > 0 {
		d.w.WriteString("\n]")
	}
	d.begun = false
}

func (d *stream) item(v any) {
	doc, err := marshal(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	if d.begun {
		d.w.WriteByte(',')
	}
	d.begun = true
	d.w.WriteByte('\n')
	d.w.Write(doc)
}

// close ends the document.
func (d *stream) close() error {
	d.endList()
	d.w.WriteString("}\n")
	if err := d.w.Flush(); err != nil && d.err == nil {
		d.err = err
	}
	if d.err != nil {
		return fmt.Errorf("write view as JSON: %w", d.err)
	}
	return nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return printable.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}
