package view

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/printable"
)

// Raw lists a selection as profiles hold it: samples with all their values and
// the numbers of their locations, then the locations and mappings. Nothing is
// held of it but the selection.
type Raw struct {
	Head
	meta      *callstack.Meta
	s         *selection.Selection
	locations *selection.Locations
	noInlines bool
	ids       []int // by location, from 1
	order     []int // locations by id
}

// NewRaw lists a selection. Its locations are listed with their lines and
// addresses, whatever the granularity.
func NewRaw(s *selection.Selection, o Options) *Raw {
	r := &Raw{Head: newHead(s, &o), meta: &s.Meta, s: s, locations: s.Locations(), noInlines: s.NoInlines()}
	r.number()
	return r
}

// number gives the locations their ids, in the order in which samples come to
// them, the leaf first: as Go's runtime and pprof number them. The file's own
// numbers are not kept.
func (r *Raw) number() {
	r.ids = make([]int, r.locations.Len())
	add := func(location int) {
		if r.ids[location] == 0 {
			r.order = append(r.order, location)
			r.ids[location] = len(r.order)
		}
	}
	for c := r.s.Profile().Cursor(); c.Next(); {
		for _, location := range slices.Backward(c.Path[c.Shared:]) {
			add(int(location))
		}
	}
	for location := range r.ids { // unused ones, and frames made of labels
		add(location)
	}
}

// Write prints the profile in pprof's layout, after the warnings there are.
func (r *Raw) Write(w io.Writer) error {
	var head bytes.Buffer
	r.writeWarnings(&head)
	r.writeHead(&head)
	b := bufio.NewWriterSize(w, 1<<16)
	b.Write(head.Bytes())
	var labels [][]byte // printed, by set, if many samples have the same
	if p := r.s.Profile(); 2*p.LabelSets() < p.Len() {
		labels = make([][]byte, p.LabelSets())
	}
	var printer labelPrinter
	numbers := make([]string, len(r.ids)) // printed, by location
	for location, id := range r.ids {
		numbers[location] = strconv.Itoa(id) + " "
	}
	stack := reverseBuilder{upTo: make([]int, 1)}
	var line []byte
	r.samples(func(walk *selection.Walk, row *callstack.Rows) {
		line = line[:0]
		for t := range r.meta.Types {
			line = appendPadded(append(line, ' '), row.Value(t))
		}
		line = append(line, ": "...)
		stack.upTo = stack.upTo[:walk.Shared+1]
		for _, step := range walk.Path[walk.Shared:] {
			stack.prepend(numbers[step.Node])
		}
		line = append(line, stack.text()...)
		line = append(line, '\n')
		if labels == nil {
			line = printer.print(line, walk.Labels())
		} else {
			set := &labels[walk.LabelSet()]
			if *set == nil {
				*set = printer.print([]byte{}, walk.Labels())
			}
			line = append(line, *set...)
		}
		b.Write(line)
	})
	b.WriteString("Locations\n")
	for i, location := range r.order {
		b.WriteString(rawLocation(i+1, r.locations.At(location)))
	}
	b.WriteString("Mappings\n")
	for i := range r.meta.Mappings {
		b.WriteString(r.mapping(i))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write raw: %w", err)
	}
	return nil
}

// reverseBuilder builds a text from its end: neighbouring samples share the root
// part of their stacks, which comes last in their lines.
type reverseBuilder struct {
	buffer []byte // of which the text is the end
	upTo   []int  // lengths: of nothing, of the first piece, of the first two, …
}

func (b *reverseBuilder) prepend(piece string) {
	n := b.upTo[len(b.upTo)-1] + len(piece)
	if n > len(b.buffer) {
		larger := make([]byte, 2*n)
		copy(larger[len(larger)-len(b.buffer):], b.buffer)
		b.buffer = larger
	}
	copy(b.buffer[len(b.buffer)-n:], piece)
	b.upTo = append(b.upTo, n)
}

func (b *reverseBuilder) text() []byte { return b.buffer[len(b.buffer)-b.upTo[len(b.upTo)-1]:] }

func (r *Raw) writeHead(b *bytes.Buffer) {
	m := r.meta
	for _, c := range m.Comments {
		fmt.Fprintf(b, "Comment: %s\n", printable.Line(c))
	}
	if m.DocURL != "" {
		fmt.Fprintf(b, "Doc: %s\n", printable.Line(m.DocURL))
	}
	fmt.Fprintf(b, "PeriodType: %s %s\n", printable.Line(m.PeriodType.Type), printable.Line(m.PeriodType.Unit))
	fmt.Fprintf(b, "Period: %d\n", m.Period)
	if !r.Time.IsZero() {
		fmt.Fprintf(b, "Time: %v\n", r.Time)
	}
	if m.Duration != 0 {
		fmt.Fprintf(b, "Duration: %.4v\n", time.Duration(m.Duration))
	}
	b.WriteString("Samples:\n")
	var types []string
	for t, v := range m.Types {
		text := printable.Line(v.Type) + "/" + printable.Line(v.Unit)
		if m.DefaultNamed && t == m.DefaultType {
			text += "[dflt]"
		}
		types = append(types, text)
	}
	b.WriteString(strings.Join(types, " ") + "\n")
}

