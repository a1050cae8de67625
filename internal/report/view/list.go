package view

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/lines"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/document"
	"whet/internal/format/compiler"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/source"
	"whet/internal/symbol"
)

// CodeOptions say which functions a view of source or assembly shows, and where
// both are.
type CodeOptions struct {
	// Match chooses functions by name, of a weblist also by file or binary. For
	// assembly an expression that is a number chooses those at that address. A
	// weblist without one shows all.
	Match *regexp.Regexp
	// Source returns the text of a frame's file; nil when none is at hand.
	Source func(frameFile string) (*source.Text, error)
	// Decided are the compiler's decisions on the program; nil: none are known.
	Decided *lines.Decisions
	// Binary returns the binary of a mapping.
	Binary func(callstack.Mapping) (*symbol.Binary, error)
}

// ForList returns the options that pprof forces for list: all lines.
func ForList(o selection.Options) selection.Options {
	o.Granularity, o.ObjectNames = "lines", true
	return o
}

// List is the annotated source of functions, as pprof's list command has it.
type List struct {
	Head
	Routines []Routine
}

// Routine is a function in one file.
type Routine struct {
	Function  string
	File      string // as the profile has it
	Flat      int64
	Cum       int64 // counted once for a sample, however often the function recurses
	LinesCum  int64 // sum of the lines' cum, which pprof's header shows: it counts recursion through several lines again
	Lines     []ListLine
	Missing   string // why there is no source: "" when there is
	Generated bool   // a program wrote the source
}

// ListLine is a line of source. Outside of the function, and where the file is
// missing, only lines that hold something are listed.
type ListLine struct {
	Number    int
	Text      string
	Flat, Cum int64
	Beyond    bool // the file has no such line
	Before    bool // it lies before its function, as line tables have it at times
	Decisions []compiler.Decision
}

// listMargin is the number of lines that stand around the hot ones: pprof's.
const listMargin = 5

type routineKey struct{ function, file string }

// NewList lists the functions of a selection, which was made by ForList, that
// match.
func NewList(s *selection.Selection, l CodeOptions, o Options) (*List, error) {
	if l.Match == nil {
		return nil, errors.New("list functions: no expression given")
	}
	v := &List{Head: newHead(s, &o)}
	sums, _ := callgraph.Sum(s, nil, len(s.Nodes), nil)
	ids := make(map[routineKey]int32)
	var routines []routineKey
	group := make([]int32, len(s.Nodes))
	for i := range s.Nodes {
		group[i] = callgraph.NoGroup
		n := &s.Nodes[i]
		if !sums[i].Shown(s.DropNegative) || !l.Match.MatchString(n.Name) {
			continue
		}
		k := routineKey{n.Name, n.File}
		id, ok := ids[k]
		if !ok {
			id = int32(len(routines))
			ids[k] = id
			routines = append(routines, k)
		}
		group[i] = id
	}
	if len(routines) == 0 {
		return nil, fmt.Errorf("no function with a sample matches \"%s\"", l.Match)
	}
	once, _ := callgraph.Sum(s, group, len(routines), nil)
	members := make([][]int, len(routines))
	for i, g := range group {
		if g != callgraph.NoGroup {
			members[g] = append(members[g], i)
		}
	}
	for id, k := range routines {
		r := Routine{Function: k.function, File: k.file}
		r.Cum = once[id].CumValue()
		var all callgraph.Costs
		for _, i := range members[id] {
			all.Add(&sums[i])
		}
		r.Flat, r.LinesCum = all.FlatValue(), all.CumValue()
		if all.Cum != once[id].Cum {
			v.warn("%s calls itself on several lines: its cum of %s is the sum over lines; counted once per sample it is %s",
				r.Function, v.value(r.LinesCum), v.value(r.Cum))
		}
		v.annotate(&r, s, sums, members[id], &l)
		v.Routines = append(v.Routines, r)
	}
	slices.SortFunc(v.Routines, func(a, b Routine) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File))
	})
	return v, nil
}

func (h *Head) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(h.Warnings, w) {
		h.Warnings = append(h.Warnings, w)
	}
}

// doubt warns of what speaks against a source of which a line is needed.
func (h *Head) doubt(t *source.Text, deepest int) {
	for _, d := range t.Doubts {
		h.warn("%s", d)
	}
	if short := t.Short(deepest); short != "" {
		h.warn("%s", short)
	}
}

