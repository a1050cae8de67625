package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/document"
)

type jsonType struct {
	Type    string `json:"type"`
	Unit    string `json:"unit"`
	Default bool   `json:"default,omitempty"`
}

type jsonRawSample struct {
	Values    []int64     `json:"values"`    // one for each sample type, in its unit
	Locations []int       `json:"locations"` // leaf first
	Labels    []jsonLabel `json:"labels,omitempty"`
}

type jsonLocation struct {
	ID      int            `json:"id"`
	Address string         `json:"address"`
	Mapping int            `json:"mapping,omitempty"`
	Folded  bool           `json:"folded,omitempty"`
	Frames  []jsonRawFrame `json:"frames"` // innermost first
}

type jsonRawFrame struct {
	Function   string `json:"function"`
	SystemName string `json:"system_name,omitempty"` // where it differs
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	StartLine  int    `json:"start_line,omitempty"`
}

type jsonMapping struct {
	ID      int    `json:"id"`
	Start   string `json:"start"`
	Limit   string `json:"limit"`
	Offset  string `json:"offset"`
	File    string `json:"file"`
	BuildID string `json:"build_id"`
}

// WriteJSON prints the profile as the document whet/raw/1, a sample, location
// or mapping a line.
func (r *Raw) WriteJSON(w io.Writer) error {
	m := r.meta
	types := []jsonType{}
	for t, v := range m.Types {
		types = append(types, jsonType{v.Type, v.Unit, t == m.DefaultType})
	}
	head := document.Object{r.document("raw"), "sample_types", types}
	if m.PeriodType != (callstack.ValueType{}) {
		head = append(head, "period_type", jsonType{Type: m.PeriodType.Type, Unit: m.PeriodType.Unit})
	}
	head = append(head, "period", m.Period, "comments", append([]string{}, m.Comments...)) // in the unit of its type
	d := document.NewStream(w, head)
	d.List("stacks")
	r.samples(func(walk *selection.Walk, row *callstack.Rows) {
		j := jsonRawSample{Values: make([]int64, len(m.Types)), Locations: make([]int, 0, len(walk.Path)), Labels: jsonLabels(walk.Labels(), nil)}
		for t := range j.Values {
			j.Values[t] = row.Value(t)
		}
		for _, step := range slices.Backward(walk.Path) {
			j.Locations = append(j.Locations, r.ids[step.Node])
		}
		d.Item(j)
	})
	d.List("locations")
	for i, location := range r.order {
		d.Item(newJSONLocation(i+1, r.locations.At(location)))
	}
	d.List("mappings")
	for i := range m.Mappings {
		p := &m.Mappings[i]
		d.Item(jsonMapping{
			ID: i + 1, Start: fmt.Sprintf("%#x", p.Start), Limit: fmt.Sprintf("%#x", p.Limit), Offset: fmt.Sprintf("%#x", p.Offset),
			File: p.File, BuildID: p.BuildID,
		})
	}
	return d.Close()
}

func newJSONLocation(id int, p selection.Place) jsonLocation {
	j := jsonLocation{ID: id, Address: fmt.Sprintf("%#x", p.Address), Mapping: int(p.Mapping) + 1, Folded: p.Folded, Frames: []jsonRawFrame{}}
	for _, f := range p.Frames {
		frame := jsonRawFrame{Function: f.Name, File: f.File, Line: f.Line, Column: f.Column, StartLine: f.Start}
		if f.SystemName != f.Name {
			frame.SystemName = f.SystemName
		}
		j.Frames = append(j.Frames, frame)
	}
	return j
}

// jsonLabels are a sample's labels. Numbers without a unit of their own are in
// that of their key, where the view knows it.
func jsonLabels(labels []callstack.Label, units map[string]string) []jsonLabel {
	var out []jsonLabel
	for _, l := range labels {
		if l.Str != "" {
			out = append(out, jsonLabel{Key: l.Key, Text: &l.Str})
		} else {
			out = append(out, jsonLabel{Key: l.Key, Number: &l.Num, Unit: cmp.Or(l.Unit, units[l.Key])})
		}
	}
	return out
}
