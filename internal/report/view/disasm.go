package view

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/source"
)

// ForDisasm returns the options that pprof forces for disasm: all addresses, each of
// one function.
func ForDisasm(o selection.Options) selection.Options {
	o.Granularity, o.ObjectNames, o.NoInlines = "addresses", true, true
	return o
}

// Disasm is the annotated assembly of functions, as pprof's disasm command has
// it.
type Disasm struct {
	Head
	Routines []AsmRoutine
}

// AsmRoutine is the code of one function.
type AsmRoutine struct {
	Function     string
	Binary       string
	Flat, Cum    int64
	Instructions []AsmInstruction
}

// AsmInstruction is an instruction. A sample that lies within it is its.
type AsmInstruction struct {
	Address   uint64 // in the binary
	Text      string
	Function  string // of its samples, "" without any
	File      string
	Line      int
	Source    string // that line
	Flat, Cum int64

	sum callgraph.Costs
}

// NewDisasm lists the code of a selection's functions, which was made by
// ForDisasm, that match and have samples.
func NewDisasm(s *selection.Selection, d CodeOptions, o Options) (*Disasm, error) {
	if d.Match == nil {
		return nil, errors.New("list assembly: no expression given")
	}
	v := &Disasm{Head: newHead(s, &o)}
	c := newCode(s, d.Binary, &v.Head)
	address, isAddress := asAddress(d.Match)
	var wanted []*codeFunction
	for _, f := range c.functions {
		matches := d.Match.MatchString(f.Name)
		if isAddress {
			matches = c.holds(f, address)
		}
		if matches {
			wanted = append(wanted, f)
		}
	}
	if len(wanted) == 0 {
		if err := c.missing(); err != nil {
			return nil, fmt.Errorf("list assembly of %q: %w", d.Match, err)
		}
		return nil, fmt.Errorf("no function with a sample matches \"%s\"", d.Match)
	}
	slices.SortFunc(wanted, func(a, b *codeFunction) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Start, b.Start))
	})
	for _, f := range wanted {
		r, err := v.routine(s, f, &d)
		if err != nil {
			return nil, err
		}
		v.Routines = append(v.Routines, r)
	}
	return v, nil
}

// asAddress reads an expression that is a number: "0x4a1c20".
func asAddress(re *regexp.Regexp) (uint64, bool) {
	n, err := strconv.ParseUint(re.String(), 0, 64)
	return n, err == nil
}

func (v *Disasm) routine(s *selection.Selection, f *codeFunction, d *CodeOptions) (AsmRoutine, error) {
	r := AsmRoutine{Function: f.Name, Binary: f.binary.Name()}
	instructions, err := f.instructions()
	if err != nil {
		return r, err
	}
	var all callgraph.Costs
	next := 0 // node not given to an instruction yet
	for _, in := range instructions {
		a := AsmInstruction{Address: in.Address, Text: in.Text}
		if frames := f.binary.Frames(in.Address); len(frames) > 0 {
			a.File, a.Line = frames[0].File, frames[0].Line
		}
		for ; next < len(f.nodes) && f.nodes[next].address < in.Address+uint64(in.Size); next++ {
			at := f.nodes[next]
			a.sum.Add(&at.sum)
			n := &s.Nodes[at.node]
			a.Function, a.File, a.Line = cmp.Or(a.Function, n.Name), cmp.Or(a.File, n.File), cmp.Or(a.Line, n.Line)
		}
		all.Add(&a.sum)
		a.Flat, a.Cum = a.sum.FlatValue(), a.sum.CumValue()
		if d.Source != nil && a.File != "" && a.Line > 0 {
			a.Source = v.sourceLine(d.Source, a.File, a.Line)
		}
		r.Instructions = append(r.Instructions, a)
	}
	r.Flat, r.Cum = all.FlatValue(), all.CumValue()
	return r, nil
}

// sourceLine returns a line where its file is at hand.
func (h *Head) sourceLine(text func(string) (*source.Text, error), file string, line int) string {
	t, err := text(file)
	if err != nil {
		return ""
	}
	h.doubt(t, line)
	one, _ := t.Line(line)
	return strings.TrimSpace(one)
}

// Write prints the listing in pprof's layout, after the warnings there are.
// Behind a place stands the text of its line, where it is at hand.
func (v *Disasm) Write(w io.Writer) error {
	var b bytes.Buffer
	v.writeWarnings(&b)
	fmt.Fprintf(&b, "Total: %s\n", v.value(v.Total))
	for _, r := range v.Routines {
		fmt.Fprintf(&b, "ROUTINE ======================== %s\n", printable.Line(r.Function))
		fmt.Fprintf(&b, "%10s %10s (flat, cum) %s of Total\n", v.value(r.Flat), v.value(r.Cum), quantity.PprofPercent(r.Cum, v.Total))
		var before AsmInstruction
		for _, in := range r.Instructions {
			place := ""
			if in.Function != before.Function || in.File != before.File || in.Line != before.Line {
				place = in.place()
			}
			before = in
			numbers := fmt.Sprintf("%10s %10s %10x:", v.orDot(in.Flat), v.orDot(in.Cum), in.Address)
			switch text := printable.Line(in.Text); {
			case place == "":
				fmt.Fprintf(&b, "%s %s\n", numbers, text)
			case len(text) < 40:
				fmt.Fprintf(&b, "%s %-40s;%s\n", numbers, text, place)
			default:
				fmt.Fprintf(&b, "%74s;%s\n%s %s\n", "", place, numbers, text)
			}
		}
	}
	return page.Print(w, "disasm", b.Bytes())
}

// place returns where an instruction comes from: "main.work work.go:12".
func (in *AsmInstruction) place() string {
	out := ""
	if in.Function != "" {
		out = printable.Line(in.Function) + " "
	}
	if in.File != "" {
		out += printable.Line(path.Base(strings.ReplaceAll(in.File, `\`, "/")))
		if in.Line != 0 {
			out += fmt.Sprintf(":%d", in.Line)
		}
	}
	if in.Source != "" {
		out += "  " + printable.Line(in.Source)
	}
	return out
}

// WriteJSON prints the listing as the document whet/disasm/1.
func (v *Disasm) WriteJSON(w io.Writer) error {
	return document.Write(w, document.Object{v.document("disasm"), "functions", document.Each(v.Routines, func(r *AsmRoutine) document.Object {
		return document.Object{"function", r.Function, "object", r.Binary, v.costs(r.Flat, r.Cum), "instructions", document.Each(r.Instructions, func(in *AsmInstruction) document.Object {
			return document.Object{instruction(in.Address, in.Text, in.File, in.Line), "source", document.IfSet(in.Source), v.sums(in.Flat, in.Cum)}
		})}
	})})
}

func instruction(address uint64, text, file string, line int) document.Object {
	return document.Object{"address", fmt.Sprintf("%#x", address), "text", text, "file", file, "line", line}
}
