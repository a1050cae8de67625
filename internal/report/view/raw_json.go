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

// WriteJSON prints the profile as the document whet/raw/1, a sample, location
// or mapping a line.
func (r *Raw) WriteJSON(w io.Writer) error {
	m := r.meta
	types := make([]document.Object, len(m.Types))
	for t, v := range m.Types {
		types[t] = document.Object{"type", v.Type, "unit", v.Unit, "default", document.IfSet(t == m.DefaultType)}
	}
	head := document.Object{r.document("raw"), "sample_types", types}
	if m.PeriodType != (callstack.ValueType{}) {
		head = append(head, "period_type", document.Object{"type", m.PeriodType.Type, "unit", m.PeriodType.Unit})
	}
	head = append(head, "period", m.Period, "comments", document.Items(m.Comments)) // in the unit of its type
	d := document.NewStream(w, head)
	d.List("stacks")
	r.samples(func(walk *selection.Walk, row *callstack.Rows) {
		values, locations := make([]int64, len(m.Types)), make([]int, 0, len(walk.Path)) // leaf first
		for t := range values {
			values[t] = row.Value(t)
		}
		for _, step := range slices.Backward(walk.Path) {
			locations = append(locations, r.ids[step.Node])
		}
		d.Item(document.Object{"values", values, "locations", locations, jsonLabels(walk.Labels(), nil)})
	})
	d.List("locations")
	for i, location := range r.order {
		p := r.locations.At(location)
		d.Item(document.Object{"id", i + 1, "address", fmt.Sprintf("%#x", p.Address), "mapping", document.IfSet(p.Mapping + 1), "folded", document.IfSet(p.Folded),
			"frames", document.Each(p.Frames, func(f *selection.Frame) document.Object { // innermost first
				system := f.SystemName
				if system == f.Name {
					system = ""
				}
				return document.Object{"function", f.Name, "system_name", document.IfSet(system), "file", document.IfSet(f.File),
					"line", document.IfSet(f.Line), "column", document.IfSet(f.Column), "start_line", document.IfSet(f.Start)}
			})})
	}
	d.List("mappings")
	for i := range m.Mappings {
		p := &m.Mappings[i]
		d.Item(document.Object{"id", i + 1, "start", fmt.Sprintf("%#x", p.Start), "limit", fmt.Sprintf("%#x", p.Limit), "offset", fmt.Sprintf("%#x", p.Offset),
			"file", p.File, "build_id", p.BuildID})
	}
	return d.Close()
}

// jsonLabels returns a sample's labels. Numbers without a unit of their own are in
// that of their key, where the view knows it.
func jsonLabels(labels []callstack.Label, units map[string]string) document.Object {
	if len(labels) == 0 {
		return nil
	}
	return document.Object{"labels", document.Each(labels, func(l *callstack.Label) document.Object {
		if l.Str != "" {
			return document.Object{"key", l.Key, "text", l.Str}
		}
		return document.Object{"key", l.Key, "number", l.Num, "unit", document.IfSet(cmp.Or(l.Unit, units[l.Key]))}
	})}
}
