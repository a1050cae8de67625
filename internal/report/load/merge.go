package load

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"whet/internal/document"
	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// Merge is the sum of the measurements of several generators.
type Merge struct {
	Inputs []MergeInput
	Times  map[string]*hist.Histogram // by tag; "": without one
	// Of the recordings among the inputs: how many there are, and their sums.
	Recordings     int
	Requests       int64
	Errors         map[string]int64
	ThroughputPerS float64
	Output         string // the merged log; "": none
	Warnings       []string
}

// MergeInput is a log.
type MergeInput struct {
	Name      string
	Intervals int
}

// Add adds the counts of a recording. Throughputs add up where the generators
// ran at the same time, which is what merging is for.
func (m *Merge) Add(r *loadresult.Result) {
	m.Recordings++
	m.Requests += r.Requests
	m.ThroughputPerS += r.Throughput()
	if m.Errors == nil {
		m.Errors = make(map[string]int64)
	}
	for kind, n := range r.Errors {
		m.Errors[kind] += n
	}
}

// WriteMergeText writes the sums for a terminal.
func WriteMergeText(w io.Writer, m *Merge, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	t.Line(t.Paint(page.Bold, quantity.Plural(len(m.Inputs), "log")+" merged"))
	for _, in := range m.Inputs {
		t.Line("  ", t.Paint(page.Dim, fmt.Sprintf("%s  %s", printable.Line(in.Name), quantity.Plural(in.Intervals, "interval"))))
	}
	t.Warnings(m.Warnings)
	t.Line()
	head := []string{"", "times", "mean"}
	quantiles := t.quantiles(3)
	for _, q := range quantiles {
		head = append(head, q.name)
	}
	rows := [][]string{append(head, "max", "")}
	for _, tag := range slices.Sorted(maps.Keys(m.Times)) {
		h := m.Times[tag]
		row := append([]string{cmp.Or(printable.Line(tag), "(no tag)"), quantity.Count(float64(h.Count()))}, someTimes(h, quantiles)...)
		rows = append(rows, append(row, ""))
	}
	t.Labelled(rows)
	if m.Recordings > 0 {
		t.Line()
		t.Hang(2, "requests", loadLabel, quantity.Count(float64(m.Requests)))
		t.Hang(2, "throughput", loadLabel, fmt.Sprintf("%s a second: the sum of %s", quantity.Count(m.ThroughputPerS), quantity.Plural(m.Recordings, "generator")))
		failed := "none"
		for i, kind := range kinds(m.Errors) {
			if i == 0 {
				failed = ""
			} else {
				failed += ", "
			}
			failed += fmt.Sprintf("%s %s", quantity.Count(float64(m.Errors[kind])), printable.Line(kind))
		}
		t.Hang(2, "errors", loadLabel, failed)
	}
	if m.Output != "" {
		t.Line()
		t.Line("log  ", printable.Line(m.Output))
	}
	return t.Flush(w, "load")
}

// WriteMergeJSON writes the sums as one document: whet/loadmerge/1.
func WriteMergeJSON(w io.Writer, m *Merge) error {
	var requests, throughput any
	var errors map[string]int64
	if m.Recordings > 0 {
		requests, throughput, errors = m.Requests, m.ThroughputPerS, m.Errors
	}
	return document.Write(w, document.Object{document.Begin(document.LoadMerge, m.Warnings),
		"inputs", document.Each(m.Inputs, func(in *MergeInput) document.Object {
			return document.Object{"path", in.Name, "intervals", in.Intervals}
		}),
		"times_ns", document.Each(slices.Sorted(maps.Keys(m.Times)), func(tag *string) document.Object { return document.Object{"tag", *tag, jsonTimes(m.Times[*tag])} }),
		"recordings", m.Recordings, "requests", requests, "throughput_per_s", throughput, "errors", errors, "output", document.IfSet(m.Output)})
}
