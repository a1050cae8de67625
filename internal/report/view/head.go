package view

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// Options are the options that views share, by pprof's names.
type Options struct {
	Unit    string         // values are printed in it; "" is "minimum": one that suits all of them
	Compact bool           // the legend leaves out what it says of the profile
	Filters []string       // name=value of the options that select, for the legend
	Zone    *time.Location // of times printed; nil is UTC
	// Warnings come before those of the selection.
	Warnings []string
}

// Head is the head of a view: its description of the profile.
type Head struct {
	Binary     string // base name of the program; "" when unknown
	BuildID    string
	Comments   []string
	SampleType string
	Unit       string // of the sample type, the profile's own word
	DocURL     string
	Time       time.Time // zero when unknown
	DurationNs int64     // 0 when unknown
	Samples    int       // of the whole profile, as the files list them
	Total      int64     // what percentages are of
	Ratio      float64   // values are printed multiplied with it
	OutUnit    string    // that values are printed in
	Filters    []string
	Warnings   []string

	compact bool
}

func newHead(s *selection.Selection, o *Options) Head {
	m := &s.Meta
	h := Head{
		SampleType: s.Type.Type, Unit: s.Type.Unit, DocURL: m.DocURL, DurationNs: m.Duration,
		Samples: s.Samples, Total: s.Total, Ratio: s.Ratio, OutUnit: o.Unit, Filters: o.Filters,
		Warnings: slices.Concat(m.Warnings, s.Warnings, o.Warnings), compact: o.Compact,
	}
	if h.OutUnit == "" {
		h.OutUnit = minimum
	}
	// The first mapping is the program's. Formats that only name a frame's
	// object list them as they come, and the kernel or [vdso] is no program.
	if i := slices.IndexFunc(m.Mappings, func(m callstack.Mapping) bool { return !strings.HasPrefix(m.File, "[") }); i >= 0 {
		if m.Mappings[i].File != "" {
			h.Binary = filepath.Base(m.Mappings[i].File)
		}
		h.BuildID = m.Mappings[i].BuildID
	}
	for _, c := range m.Comments {
		if !strings.HasPrefix(c, "#") { // not meant for print, by pprof's custom
			h.Comments = append(h.Comments, c)
		}
	}
	if m.TimeNanos != 0 {
		zone := o.Zone
		if zone == nil {
			zone = time.UTC
		}
		h.Time = time.Unix(0, m.TimeNanos).In(zone)
	}
	return h
}

// minimum is pprof's word for the unit that suits a value, or all of a table.
const minimum = "minimum"

// chooseUnit settles on the one unit that all values of a graph are printed in:
// that of the smallest, unless the total would become too long to read.
func (h *Head) chooseUnit(nodes []*callgraph.Node) {
	if h.OutUnit != minimum || len(nodes) == 0 {
		return
	}
	smallest := leastValue(nodes)
	if smallest == 0 {
		smallest = h.Total
	}
	h.OutUnit = quantity.PprofUnit(h.scaled(smallest), h.scaled(h.Total), h.Unit)
}

// leastValue returns the smallest value that nodes have: of each its flat, its cum
// where that is 0. It is 0 where all are.
func leastValue(nodes []*callgraph.Node) int64 {
	var least int64
	for _, n := range nodes {
		v := magnitude(n.FlatValue())
		if v == 0 {
			v = magnitude(n.CumValue())
		}
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	return least
}

// scaled returns a value as -divide_by has it.
func (h *Head) scaled(v int64) int64 {
	if h.Ratio > 0 && h.Ratio != 1 {
		return int64(float64(v) * h.Ratio)
	}
	return v
}

// value prints a value. Its unit is the profile's own word: untrusted, like
// every name in it.
func (h *Head) value(v int64) string {
	return printable.Line(quantity.PprofLabel(h.scaled(v), h.Unit, h.OutUnit))
}

// percent prints a value's share of the total, six characters wide.
func (h *Head) percent(v int64) string { return quantity.PprofPercent(v, h.Total) }

// profileLines say what the profile is: pprof's profile labels.
func (h *Head) profileLines() []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+printable.Line(value))
		}
	}
	add("File: ", h.Binary)
	add("Build ID: ", h.BuildID)
	for _, c := range h.Comments {
		out = append(out, printable.Line(c))
	}
	add("Type: ", h.SampleType)
	add("Doc: ", h.DocURL)
	if !h.Time.IsZero() {
		add("Time: ", h.Time.Format("2006-01-02 15:04:05 MST"))
	}
	if h.DurationNs != 0 {
		ratio := ""
		if ns, u := quantity.PprofScale(h.Total, h.Unit, "nanoseconds"); u == "ns" && ns != 0 {
			ratio = "(" + quantity.PprofPercent(int64(ns), h.DurationNs) + ")"
		}
		out = append(out, fmt.Sprintf("Duration: %s, Total samples = %s %s",
			quantity.PprofLabel(h.DurationNs, "nanoseconds", "auto"), h.value(h.Total), ratio))
	}
	return out
}

// graphLines are pprof's legend of a graph: of the profile, what was selected,
// what is shown of it. A picture's has the profile always, and counts edges.
func (h *Head) graphLines(g *callgraph.Graph, o *callgraph.Options) []string {
	var out []string
	if o.Picture || !h.compact {
		out = h.profileLines()
	}
	if len(h.Filters) > 0 {
		out = append(out, "Active filters:")
		for _, f := range h.Filters {
			if len(f) > 80 {
				f = f[:80] + "…"
			}
			out = append(out, "   "+printable.Line(f))
		}
	}
	shown := g.FlatSum()
	out = append(out, fmt.Sprintf("Showing nodes accounting for %s, %s of %s total",
		h.value(shown), strings.TrimSpace(h.percent(shown)), h.value(h.Total)))
	if h.Total == 0 {
		return out
	}
	dropped := func(n int, what, by string, fraction float64) {
		if n == 0 {
			return
		}
		if n > 1 {
			what += "s"
		}
		out = append(out, fmt.Sprintf("Dropped %d %s (%s <= %s)", n, what, by, h.value(h.below(fraction))))
	}
	dropped(g.DroppedNodes, "node", "cum", o.NodeFraction)
	if o.Picture {
		dropped(g.DroppedEdges, "edge", "freq", o.EdgeFraction)
	}
	if len(g.Nodes) > 0 && len(g.Nodes) < g.Remaining {
		out = append(out, fmt.Sprintf("Showing top %d nodes out of %d", len(g.Nodes), g.Remaining))
	}
	return out
}

// below returns a share of the total.
func (h *Head) below(fraction float64) int64 {
	return magnitude(int64(float64(h.Total) * fraction))
}

func writeLines(b *bytes.Buffer, lines []string) {
	for _, l := range lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
}

func (h *Head) writeWarnings(b io.Writer) {
	for _, w := range h.Warnings {
		fmt.Fprintf(b, "Warning: %s\n", printable.Line(w))
	}
}

func magnitude(v int64) int64 {
	if v < 0 && v != math.MinInt64 {
		return -v
	}
	return v
}
