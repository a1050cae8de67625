package lines

import (
	"slices"
	"strings"

	"whet/internal/document"
	"whet/internal/format/compiler"
)

// Decisions are the compiler's, by line. Nil is that nothing of the compiler is known.
type Decisions struct {
	at    map[place][]compiler.Decision // those that tell something
	files map[string]bool               // that the compiler's text names
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// Add takes in what the compiler said.
func (d *Decisions) Add(all []compiler.Decision) {
	if d.at == nil {
		d.at, d.files = make(map[place][]compiler.Decision), make(map[string]bool)
	}
	for _, one := range all {
		d.files[one.File] = true
		at := place{one.File, one.Line}
		if tells(&one) && !slices.ContainsFunc(d.at[at], func(o compiler.Decision) bool { return o.Kind == one.Kind && o.Text == one.Text }) {
			d.at[at] = append(d.at[at], one)
		}
	}
}

// At are those on a line that say something of cost: what is allocated, which calls
// were inlined, which function is too complex to be.
func (d *Decisions) At(file string, line int) []compiler.Decision {
	if d == nil {
		return nil
	}
	return d.at[place{file, line}]
}

// Knows reports whether the compiler was asked about a file: where not, that there is
// no decision says nothing.
func (d *Decisions) Knows(file string) bool { return d != nil && d.files[file] }

func tells(d *compiler.Decision) bool {
	switch d.Kind {
	case compiler.Escapes, compiler.MovedToHeap, compiler.Inlines:
		return true
	case compiler.CannotInline:
		return strings.Contains(d.Text, "function too complex")
	}
	return false
}

// JSON are decisions as documents have them.
func JSON(all []compiler.Decision) []document.Object {
	return document.Each(all, func(d *compiler.Decision) document.Object {
		return document.Object{"column", d.Col, "kind", string(d.Kind), "text", d.Text}
	})
}

// Said is a decision in the compiler's words, or nearly so.
func Said(d *compiler.Decision) string {
	if call, ok := strings.CutPrefix(d.Text, "inlining call to "); ok && d.Kind == compiler.Inlines {
		return "inlines " + call
	}
	return d.Text
}
