package benchmark

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format writes a result as one line, without the newline. Values are written
// in full, unlike those of the testing package, so that Parse gives them back.
func Format(l Line) string {
	var b strings.Builder
	b.WriteString(l.Name)
	// Without the suffix -1 a reader would take the end of such a name for
	// the number of processors.
	if _, _, ambiguous := suffix(l.Name); l.Procs > 1 || ambiguous {
		fmt.Fprintf(&b, "-%d", max(l.Procs, 1))
	}
	fmt.Fprintf(&b, "\t%d", l.N)
	for _, m := range l.Values() {
		b.WriteByte('\t')
		b.WriteString(strconv.FormatFloat(m.Value, 'f', -1, 64))
		b.WriteByte(' ')
		b.WriteString(m.Unit)
	}
	return b.String()
}

// Setting is a configuration line "key: value" that applies to the results after it.
type Setting struct{ Key, Value string }

// Writer writes the Go benchmark format: settings when they change, results
// below them. It stops at the first error, which Err returns.
type Writer struct {
	w    io.Writer
	have map[string]string
	err  error
}

// NewWriter writes to w, unbuffered.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, have: map[string]string{}}
}

// Set writes a setting unless it already applies. The usual keys are goos, goarch, pkg
// and cpu. A value's newlines become spaces.
func (w *Writer) Set(key, value string) {
	value = strings.Join(strings.Fields(value), " ")
	if old, ok := w.have[key]; ok && old == value {
		return
	}
	w.have[key] = value
	w.printf("%s: %s\n", key, value)
}

// Write writes a result.
func (w *Writer) Write(l Line) { w.printf("%s\n", Format(l)) }

// Err returns the first error of writing.
func (w *Writer) Err() error { return w.err }

func (w *Writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format, args...)
	}
}
