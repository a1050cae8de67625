package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// TopOptions are the choices of `go tool pprof -top`, by their names there.
type TopOptions struct {
	Column       int            // sample type shown, an index into Profile.Types
	Cum          bool           // sort by cum instead of flat
	NodeCount    int            // show at most so many functions; 0 shows all
	NodeFraction float64        // drop functions whose cum is a smaller share of the total
	EdgeFraction float64        // calls below this share do not decide what is "(inline)"
	Zone         *time.Location // of the time printed; nil is UTC
}

// DefaultTopOptions are pprof's, for the profile's default column.
func DefaultTopOptions(p *callstack.Profile) TopOptions {
	return TopOptions{Column: p.DefaultType, NodeFraction: 0.005, EdgeFraction: 0.001}
}

// TopView is the table of a profile's functions, as pprof's top command has
// it: the same functions, order, figures and notes on inlining.
type TopView struct {
	Head     ViewHead
	Rows     []TopRow
	Shown    int64  // sum of the rows' flat
	Dropped  int    // functions below NodeFraction
	DropMax  int64  // the cum they stay below
	Of       int    // functions left after that, of which Rows are the first
	OutUnit  string // the one unit all values are printed in
	Warnings []string
}

// ViewHead is what a view says about the profile itself.
type ViewHead struct {
	Binary     string // base name of the program; "" when unknown
	BuildID    string
	Comments   []string
	SampleType string
	Unit       string
	DocURL     string
	Time       time.Time // zero when unknown
	DurationNs int64     // 0 when unknown
	Samples    int       // distinct stacks with labels, as the file lists them
	Total      int64     // sum of the samples' magnitudes: what percentages are of
}

// TopRow is one function. Frames without a function name stand together by the
// file they were loaded from: "[libc.so.6]", or "<unknown>".
type TopRow struct {
	Function  string
	File      string // of the first frame met, as the profile has it
	Flat, Cum int64
	Inline    string // "inline": the compiler inlined every call shown; "partial-inline": some; ""
}

// NewTop sums up a profile by function. A bad column or drop expression in the
// profile is an error.
func NewTop(p *callstack.Profile, o TopOptions) (*TopView, error) {
	head, err := newViewHead(p, o.Column, o.Zone)
	if err != nil {
		return nil, err
	}
	pruned, err := p.Pruned()
	if err != nil {
		return nil, err
	}
	n := newNodes(pruned, func(f *callstack.Frame) nodeKey {
		if f.Function != "" {
			return nodeKey{function: f.Function}
		}
		return nodeKey{object: f.Object}
	})
	n.sum(pruned, o.Column)

	v := &TopView{Head: head, Warnings: slices.Clone(p.Warnings), OutUnit: "minimum"}
	var total int64 // signed, unlike head.Total: pprof cuts by this one
	shown := n.live()
	for _, i := range shown {
		total += n.cost[i].Flat
	}
	below := func(fraction float64) int64 { return magnitude(int64(float64(total) * fraction)) }
	before := len(shown)
	if cut := below(o.NodeFraction); cut > 0 {
		shown = slices.DeleteFunc(shown, func(i int) bool { return magnitude(n.cost[i].Cum) < cut })
	}
	v.Dropped, v.Of = before-len(shown), len(shown)
	v.DropMax = magnitude(int64(float64(head.Total) * o.NodeFraction))
	n.sort(shown, o.Cum)
	if o.NodeCount > 0 && len(shown) > o.NodeCount {
		shown = shown[:o.NodeCount]
	}

	// Calls are looked at between the functions shown: what lies between two
	// of them is skipped, as pprof does.
	var kept []bool
	if len(shown) < before {
		kept = make([]bool, len(n.keys))
		for _, i := range shown {
			kept[i] = true
		}
	}
	inline := n.inlining(pruned, o.Column, kept, below(o.EdgeFraction))

	var smallest int64
	for _, i := range shown {
		c := n.cost[i]
		v.Shown += c.Flat
		v.Rows = append(v.Rows, TopRow{Function: n.keys[i].name(), File: n.file[i], Flat: c.Flat, Cum: c.Cum, Inline: inline[i]})
		value := magnitude(c.Flat)
		if value == 0 {
			value = magnitude(c.Cum)
		}
		if value > 0 && (smallest == 0 || value < smallest) {
			smallest = value
		}
	}
	if len(shown) > 0 {
		v.OutUnit = quantity.PprofUnit(smallest, head.Total, head.Unit)
	}
	return v, nil
}

