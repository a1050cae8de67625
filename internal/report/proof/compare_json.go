package proof

import (
	"io"

	"whet/internal/analyze/tables"
	"whet/internal/document"
)

type jsonCompare struct {
	document.Head
	AlphaRatio      float64            `json:"alpha_ratio"`
	ConfidenceRatio float64            `json:"confidence_ratio"`
	MarginRatio     float64            `json:"margin_ratio"`
	Adjust          string             `json:"adjust"`
	Comparisons     int                `json:"comparisons"`
	Constant        int                `json:"comparisons_constant"`
	Files           []tables.File      `json:"files"`
	Tables          []jsonCompareTable `json:"tables"`
}

type jsonCompareTable struct {
	Config  []tables.Setting   `json:"config"`
	Unit    string             `json:"unit"`
	Better  string             `json:"better"` // "lower", "higher"; "": nobody declared it
	Exact   bool               `json:"exact"`
	Columns [][]tables.Setting `json:"columns"`
	Rows    []jsonCompareRow   `json:"rows"`
	Geomean []jsonCompareMeans `json:"geomean"`
}

type jsonCompareRow struct {
	Name  string             `json:"name"`
	Keys  []tables.Setting   `json:"keys"`
	Cells []*jsonCompareCell `json:"cells"` // null: no result
}

type jsonCompareCell struct {
	Values     []float64        `json:"values"`
	Center     *float64         `json:"center"`
	Low        *float64         `json:"low"` // null: unbounded, the samples are too few
	High       *float64         `json:"high"`
	Confidence float64          `json:"confidence_ratio"`
	Warnings   []string         `json:"warnings"`
	Comparison *jsonCompareTest `json:"comparison"`
}

type jsonCompareTest struct {
	Verdict     tables.Verdict `json:"verdict"`
	Within      bool           `json:"within_margin"`
	Ratio       *float64       `json:"ratio"`       // above 1 is better: old/new, new/old where more is better
	Delta       *float64       `json:"delta_ratio"` // new/old − 1, as printed
	P           *float64       `json:"p_value"`     // null: exact values, nothing was tested
	PHolm       *float64       `json:"p_holm"`
	N1          int            `json:"n_old"`
	N2          int            `json:"n_new"`
	Significant bool           `json:"significant"`
	Warnings    []string       `json:"warnings"`
}

type jsonCompareMeans struct {
	Center   *float64 `json:"center"`
	Delta    *float64 `json:"delta_ratio"`
	Warnings []string `json:"warnings"`
}

// WriteCompareJSON writes the document whet/compare/1.
func WriteCompareJSON(w io.Writer, r *tables.Result) error {
	o := r.Options
	d := jsonCompare{
		Head:       document.New(document.Compare, r.Warnings),
		AlphaRatio: o.Alpha, ConfidenceRatio: o.Confidence, MarginRatio: o.Margin, Adjust: string(o.Adjust),
		Comparisons: r.Comparisons, Constant: r.Constant,
		Files: append([]tables.File{}, r.Files...), Tables: []jsonCompareTable{},
	}
	for i := range r.Tables {
		d.Tables = append(d.Tables, newJSONCompareTable(&r.Tables[i]))
	}
	return document.Write(w, &d)
}

func newJSONCompareTable(t *tables.Table) jsonCompareTable {
	j := jsonCompareTable{
		Config: append([]tables.Setting{}, t.Config...), Unit: t.Unit, Exact: t.Exact,
		Better:  map[tables.Direction]string{tables.Lower: "lower", tables.Higher: "higher"}[t.Direction],
		Columns: [][]tables.Setting{}, Rows: []jsonCompareRow{}, Geomean: []jsonCompareMeans{},
	}
	for _, c := range t.Columns {
		keys := []tables.Setting{}
		for i, field := range t.Fields {
			keys = append(keys, tables.Setting{Key: field, Value: c.Values[i]})
		}
		j.Columns = append(j.Columns, keys)
	}
	for _, row := range t.Rows {
		out := jsonCompareRow{Name: row.Name, Keys: append([]tables.Setting{}, row.Settings...)}
		for _, cell := range row.Cells {
			out.Cells = append(out.Cells, newJSONCompareCell(cell, t.Direction))
		}
		j.Rows = append(j.Rows, out)
	}
	for _, m := range t.Geomean {
		out := jsonCompareMeans{Warnings: append([]string{}, m.Warnings...)}
		if m.Known {
			out.Center = document.Known(&m.Value)
		}
		if delta := m.Ratio - 1; m.RatioKnown {
			out.Delta = document.Known(&delta)
		}
		j.Geomean = append(j.Geomean, out)
	}
	return j
}

func newJSONCompareCell(cell *tables.Cell, d tables.Direction) *jsonCompareCell {
	if cell == nil {
		return nil
	}
	s := cell.Summary
	j := &jsonCompareCell{
		Values: cell.Values, Center: document.Known(&s.Center), Low: document.Known(&s.Lo), High: document.Known(&s.Hi), Confidence: s.Confidence,
		Warnings: append([]string{}, cell.Warnings...),
	}
	c := cell.Comparison
	if c == nil {
		return j
	}
	delta, ratio := c.Delta(), c.Base/c.Center
	switch {
	case c.Base == c.Center:
		ratio = 1
	case d == tables.Higher:
		ratio = c.Center / c.Base
	}
	j.Comparison = &jsonCompareTest{
		Verdict: c.Verdict, Within: c.Within, Ratio: document.Known(&ratio), Delta: document.Known(&delta),
		N1: c.Test.N1, N2: c.Test.N2, Significant: c.Test.P <= c.Test.Alpha, Warnings: append([]string{}, c.Warnings...),
	}
	if !c.Exact {
		j.Comparison.P, j.Comparison.PHolm = document.Known(&c.P), document.Known(&c.PHolm)
	}
	return j
}
