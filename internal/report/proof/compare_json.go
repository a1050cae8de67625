package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"whet/internal/analyze/tables"
	"whet/internal/printable"
	"whet/internal/report/page"
)

type jsonCompare struct {
	Schema          string             `json:"schema"`
	Warnings        []string           `json:"warnings"`
	AlphaRatio      float64            `json:"alpha_ratio"`
	ConfidenceRatio float64            `json:"confidence_ratio"`
	MarginRatio     float64            `json:"margin_ratio"`
	Adjust          string             `json:"adjust"`
	Comparisons     int                `json:"comparisons"`
	Constant        int                `json:"comparisons_constant"`
	Files           []jsonCompareFile  `json:"files"`
	Tables          []jsonCompareTable `json:"tables"`
}

type jsonCompareFile struct {
	Label   string `json:"label"`
	Name    string `json:"name"`
	Results int    `json:"results"`
	Kept    int    `json:"results_kept"`
	Other   int    `json:"other_lines"`
}

type jsonSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type jsonCompareTable struct {
	Config  []jsonSetting      `json:"config"`
	Unit    string             `json:"unit"`
	Better  string             `json:"better"` // "lower", "higher"; "": nobody declared it
	Exact   bool               `json:"exact"`
	Columns [][]jsonSetting    `json:"columns"`
	Rows    []jsonCompareRow   `json:"rows"`
	Geomean []jsonCompareMeans `json:"geomean"`
}

type jsonCompareRow struct {
	Name  string             `json:"name"`
	Keys  []jsonSetting      `json:"keys"`
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
		Schema: "whet/compare/1", Warnings: append([]string{}, r.Warnings...),
		AlphaRatio: o.Alpha, ConfidenceRatio: o.Confidence, MarginRatio: o.Margin, Adjust: string(o.Adjust),
		Comparisons: r.Comparisons, Constant: r.Constant,
		Files: []jsonCompareFile{}, Tables: []jsonCompareTable{},
	}
	for _, f := range r.Files {
		d.Files = append(d.Files, jsonCompareFile(f))
	}
	for i := range r.Tables {
		d.Tables = append(d.Tables, newJSONCompareTable(&r.Tables[i]))
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&d); err != nil {
		return fmt.Errorf("write the comparison as JSON: %w", err)
	}
	if _, err := w.Write(printable.JSON(buf.Bytes())); err != nil {
		return fmt.Errorf("write the comparison as JSON: %w", err)
	}
	return nil
}

func newJSONCompareTable(t *tables.Table) jsonCompareTable {
	j := jsonCompareTable{
		Config: jsonSettings(t.Config), Unit: t.Unit, Exact: t.Exact,
		Better:  map[tables.Direction]string{tables.Lower: "lower", tables.Higher: "higher"}[t.Direction],
		Columns: [][]jsonSetting{}, Rows: []jsonCompareRow{}, Geomean: []jsonCompareMeans{},
	}
	for _, c := range t.Columns {
		keys := []jsonSetting{}
		for i, field := range t.Fields {
			keys = append(keys, jsonSetting{field, c.Values[i]})
		}
		j.Columns = append(j.Columns, keys)
	}
	for _, row := range t.Rows {
		out := jsonCompareRow{Name: row.Name, Keys: jsonSettings(row.Settings)}
		for _, cell := range row.Cells {
			out.Cells = append(out.Cells, newJSONCompareCell(cell, t.Direction))
		}
		j.Rows = append(j.Rows, out)
	}
	for _, m := range t.Geomean {
		out := jsonCompareMeans{Warnings: append([]string{}, m.Warnings...)}
		if m.Known {
			out.Center = page.OrNull(&m.Value)
		}
		if delta := m.Ratio - 1; m.RatioKnown {
			out.Delta = page.OrNull(&delta)
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
		Values: cell.Values, Center: page.OrNull(&s.Center), Low: page.OrNull(&s.Lo), High: page.OrNull(&s.Hi), Confidence: s.Confidence,
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
		Verdict: c.Verdict, Within: c.Within, Ratio: page.OrNull(&ratio), Delta: page.OrNull(&delta),
		N1: c.Test.N1, N2: c.Test.N2, Significant: c.Test.P <= c.Test.Alpha, Warnings: append([]string{}, c.Warnings...),
	}
	if !c.Exact {
		j.Comparison.P, j.Comparison.PHolm = page.OrNull(&c.P), page.OrNull(&c.PHolm)
	}
	return j
}

func jsonSettings(settings []tables.Setting) []jsonSetting {
	out := []jsonSetting{}
	for _, s := range settings {
		out = append(out, jsonSetting(s))
	}
	return out
}
