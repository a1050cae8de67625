package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// LoadMerge is what several generators measured, added up.
type LoadMerge struct {
	Inputs []LoadMergeInput
	Times  map[string]*hist.Histogram // by tag; "": without one
	// Of the recordings among the inputs: how many there are, and their sums.
	Recordings     int
	Requests       int64
	Errors         map[string]int64
	ThroughputPerS float64
	Output         string // the merged log; "": none
	Warnings       []string
}

// LoadMergeInput is one log.
type LoadMergeInput struct {
	Name      string
	Intervals int
}

// Add adds the counts of a recording. Throughputs add up where the generators
// ran at the same time, which is what merging is for.
func (m *LoadMerge) Add(r *loadresult.Result) {
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

// WriteLoadMergeText writes the sums for a terminal.
func WriteLoadMergeText(w io.Writer, m *LoadMerge, o LoadTextOptions) error {
	t := textWriter{width: min(max(cmp.Or(o.Width, 100), 60), 160), color: o.Color}
	t.line(t.paint(bold, quantity.Plural(len(m.Inputs), "log")+" merged"))
	for _, in := range m.Inputs {
		t.line("  ", t.paint(dim, fmt.Sprintf("%s  %s", printable.Line(in.Name), quantity.Plural(in.Intervals, "interval"))))
	}
	t.warnings(m.Warnings)
	t.line()
	head := []string{"times", "mean"}
	quantiles := t.quantiles(3)
	for _, q := range quantiles {
		head = append(head, q.name)
	}
	rows := [][]string{append(head, "max", "", "")}
	for _, tag := range slices.Sorted(maps.Keys(m.Times)) {
		h := m.Times[tag]
		row := append([]string{quantity.Count(float64(h.Count()))}, someTimes(h, quantiles)...)
		rows = append(rows, append(row, cmp.Or(printable.Line(tag), "(no tag)"), ""))
	}
	t.table(rows)
	if m.Recordings > 0 {
		t.line()
		t.hang(2, "requests", loadLabel, quantity.Count(float64(m.Requests)))
		t.hang(2, "throughput", loadLabel, fmt.Sprintf("%s a second: the sum of %s", quantity.Count(m.ThroughputPerS), quantity.Plural(m.Recordings, "generator")))
		failed := "none"
		for i, kind := range kinds(m.Errors) {
			if i == 0 {
				failed = ""
			} else {
				failed += ", "
			}
			failed += fmt.Sprintf("%s %s", quantity.Count(float64(m.Errors[kind])), printable.Line(kind))
		}
		t.hang(2, "errors", loadLabel, failed)
	}
	if m.Output != "" {
		t.line()
		t.line("log  ", printable.Line(m.Output))
	}
	if _, err := w.Write(t.bytes()); err != nil {
		return fmt.Errorf("write load: %w", err)
	}
	return nil
}

// WriteLoadMergeJSON writes the sums as one document: whet/loadmerge/1.
func WriteLoadMergeJSON(w io.Writer, m *LoadMerge) error {
	type input struct {
		Path      string `json:"path"`
		Intervals int    `json:"intervals"`
	}
	type times struct {
		Tag string `json:"tag"`
		*loadTimes
	}
	d := struct {
		Schema         string           `json:"schema"`
		Warnings       []string         `json:"warnings"`
		Inputs         []input          `json:"inputs"`
		TimesNs        []times          `json:"times_ns"`
		Recordings     int              `json:"recordings"`
		Requests       *int64           `json:"requests"`
		ThroughputPerS *float64         `json:"throughput_per_s"`
		Errors         map[string]int64 `json:"errors"`
		Output         string           `json:"output,omitempty"`
	}{Schema: "whet/loadmerge/1", Warnings: append([]string{}, m.Warnings...), Inputs: []input{}, TimesNs: []times{}, Recordings: m.Recordings, Output: m.Output}
	for _, in := range m.Inputs {
		d.Inputs = append(d.Inputs, input{in.Name, in.Intervals})
	}
	for _, tag := range slices.Sorted(maps.Keys(m.Times)) {
		d.TimesNs = append(d.TimesNs, times{tag, newLoadTimes(m.Times[tag])})
	}
	if m.Recordings > 0 {
		d.Requests, d.ThroughputPerS, d.Errors = &m.Requests, &m.ThroughputPerS, m.Errors
	}
	return writeJSON(w, d, "  ")
}