// annotate fills in the lines of a routine.
func (v *List) annotate(r *Routine, s *selection.Selection, sums []callgraph.Costs, members []int, l *CodeOptions) {
	costs := make(map[int]callgraph.Costs)
	first, last, deepest := 0, 0, 0
	for n, i := range members {
		node := &s.Nodes[i]
		c := costs[node.Line]
		c.Add(&sums[i])
		costs[node.Line] = c
		start := node.StartLine
		if start == 0 {
			start = node.Line - listMargin
		}
		if n == 0 || start < first {
			first = start
		}
		last = max(last, node.Line+listMargin)
		deepest = max(deepest, node.Line)
	}
	first = max(first, 1)

	var text *source.Text
	var err error
	switch {
	case r.File == "":
		r.Missing = "the profile does not name its file"
	case l.Source == nil:
		r.Missing = "no source found"
	default:
		if text, err = l.Source(r.File); err != nil {
			r.Missing, text = err.Error(), nil
			break
		}
		r.Generated = text.Generated
		v.doubt(text, deepest)
	}
	row := func(n int, line ListLine) {
		line.Number = n
		line.Decisions = l.Decided.At(r.File, n)
		c := costs[n]
		line.Flat, line.Cum = c.FlatValue(), c.CumValue()
		r.Lines = append(r.Lines, line)
	}
	for n := first; n <= last; n++ {
		one, ok := text.Line(n)
		if !ok {
			break
		}
		row(n, ListLine{Text: one})
		delete(costs, n)
	}
	// What is left is not in the function's text; listed all the same, so that
	// the lines add up.
	for n := range costs {
		one, ok := text.Line(n)
		row(n, ListLine{Text: one, Beyond: text != nil && !ok && n > 0, Before: n < first})
	}
	slices.SortFunc(r.Lines, func(a, b ListLine) int { return a.Number - b.Number })
}

// orDot prints a value, or a dot for zero.
func (h *Head) orDot(n int64) string {
	if n == 0 {
		return "."
	}
	return h.value(n)
}

// Write prints the listing in pprof's layout, after the warnings there are.
func (v *List) Write(w io.Writer) error {
	var b bytes.Buffer
	v.writeWarnings(&b)
	fmt.Fprintf(&b, "Total: %s\n", v.value(v.Total))
	for i, r := range v.Routines {
		if r.File == "" {
			// As pprof: where some of a function has a file, the rest is passed
			// over.
			if next := i + 1; next >= len(v.Routines) || v.Routines[next].Function != r.Function {
				fmt.Fprintf(&b, "No source information for %s\n", printable.Line(r.Function))
			}
			continue
		}
		fmt.Fprintf(&b, "ROUTINE ======================== %s in %s\n", printable.Line(r.Function), printable.Line(r.File))
		fmt.Fprintf(&b, "%10s %10s (flat, cum) %s of Total\n", v.value(r.Flat), v.value(r.LinesCum), quantity.PprofPercent(r.LinesCum, v.Total))
		if r.Missing != "" {
			fmt.Fprintf(&b, " Error: %s\n", printable.Line(r.Missing))
		}
		for _, l := range r.Lines {
			text := printable.Source(l.Text)
			if l.Beyond {
				text = " (the file has no such line)"
			}
			fmt.Fprintf(&b, "%10s %10s %6d:%s\n", v.orDot(l.Flat), v.orDot(l.Cum), l.Number, text)
		}
	}
	return page.Print(w, "list", b.Bytes())
}

// decisionsOf returns a line's decisions in a document, where there are any.
func decisionsOf(all []compiler.Decision) document.Object {
	if len(all) == 0 {
		return nil
	}
	return document.Object{"decisions", lines.JSON(all)}
}

// WriteJSON prints the listing as the document whet/list/1. A function's cum is
// counted once for each sample, as in whet/top/1; what its lines add up to is
// lines_cum.
func (v *List) WriteJSON(w io.Writer) error {
	return document.Write(w, document.Object{v.document("list"), "functions", document.Each(v.Routines, func(r *Routine) document.Object {
		return document.Object{"function", r.Function, "file", r.File, v.costs(r.Flat, r.Cum), v.amount("lines_cum", r.LinesCum), "missing", r.Missing,
			"generated", document.IfSet(r.Generated), "lines", document.Each(r.Lines, func(l *ListLine) document.Object {
				return document.Object{"line", l.Number, "text", l.Text, "beyond_end", document.IfSet(l.Beyond), "before_function", document.IfSet(l.Before), v.sums(l.Flat, l.Cum), decisionsOf(l.Decisions)}
			})}
	})})
}
