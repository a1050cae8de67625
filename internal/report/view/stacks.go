package view

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// Stacks lists the samples of a selection, each with its stack and its labels:
// what pprof calls traces. Nothing is held of it but the selection.
type Stacks struct {
	Head
	s     *selection.Selection
	names []string // by node
	units map[string]string
}

// NewStacks lists a selection.
func NewStacks(s *selection.Selection, o Options) *Stacks {
	t := &Stacks{Head: newHead(s, &o), s: s, names: make([]string, len(s.Nodes))}
	var warnings []string
	t.units, warnings = s.LabelUnits()
	t.Warnings = append(t.Warnings, warnings...)
	for i := range s.Nodes {
		t.names[i] = callgraph.Name(&s.Nodes[i])
	}
	return t
}

const stackSeparator = "-----------+-------------------------------------------------------\n"

// Write prints the samples in pprof's layout, after the warnings there are.
func (t *Stacks) Write(w io.Writer) error {
	var head bytes.Buffer
	t.writeWarnings(&head)
	writeLines(&head, t.profileLines())
	if head.Len() == 0 {
		head.WriteByte('\n') // pprof's head of a profile that says nothing of itself
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.Write(head.Bytes())
	printed := make([]string, len(t.names))
	for i, name := range t.names {
		printed[i] = printable.Line(name)
	}
	labels := make([]*string, t.s.Profile().LabelSets()) // printed
	for walk := t.s.WalkAll(); walk.Next(); {
		if len(walk.Path) == 0 {
			continue
		}
		b.WriteString(stackSeparator)
		set := walk.LabelSet()
		if labels[set] == nil {
			text := t.labels(walk.Labels())
			labels[set] = &text
		}
		b.WriteString(*labels[set])
		value := fmt.Sprintf("%10s", t.value(mean(walk)))
		for _, step := range slices.Backward(walk.Path) {
			b.WriteString(value)
			value = "          "
			b.WriteString("   ")
			b.WriteString(printed[step.Node])
			if step.Inlined {
				b.WriteString(" (inline)")
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString(stackSeparator)
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write stacks: %w", err)
	}
	return nil
}

// mean returns a sample's value, divided where the selection has a divisor.
func mean(w *selection.Walk) int64 {
	if w.Divisor == 0 {
		return w.Value
	}
	return w.Value / w.Divisor
}

// labels prints a line for each key: those with texts, then those with numbers.
func (t *Stacks) labels(labels []callstack.Label) string {
	var texts, numbers []keyed
	for _, l := range labels {
		if l.Str != "" {
			texts = add(texts, l.Key, printable.Line(l.Str))
		} else {
			numbers = add(numbers, l.Key, printable.Line(quantity.PprofLabel(l.Num, t.units[l.Key], "auto")))
		}
	}
	var out strings.Builder
	for _, list := range [][]keyed{texts, numbers} {
		var lines []string
		for _, k := range list {
			lines = append(lines, fmt.Sprintf("%10s:  %s\n", printable.Line(k.key), strings.Join(k.values, " ")))
		}
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, ""))
	}
	return out.String()
}

// keyed are the values of a key, in order.
type keyed struct {
	key    string
	values []string
}

func add(list []keyed, key, value string) []keyed {
	for i := range list {
		if list[i].key == key {
			list[i].values = append(list[i].values, value)
			return list
		}
	}
	return append(list, keyed{key, []string{value}})
}

type jsonFrame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Address  string `json:"address,omitempty"`
	Inline   bool   `json:"inline,omitempty"` // into the next frame
}

func (t *Stacks) frame(step selection.Step) jsonFrame {
	n := &t.s.Nodes[step.Node]
	f := jsonFrame{Function: cmp.Or(n.Name, t.names[step.Node]), File: n.File, Line: n.Line, Column: n.Column, Inline: step.Inlined}
	if n.Address != 0 {
		f.Address = fmt.Sprintf("%#x", n.Address)
	}
	return f
}

// WriteJSON prints the samples as the document whet/stacks/1, a line each.
func (t *Stacks) WriteJSON(w io.Writer) error {
	d := document.NewStream(w, t.document("stacks"))
	d.List("stacks")
	for walk := t.s.WalkAll(); walk.Next(); {
		if len(walk.Path) == 0 {
			continue
		}
		frames := make([]jsonFrame, 0, len(walk.Path)) // leaf first
		for _, step := range slices.Backward(walk.Path) {
			frames = append(frames, t.frame(step))
		}
		d.Item(document.Object{t.amount("value", mean(walk)), jsonLabels(walk.Labels(), t.units), "frames", frames})
	}
	return d.Close()
}
