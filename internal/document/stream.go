package document

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// Stream writes a document that is too large to hold: its head, then lists of
// items, a line each.
type Stream struct {
	w     *bufio.Writer
	err   error
	begun bool // the list at hand has an item
	lists int
}

// NewStream begins a document with its head, which the lists follow.
func NewStream(w io.Writer, head Document) *Stream {
	d := &Stream{w: bufio.NewWriterSize(w, 64<<10)}
	if d.err = check(head); d.err != nil {
		return d
	}
	doc, err := encode(head, "")
	d.err = err
	// The document stays open for the lists.
	d.w.Write(bytes.TrimSuffix(doc, []byte("}\n")))
	return d
}

// List begins a list, whose items follow.
func (d *Stream) List(key string) {
	d.endList()
	d.lists++
	fmt.Fprintf(d.w, ",\n%q:[", key)
}

func (d *Stream) endList() {
	if d.lists > 0 {
		d.w.WriteString("\n]")
	}
	d.begun = false
}

// Item adds an item to the list at hand.
func (d *Stream) Item(v any) {
	doc, err := encode(v, "")
	if err != nil && d.err == nil {
		d.err = err
	}
	d.JSON(doc)
}

// JSON adds an item that is JSON already, of numbers and words of ours: for lists of
// millions.
func (d *Stream) JSON(doc []byte) {
	if d.begun {
		d.w.WriteByte(',')
	}
	d.begun = true
	d.w.WriteByte('\n')
	d.w.Write(bytes.TrimSuffix(doc, []byte("\n")))
}

// Close ends the document.
func (d *Stream) Close() error {
	d.endList()
	d.w.WriteString("}\n")
	if err := d.w.Flush(); err != nil && d.err == nil {
		d.err = err
	}
	if d.err != nil {
		return fmt.Errorf("write JSON: %w", d.err)
	}
	return nil
}