// samples calls f for each sample with the values of all its columns.
func (r *Raw) samples(f func(*selection.Walk, *callstack.Rows)) {
	columns := make([]int, len(r.meta.Types))
	for t := range columns {
		columns[t] = t
	}
	row := r.s.Profile().Rows(columns...)
	at := -1
	for walk := r.locations.Walk(); walk.Next(); {
		for ; at < walk.Sample(); at++ {
			row.Next()
		}
		f(walk, row)
	}
}

// appendPadded appends v, ten characters wide at least.
func appendPadded(b []byte, v int64) []byte {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], v, 10)
	for range 10 - len(text) {
		b = append(b, ' ')
	}
	return append(b, text...)
}

// labelPrinter prints sets of labels.
type labelPrinter struct {
	keys  []byte   // of the line at hand, with their values
	parts [][2]int // they lie in keys
	done  []bool   // of the labels at hand
}

// print appends a line of texts and one of numbers, of those there are.
func (p *labelPrinter) print(out []byte, labels []callstack.Label) []byte {
	p.done = append(p.done[:0], make([]bool, len(labels))...)
	for _, texts := range []bool{true, false} {
		p.keys, p.parts = p.keys[:0], p.parts[:0]
		for i, l := range labels {
			if p.done[i] || (l.Str != "") != texts {
				continue
			}
			start, unit := len(p.keys), false
			for _, o := range labels[i:] {
				unit = unit || o.Key == l.Key && o.Str == "" && o.Unit != ""
			}
			p.keys = append(append(p.keys, printable.Line(l.Key)...), ':')
			before := byte('[')
			for j, o := range labels[i:] {
				if o.Key != l.Key || (o.Str != "") != texts {
					continue
				}
				p.done[i+j] = true
				p.keys = append(p.keys, before)
				before = ' '
				if texts {
					p.keys = append(p.keys, printable.Line(o.Str)...)
					continue
				}
				p.keys = strconv.AppendInt(p.keys, o.Num, 10)
				if unit {
					p.keys = append(append(p.keys, ' '), printable.Line(o.Unit)...)
				}
			}
			p.keys = append(p.keys, ']')
			p.parts = append(p.parts, [2]int{start, len(p.keys)})
		}
		if len(p.parts) == 0 {
			continue
		}
		part := func(at [2]int) []byte { return p.keys[at[0]:at[1]] }
		slices.SortFunc(p.parts, func(a, b [2]int) int { return bytes.Compare(part(a), part(b)) })
		out = append(out, "               "...)
		for _, at := range p.parts {
			out = append(append(out, ' '), part(at)...)
		}
		out = append(out, '\n')
	}
	return out
}

func rawLocation(id int, p selection.Location) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%6d: %#x ", id, p.Address)
	if p.Mapping != callstack.NoMapping {
		fmt.Fprintf(&out, "M=%d ", p.Mapping+1)
	}
	if p.Folded {
		out.WriteString("[F] ")
	}
	if len(p.Frames) == 0 {
		out.WriteByte('\n')
	}
	for n, f := range p.Frames {
		if n > 0 {
			out.WriteString("             ")
		}
		fmt.Fprintf(&out, "%s %s:%d:%d s=%d", printable.Line(f.Name), printable.Line(f.File), f.Line, f.Column, f.Start)
		if f.SystemName != f.Name { // that of a frame made of a label is empty
			fmt.Fprintf(&out, "(%s)", printable.Line(f.SystemName))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func (r *Raw) mapping(i int) string {
	m := &r.meta.Mappings[i]
	resolved := ""
	for _, of := range []struct {
		is   bool
		mark string
	}{{m.HasFunctions, "[FN]"}, {m.HasFilenames, "[FL]"}, {m.HasLineNumbers, "[LN]"}, {m.HasInlineFrames && !r.noInlines, "[IN]"}} {
		if of.is {
			resolved += of.mark
		}
	}
	return fmt.Sprintf("%d: %#x/%#x/%#x %s %s %s\n", i+1, m.Start, m.Limit, m.Offset, printable.Line(m.File), printable.Line(m.BuildID), resolved)
}
