package page

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"whet/internal/lazyregexp"
	"whet/internal/printable"
)

func (t *Text) Warnings(ws []string) {
	if len(ws) > 0 {
		t.Line()
	}
	for _, w := range ws {
		for i, l := range Wrap(printable.Line(w), min(t.Width, 100)-4) {
			mark := "  ! "
			if i > 0 {
				mark = "    "
			}
			t.Line(t.Paint(Yellow, mark), l)
		}
	}
}

// TextOptions says how the terminal report is laid out.
type TextOptions struct {
	Width int  // columns; 0 means 100, and fewer than 60 count as 60
	Color bool // escape sequences for colours
	All   bool // findings below the threshold, each benchmark and its profiles too
	// Link is the address of a file of the module's sources, "" of one that is not
	// here; a place becomes a link of the terminal. Nil makes none.
	Link func(file string) string
	// Of a run: what the result rests on, and all warnings in full.
	Tables, Verbose bool
}

// Text lays out text for a terminal.
type Text struct {
	Buffer bytes.Buffer
	Width  int
	Color  bool
	link   func(file string) string
}

func NewText(o TextOptions) Text {
	return Text{Width: min(max(cmp.Or(o.Width, 100), 60), 160), Color: o.Color, link: o.Link}
}

// Flush hands w what was written; what is its name in the error.
func (t *Text) Flush(w io.Writer, what string) error {
	return Print(w, what, linked(t.Buffer.Bytes(), t.link))
}

// place is a line of a source file, as reports write it, after the beginning of a
// colour.
var place = lazyregexp.Pattern{Text: `(\x1b\[[0-9;]*m)?([\w@+.~/-]+\.go):([1-9][0-9]*)`}

// linked makes places links of a terminal (OSC 8): the address goes before the
// text, and an empty one after it.
func linked(text []byte, link func(file string) string) []byte {
	if link == nil {
		return text
	}
	return place.Regexp().ReplaceAllFunc(text, func(at []byte) []byte {
		m := place.Regexp().FindSubmatch(at)
		address := link(string(m[2]))
		if address == "" {
			return at
		}
		return fmt.Appendf(nil, "%s\x1b]8;;%s#%s\x1b\\%s:%s\x1b]8;;\x1b\\", m[1], address, m[3], m[2], m[3])
	})
}

// Print hands w a whole text; what is its name in the error.
func Print(w io.Writer, what string, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

// A style is the parameter of the terminal's SGR sequence.
type Style string

const (
	Bold   Style = "1"
	Dim    Style = "2"
	Yellow Style = "33"
	Cyan   Style = "36"
	Strong Style = "1;36"
)

func (t *Text) Paint(s Style, text string) string {
	if !t.Color || text == "" {
		return text
	}
	body := strings.TrimRight(text, " ") // Line trims only what is outside
	if body == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + body + "\x1b[0m" + text[len(body):]
}

// Line writes one line without trailing spaces. The no-break spaces that held
// figures and units together are plain ones here, which scripts look for.
func (t *Text) Line(parts ...string) {
	t.Buffer.WriteString(strings.TrimRight(strings.ReplaceAll(strings.Join(parts, ""), "\u00a0", " "), " "))
	t.Buffer.WriteByte('\n')
}

// Heading begins a part. The aside goes on the next line if this one is too short.
func (t *Text) Heading(s, aside string) {
	t.Line()
	if aside == "" || Cells(s)+2+Cells(aside) <= t.Width {
		t.Line(t.Paint(Bold, s), "  ", t.Paint(Dim, aside))
		return
	}
	t.Line(t.Paint(Bold, s))
	t.Wrapped(2, Dim, aside)
}

// Bytes returns the text written so far.
func (t *Text) Bytes() []byte { return t.Buffer.Bytes() }

// Wrapped writes a text in as many lines as it takes, in a style and after so many
// blanks.
func (t *Text) Wrapped(indent int, s Style, text string) {
	for _, l := range Wrap(text, t.Width-indent) {
		t.Line(strings.Repeat(" ", indent), t.Paint(s, l))
	}
}

// Invalid writes why what was measured is not valid, before all else.
func (t *Text) Invalid(why string) {
	for _, l := range Wrap("not valid: "+printable.Line(why), t.Width-2) {
		t.Line(t.Paint(Yellow, "! "), t.Paint(Bold, l))
	}
}

// Hang writes text after a label of the given width, wrapped.
func (t *Text) Hang(indent int, label string, labelWidth int, text string) {
	room := max(min(t.Width, 100)-indent-labelWidth, 20)
	for i, l := range Wrap(text, room) {
		if i > 0 {
			label = ""
		}
		t.Line(strings.Repeat(" ", indent), t.Paint(Dim, Pad(label, labelWidth)), l)
	}
}

// Prose is Hang for text that may hold several paragraphs and code.
func (t *Text) Prose(indent int, label string, labelWidth int, text string) {
	for _, para := range Paragraphs(text) {
		if !para.Code {
			t.Hang(indent, label, labelWidth, para.Text)
			label = ""
			continue
		}
		for l := range strings.SplitSeq(para.Text, "\n") {
			t.Line(strings.Repeat(" ", indent), t.Paint(Dim, Pad(label, labelWidth)), "    ", Tabs(l))
			label = ""
		}
	}
}
