package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"whet/internal/printable"
)

// indent of documents that people look at, too.
const indent = "  "

// Head begins every document.
type Head struct {
	Schema   string   `json:"schema"`
	Warnings []string `json:"warnings"`
}

// New returns the head of a document, which may change its warnings.
func New(schema string, warnings []string) Head {
	return Head{schema, append([]string{}, warnings...)}
}

// Header returns the head itself: a struct with a Head is a [Document].
func (h Head) Header() Head { return h }

// Document is a document that can be written.
type Document interface{ Header() Head }

func check(d Document) error {
	switch h := d.Header(); {
	case !known(h.Schema):
		return fmt.Errorf("write JSON: the schema %q is not in the table of documents", h.Schema)
	case h.Warnings == nil:
		return fmt.Errorf("write JSON: the warnings of %s are null", h.Schema)
	}
	return nil
}

// Write prints a document.
func Write(w io.Writer, d Document) error { return write(w, d, indent) }

// WriteLine prints a document on one line.
func WriteLine(w io.Writer, d Document) error { return write(w, d, "") }

func write(w io.Writer, d Document, indent string) error {
	if err := check(d); err != nil {
		return err
	}
	data, err := encode(d, indent)
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// Format returns v as a file of a recording.
func Format(v any) ([]byte, error) { return encode(v, indent) }

// encode returns a value as JSON with an end of line.
func encode(v any, indent string) ([]byte, error) {
	if o, ok := v.(Object); ok && indent == "" { // it need not be made compact
		data, err := o.MarshalJSON()
		return printable.JSON(append(data, '\n')), err
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return printable.JSON(buf.Bytes()), nil
}

// Array is a list in a document: of no items it is [], never null.
type Array[T any] []T

func (l Array[T]) MarshalJSON() ([]byte, error) {
	return encode(append([]T{}, l...), "")
}

// Items returns l as an array that is never null in JSON.
func Items[T any](l []T) Array[T] { return l }

// Number is a figure that may be none: NaN and the infinities, which JSON does
// not have, are null.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	return json.Marshal(Known(&v))
}

// Known returns v; nil, which is unknown, where it is no finite number: JSON has
// no word for it.
func Known(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// Amount returns a value with a key that names its unit: "flat_ns", "flat_bytes",
// "flat_count", or "flat" of any other.
func Amount(key, unit string, v int64) Object {
	return Object{key + map[string]string{"nanoseconds": "_ns", "bytes": "_bytes", "count": "_count"}[unit], v}
}
