package proof

import (
	"fmt"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// changeKind is a kind of profile of a change.
type changeKind struct {
	title    string
	print    func(float64) string
	class    func(*compare.ClassChange) *compare.Delta
	function func(*compare.FunctionChange) *compare.FlatCum
}

var changeKinds = [...]changeKind{
	{"CPU time per operation", quantity.Nanoseconds,
		func(c *compare.ClassChange) *compare.Delta { return c.CPUNs }, func(f *compare.FunctionChange) *compare.FlatCum { return f.CPUNs }},
	{"bytes allocated per operation", quantity.Bytes,
		func(c *compare.ClassChange) *compare.Delta { return c.Bytes }, func(f *compare.FunctionChange) *compare.FlatCum { return f.Bytes }},
	{"allocations per operation (small ones without pointers share a block, which counts as one)", quantity.Count,
		func(c *compare.ClassChange) *compare.Delta { return c.Allocs }, func(f *compare.FunctionChange) *compare.FlatCum { return f.Allocs }},
}

// why writes which functions account for the changes.
func (t *writer) why(r *compare.Result) {
	if len(r.Why) == 0 {
		return
	}
	t.Heading("Why", "profiles of both sides, per operation, taken apart from the rounds: differences beyond their error")
	for i := range r.Why {
		c := &r.Why[i]
		t.Line()
		t.Line("  ", t.Paint(page.Bold, page.Shorten(printable.Line(c.Benchmark), t.Width-2)))
		t.Hang(2, "", 0, changeHead(c))
		for _, w := range c.Warnings {
			t.Hang(2, "! ", 2, printable.Line(w))
		}
		for _, k := range changeKinds {
			t.changeTable(c, &k)
		}
		t.changeDecisions(c)
		if len(c.Functions) == 0 {
			t.Line()
			t.Hang(2, "", 0, "no function differs beyond its error")
		}
	}
}

// changeHead says what was profiled.
func changeHead(c *compare.Change) string {
	return fmt.Sprintf("%s a side of %s; %s samples of old and %s of new; for equal sides the list would be empty with probability %s",
		quantity.Plural(c.Turns, "CPU profile"), quantity.Plural(int(c.Iterations), "iteration"),
		quantity.Count(float64(c.SamplesOld)), quantity.Count(float64(c.SamplesNew)), confidence(c.ConfidenceRatio))
}

// classLines returns the sums of the measured code and of the other classes that
// differ.
func (k *changeKind) classLines(c *compare.Change) []string {
	var out []string
	for i := range c.Classes {
		class := &c.Classes[i]
		d := k.class(class)
		if d == nil || d.Old == 0 && d.New == 0 || class.Class != "base" && !d.Differs() {
			continue
		}
		name := class.Class
		if name == "base" {
			name = "measured code"
		}
		out = append(out, fmt.Sprintf("%s %s → %s, %s", name, k.print(d.Old), k.print(d.New), k.diff(*d)))
	}
	return out
}

// diff returns a difference with its error: "+120 ns ± 14 ns".
func (k *changeKind) diff(d compare.Delta) string {
	v := d.Diff()
	s := k.print(v)
	if v > 0 {
		s = "+" + s
	}
	return s + " ±\u00a0" + k.print(d.Error)
}

// Widths from which a table of functions shows cum on both sides, and flat.
const (
	changeWide   = 130
	changeMiddle = 90
)

// textChanges are the rows of one table of functions on a terminal; the JSON
// document has all.
const textChanges = 10

func (t *writer) changeTable(c *compare.Change, k *changeKind) {
	lines := k.classLines(c)
	if len(lines) == 0 {
		return
	}
	var rows [][]string
	for i := range c.Functions {
		f := &c.Functions[i]
		v := k.function(f)
		if v == nil {
			continue
		}
		note := ""
		if f.Only != "" {
			note = "only " + printable.Line(f.Only)
		}
		rows = append(rows, k.cells(v, printable.Line(f.Function), note, t.Width))
	}
	t.Line()
	t.Hang(2, "", 0, k.title+": "+strings.Join(lines, "; "))
	if len(rows) == 0 {
		return
	}
	more := len(rows) - textChanges
	rows = rows[:min(len(rows), textChanges)]
	t.Table(append([][]string{k.header(t.Width)}, rows...))
	if more > 0 {
		t.Line("  ", t.Paint(page.Dim, fmt.Sprintf("and %d more with smaller differences", more)))
	}
}

func (k *changeKind) header(width int) []string {
	switch {
	case width >= changeWide:
		return []string{"flat old", "flat new", "flat diff", "cum old", "cum new", "cum diff", "function", ""}
	case width >= changeMiddle:
		return []string{"flat old", "flat new", "flat diff", "cum diff", "function", ""}
	}
	return []string{"flat diff", "cum diff", "function", ""}
}

func (k *changeKind) cells(v *compare.FlatCum, name, note string, width int) []string {
	cells := []string{k.diff(v.Flat), k.diff(v.Cum)}
	switch {
	case width >= changeWide:
		cells = []string{k.print(v.Flat.Old), k.print(v.Flat.New), cells[0], k.print(v.Cum.Old), k.print(v.Cum.New), cells[1]}
	case width >= changeMiddle:
		cells = append([]string{k.print(v.Flat.Old), k.print(v.Flat.New)}, cells...)
	}
	return append(cells, name, note)
}

// changeDecisions lists what the compiler decided differently.
func (t *writer) changeDecisions(c *compare.Change) {
	said := false
	for i := range c.Functions {
		f := &c.Functions[i]
		if len(f.Decisions) == 0 {
			continue
		}
		if !said {
			t.Line()
			t.Hang(2, "", 0, "the compiler's decisions differ:")
			said = true
		}
		t.Line("    ", page.Shorten(printable.Line(f.Function), t.Width-4))
		for _, d := range f.Decisions {
			t.Hang(6, printable.Line(d.Side), 5, printable.Line(d.Text)+"  "+printable.Line(fmt.Sprintf("%s:%d", d.File, d.Line)))
		}
	}
}
