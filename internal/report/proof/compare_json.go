package proof

import (
	"io"

	"whet/internal/analyze/tables"
	"whet/internal/document"
)

// WriteCompareJSON writes the tables as one document: whet/compare/1.
func WriteCompareJSON(w io.Writer, r *tables.Result) error {
	o := r.Options
	return document.Write(w, document.Object{document.Begin(document.Compare, r.Warnings), "alpha_ratio", o.Alpha, "confidence_ratio", o.Confidence,
		"margin_ratio", o.Margin, "adjust", o.Adjust, "comparisons", r.Comparisons, "comparisons_constant", r.Constant,
		"files", document.Items(r.Files), "tables", document.Each(r.Tables, jsonTable)})
}

func jsonTable(t *tables.Table) document.Object {
	better := map[tables.Direction]string{tables.Lower: "lower", tables.Higher: "higher"}[t.Direction] // "": nobody declared it
	columns := make([][]tables.Setting, len(t.Columns))
	for k, c := range t.Columns {
		columns[k] = []tables.Setting{}
		for i, field := range t.Fields {
			columns[k] = append(columns[k], tables.Setting{Key: field, Value: c.Values[i]})
		}
	}
	return document.Object{"config", document.Items(t.Config), "unit", t.Unit, "better", better, "exact", t.Exact, "columns", columns,
		"rows", document.Each(t.Rows, func(row *tables.Row) document.Object {
			cells := make([]any, len(row.Cells)) // null: no result
			for i, cell := range row.Cells {
				if cell != nil {
					cells[i] = jsonCell(cell, t.Direction)
				}
			}
			return document.Object{"name", row.Name, "keys", document.Items(row.Settings), "cells", cells}
		}),
		"geomean", document.Each(t.Geomean, func(m *tables.Geomean) document.Object {
			var center, delta *float64
			if m.Known {
				center = document.Known(&m.Value)
			}
			if change := m.Ratio - 1; m.RatioKnown {
				delta = document.Known(&change)
			}
			return document.Object{"center", center, "delta_ratio", delta, "warnings", document.Items(m.Warnings)}
		})}
}

// jsonCell has null for a bound that there is none of, as the samples are too few.
func jsonCell(cell *tables.Cell, d tables.Direction) document.Object {
	var comparison any
	if cell.Comparison != nil {
		comparison = jsonComparison(cell.Comparison, d)
	}
	s := cell.Summary
	return document.Object{"values", cell.Values, "center", document.Known(&s.Center), "low", document.Known(&s.Lo), "high", document.Known(&s.Hi),
		"confidence_ratio", s.Confidence, "warnings", document.Items(cell.Warnings), "comparison", comparison}
}

// jsonComparison has null for the p-values of exact values, where nothing was tested.
func jsonComparison(c *tables.Comparison, d tables.Direction) document.Object {
	delta, ratio := c.Delta(), c.Base/c.Center // of which above 1 is better
	switch {
	case c.Base == c.Center:
		ratio = 1
	case d == tables.Higher:
		ratio = c.Center / c.Base
	}
	var p, holm *float64
	if !c.Exact {
		p, holm = document.Known(&c.P), document.Known(&c.PHolm)
	}
	return document.Object{"verdict", c.Verdict, "within_margin", c.Within, "ratio", document.Known(&ratio), "delta_ratio", document.Known(&delta),
		"p_value", p, "p_holm", holm, "n_old", c.Test.N1, "n_new", c.Test.N2, "significant", c.Test.P <= c.Test.Alpha, "warnings", document.Items(c.Warnings)}
}
