package view

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// Diff says by how much functions cost more or less than before. Flat and cum
// of the change are those of pprof's -diff_base, percentages are of what was
// before.
type Diff struct {
	Head
	Before, After int64 // totals of what is selected
	Rows          []DiffRow
	Dropped       int // below Options.NodeFraction of the total
	Of            int // those above, of which Rows are the first

	options callgraph.Options
}

// DiffRow is a function, or what else the selection tells apart.
type DiffRow struct {
	Info          selection.Node
	Name          string
	Before, After Costs
}

// Costs are flat and cum of one side.
type Costs struct{ Flat, Cum int64 }

// Flat and Cum are by how much they changed.
func (r *DiffRow) Flat() int64 { return r.After.Flat - r.Before.Flat }
func (r *DiffRow) Cum() int64  { return r.After.Cum - r.Before.Cum }

// less reports whether a function is one that -drop_negative leaves out.
func (r *DiffRow) less() bool { return r.Flat() < 0 || r.Flat() == 0 && r.Cum() < 0 }

// NewDiff compares the sources of a selection: those of the role DiffBase are
// what was before. Rows are ordered by the size of the change, of flat unless g
// says cum.
func NewDiff(s *selection.Selection, base int, g callgraph.Options, o Options) *Diff {
	d := &Diff{Head: newHead(s, &o), options: g}
	// The walk counts what was before as less: that is added up beside all.
	sums, all := callgraph.Sum(s, nil, len(s.Nodes), func(w *selection.Walk) int64 {
		if w.Source() == base {
			return -w.Value
		}
		return 0
	})
	d.Before, d.After = all.FlatDivisor, all.Flat+all.FlatDivisor
	least := d.below(g.NodeFraction)
	var changed []*callgraph.Node
	for i, c := range sums {
		r := DiffRow{Info: s.Nodes[i], Before: Costs{c.FlatDivisor, c.CumDivisor}, After: Costs{c.Flat + c.FlatDivisor, c.Cum + c.CumDivisor}}
		if r.Flat() == 0 && r.Cum() == 0 || s.DropNegative && r.less() {
			continue
		}
		if magnitude(r.Cum()) < least && magnitude(r.Flat()) < least {
			d.Dropped++
			continue
		}
		r.Name = callgraph.Name(&r.Info)
		d.Rows = append(d.Rows, r)
		changed = append(changed, &callgraph.Node{Costs: callgraph.Costs{Flat: r.Flat(), Cum: r.Cum()}})
	}
	d.chooseUnit(changed)
	slices.SortStableFunc(d.Rows, func(a, b DiffRow) int {
		flat, cum := cmp.Compare(magnitude(b.Flat()), magnitude(a.Flat())), cmp.Compare(magnitude(b.Cum()), magnitude(a.Cum()))
		if g.Cum {
			flat, cum = cum, flat
		}
		return cmp.Or(flat, cum, strings.Compare(a.Name, b.Name))
	})
	d.Of = len(d.Rows)
	if g.NodeCount > 0 && len(d.Rows) > g.NodeCount {
		d.Rows = d.Rows[:g.NodeCount]
	}
	return d
}

// Write prints the table, after the warnings there are.
func (d *Diff) Write(w io.Writer) error {
	var b bytes.Buffer
	d.writeWarnings(&b)
	fmt.Fprintf(&b, "Type: %s\n", printable.Line(d.SampleType))
	if len(d.Filters) > 0 {
		b.WriteString("Active filters:\n")
		for _, f := range d.Filters {
			fmt.Fprintf(&b, "   %s\n", printable.Line(f))
		}
	}
	change := d.After - d.Before
	if d.value(change) == d.value(0) {
		change = 0 // what rounding leaves of a scaled profile is no change
	}
	fmt.Fprintf(&b, "Before: %s, after: %s, change: %s%s", d.value(d.Before), d.value(d.After), plus(change), d.value(change))
	if d.Before != 0 {
		fmt.Fprintf(&b, " (%s of before)", strings.TrimSpace(quantity.PprofPercent(change, d.Before)))
	}
	b.WriteByte('\n')
	if d.Dropped > 0 {
		fmt.Fprintf(&b, "Dropped %s (change < %s)\n", quantity.Plural(d.Dropped, "node"), d.value(d.below(d.options.NodeFraction)))
	}
	if len(d.Rows) < d.Of {
		fmt.Fprintf(&b, "Showing top %d nodes out of %d\n", len(d.Rows), d.Of)
	}
	if len(d.Rows) == 0 && d.Dropped == 0 {
		b.WriteString("Nothing changed.\n")
		return page.Print(w, "diff", b.Bytes())
	}
	fmt.Fprintf(&b, "%10s %5s%% %10s %5s%% %10s %10s\n", "flat", "flat", "cum", "cum", "cum before", "cum after")
	for i := range d.Rows {
		r := &d.Rows[i]
		fmt.Fprintf(&b, "%10s %s %10s %s %10s %10s  %s\n", plus(r.Flat())+d.value(r.Flat()), d.percent(r.Flat()), plus(r.Cum())+d.value(r.Cum()), d.percent(r.Cum()),
			d.value(r.Before.Cum), d.value(r.After.Cum), printable.Line(r.Name))
	}
	return page.Print(w, "diff", b.Bytes())
}

// plus returns the sign of more.
func plus(v int64) string {
	if v > 0 {
		return "+"
	}
	return ""
}

// KindDiff is a comparison of one kind of profile.
type KindDiff struct {
	Kind string // of recordings: "cpu", "allocs"; "" for profiles in files
	*Diff
}

// WriteDiffJSON prints comparisons as the document whet/diff/1. findings is nil where
// none were compared.
func WriteDiffJSON(w io.Writer, before, after string, findings *FindingsDiff, diffs []KindDiff, warnings ...string) error {
	for _, d := range diffs {
		for _, warning := range d.Head.Warnings {
			if !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
			}
		}
	}
	return document.Write(w, document.Object{document.Begin(document.Diff, warnings), "before", before, "after", after, "service", findings.service(), "findings", findings.json(), "profiles", document.Each(diffs, (*KindDiff).json)})
}

// json returns a comparison within the document, at whose head schema and warnings
// stand.
func (d *KindDiff) json() document.Object {
	return document.Object{"kind", d.Kind, d.document("diff")[1:], d.amount("before_total", d.Before), d.amount("after_total", d.After),
		"dropped_functions", d.Dropped, "remaining_functions", d.Of, "functions", document.Each(d.Rows, func(r *DiffRow) document.Object {
			return document.Object{"function", cmp.Or(r.Info.Name, r.Name), "file", r.Info.File, "line", document.IfSet(r.Info.Line), d.costs(r.Flat(), r.Cum()),
				"before", d.costs(r.Before.Flat, r.Before.Cum), "after", d.costs(r.After.Flat, r.After.Cum)}
		})}
}
