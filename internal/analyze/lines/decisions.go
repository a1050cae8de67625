package lines

import (
	"slices"
	"strings"

	"whet/internal/document"
	"whet/internal/format/compiler"
)

// Decisions are the compiler's, by line. Nil is that nothing of the compiler is known.
type Decisions struct {
	at    map[fileLine][]compiler.Decision // those that tell something
	files map[string][]int                 // that the compiler's text names: the lines of those, rising
}

// fileLine is a line of a file.
type fileLine struct {
	file string
	line int
}

// Add adds the compiler's decisions.
func (d *Decisions) Add(all []compiler.Decision) {
	if d.at == nil {
		d.at, d.files = make(map[fileLine][]compiler.Decision), make(map[string][]int)
	}
	for _, one := range all {
		known, at := d.files[one.File], fileLine{one.File, one.Line}
		if tells(&one) && !slices.ContainsFunc(d.at[at], func(o compiler.Decision) bool { return o.Kind == one.Kind && o.Text == one.Text }) {
			if d.at[at] = append(d.at[at], one); len(d.at[at]) == 1 {
				known = append(known, one.Line)
			}
		}
		d.files[one.File] = known
	}
	for _, known := range d.files {
		slices.Sort(known)
	}
}

// At returns the decisions on a line that concern cost: allocations, inlined calls, and
// functions too complex to be inlined.
func (d *Decisions) At(file string, line int) []compiler.Decision {
	if d == nil {
		return nil
	}
	return d.at[fileLine{file, line}]
}

// Lines returns the lines of a file with decisions, from one line to before another.
func (d *Decisions) Lines(file string, from, before int) []int {
	if d == nil {
		return nil
	}
	all := d.files[file]
	first, _ := slices.BinarySearch(all, from)
	end, _ := slices.BinarySearch(all, before)
	return all[first:max(first, end)]
}

// Knows reports whether the compiler's text covers a file: if not, missing decisions
// mean unknown.
func (d *Decisions) Knows(file string) bool {
	if d == nil {
		return false
	}
	_, ok := d.files[file]
	return ok
}

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

// Said returns a decision in the compiler's words, or nearly so.
func Said(d *compiler.Decision) string {
	if call, ok := strings.CutPrefix(d.Text, "inlining call to "); ok && d.Kind == compiler.Inlines {
		return "inlines " + call
	}
	return d.Text
}