func newViewHead(p *callstack.Profile, column int, zone *time.Location) (ViewHead, error) {
	if column < 0 || column >= len(p.Types) {
		return ViewHead{}, fmt.Errorf("sample type %d is not one of the profile's %d", column, len(p.Types))
	}
	h := ViewHead{
		SampleType: p.Types[column].Type, Unit: p.Types[column].Unit, DocURL: p.DocURL,
		DurationNs: p.Duration, Samples: p.Len(), Total: viewTotal(p, column),
	}
	if len(p.Mappings) > 0 {
		m := p.Mappings[0]
		if m.File != "" {
			h.Binary = filepath.Base(m.File)
		}
		h.BuildID = m.BuildID
	}
	for _, c := range p.Comments {
		if !strings.HasPrefix(c, "#") { // not meant for print, by pprof's custom
			h.Comments = append(h.Comments, c)
		}
	}
	if p.TimeNanos != 0 {
		if zone == nil {
			zone = time.UTC
		}
		h.Time = time.Unix(0, p.TimeNanos).In(zone)
	}
	return h, nil
}

// viewTotal is what percentages are of: all magnitudes, so that a difference
// of two profiles has shares too. Where samples are marked as the base of a
// difference, it is theirs alone.
func viewTotal(p *callstack.Profile, t int) int64 {
	var total, base int64
	for i := range p.Len() {
		v := magnitude(p.Value(t, i))
		total += v
		for _, l := range p.Labels(i) {
			if l.Key == "pprof::base" && l.Str == "true" {
				base += v
				break
			}
		}
	}
	if base > 0 {
		return base
	}
	return total
}

func magnitude(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// text prints a value of the view in unit.
// The unit is the profile's own word: untrusted, like every name in it.
func (h *ViewHead) text(v int64, unit string) string {
	return clean(quantity.PprofLabel(v, h.Unit, unit))
}

// lines is pprof's legend.
func (h *ViewHead) lines(unit string) []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+clean(value))
		}
	}
	add("File: ", h.Binary)
	add("Build ID: ", h.BuildID)
	for _, c := range h.Comments {
		out = append(out, clean(c))
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
			quantity.PprofLabel(h.DurationNs, "nanoseconds", "auto"), h.text(h.Total, unit), ratio))
	}
	return out
}

// WriteTop prints the table in pprof's layout, after the warnings there are.
func WriteTop(w io.Writer, v *TopView) error {
	var b bytes.Buffer
	writeViewWarnings(&b, v.Warnings)
	h := &v.Head
	for _, line := range h.lines(v.OutUnit) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "Showing nodes accounting for %s, %s of %s total\n",
		h.text(v.Shown, v.OutUnit), strings.TrimSpace(quantity.PprofPercent(v.Shown, h.Total)), h.text(h.Total, v.OutUnit))
	if h.Total != 0 {
		if v.Dropped > 0 {
			nodes := "nodes"
			if v.Dropped == 1 {
				nodes = "node"
			}
			fmt.Fprintf(&b, "Dropped %d %s (cum <= %s)\n", v.Dropped, nodes, h.text(v.DropMax, v.OutUnit))
		}
		if len(v.Rows) > 0 && len(v.Rows) < v.Of {
			fmt.Fprintf(&b, "Showing top %d nodes out of %d\n", len(v.Rows), v.Of)
		}
	}
	fmt.Fprintf(&b, "%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum")
	var sum int64
	for _, r := range v.Rows {
		sum += r.Flat
		note := ""
		if r.Inline != "" {
			note = " (" + r.Inline + ")"
		}
		fmt.Fprintf(&b, "%10s %s %s %10s %s  %s%s\n",
			h.text(r.Flat, v.OutUnit), quantity.PprofPercent(r.Flat, h.Total), quantity.PprofPercent(sum, h.Total),
			h.text(r.Cum, v.OutUnit), quantity.PprofPercent(r.Cum, h.Total), clean(r.Function), note)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write top: %w", err)
	}
	return nil
}

func writeViewWarnings(b *bytes.Buffer, warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintf(b, "Warning: %s\n", clean(warning))
	}
}

// jsonView begins both views' documents.
type jsonView struct {
	Schema     string   `json:"schema"`
	Warnings   []string `json:"warnings"`
	Binary     string   `json:"binary"`
	BuildID    string   `json:"build_id"`
	SampleType string   `json:"sample_type"`
	Unit       string   `json:"unit"`
	Time       string   `json:"time,omitempty"` // RFC 3339; absent when unknown
	DurationNs *int64   `json:"duration_ns,omitempty"`
	Samples    int      `json:"samples"`
	TotalNs    *int64   `json:"total_ns,omitempty"`
	TotalBytes *int64   `json:"total_bytes,omitempty"`
	TotalCount *int64   `json:"total_count,omitempty"`
	Total      *int64   `json:"total,omitempty"` // in Unit, like every key without one
}

func newJSONView(verb string, h *ViewHead, warnings []string) jsonView {
	j := jsonView{
		Schema: "whet/" + verb + "/1", Warnings: append([]string{}, warnings...),
		Binary: h.Binary, BuildID: h.BuildID, SampleType: h.SampleType, Unit: h.Unit, Samples: h.Samples,
	}
	if !h.Time.IsZero() {
		j.Time = h.Time.UTC().Format(time.RFC3339Nano)
	}
	if h.DurationNs != 0 {
		j.DurationNs = &h.DurationNs
	}
	j.TotalNs, j.TotalBytes, j.TotalCount, j.Total = byUnit(h.Unit, h.Total)
	return j
}

type jsonTop struct {
	jsonView
	ShownNs    *int64       `json:"shown_ns,omitempty"`
	ShownBytes *int64       `json:"shown_bytes,omitempty"`
	ShownCount *int64       `json:"shown_count,omitempty"`
	Shown      *int64       `json:"shown,omitempty"`
	Dropped    int          `json:"dropped_functions"`
	Of         int          `json:"remaining_functions"`
	Functions  []jsonTopRow `json:"functions"`
}

type jsonTopRow struct {
	jsonRow
	Inline string `json:"inline"`
}

// WriteTopJSON prints the table as the document whet/top/1.
func WriteTopJSON(w io.Writer, v *TopView) error {
	h := &v.Head
	j := jsonTop{jsonView: newJSONView("top", h, v.Warnings), Dropped: v.Dropped, Of: v.Of, Functions: []jsonTopRow{}}
	j.ShownNs, j.ShownBytes, j.ShownCount, j.Shown = byUnit(h.Unit, v.Shown)
	for _, r := range v.Rows {
		row := jsonTopRow{Inline: r.Inline}
		row.Function, row.File = r.Function, r.File
		row.FlatRatio, row.CumRatio = share(r.Flat, h.Total), share(r.Cum, h.Total)
		row.FlatNs, row.FlatBytes, row.FlatCount, row.Flat = byUnit(h.Unit, r.Flat)
		row.CumNs, row.CumBytes, row.CumCount, row.Cum = byUnit(h.Unit, r.Cum)
		j.Functions = append(j.Functions, row)
	}
	return writeViewJSON(w, &j)
}

func writeViewJSON(w io.Writer, document any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(document); err != nil {
		return fmt.Errorf("write view as JSON: %w", err)
	}
	if _, err := w.Write(escapeControls(b.Bytes())); err != nil {
		return fmt.Errorf("write view as JSON: %w", err)
	}
	return nil
}

// sort orders nodes as pprof does: by magnitude, then name.
func (n *nodes) sort(list []int, byCum bool) {
	slices.SortFunc(list, func(a, b int) int {
		first, second := magnitude(n.cost[b].Flat)-magnitude(n.cost[a].Flat), magnitude(n.cost[b].Cum)-magnitude(n.cost[a].Cum)
		if byCum {
			first, second = second, first
		}
		ka, kb := n.keys[a], n.keys[b]
		return cmp.Or(cmp.Compare(first, 0), cmp.Compare(ka.name(), kb.name()), cmp.Compare(second, 0), cmp.Compare(ka.object, kb.object))
	})
}
