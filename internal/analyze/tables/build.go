package tables

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"whet/internal/format/benchmark"
)

// Result compares the results that were read.
func (c *Collector) Result() (*Result, error) {
	read := 0
	for _, f := range c.files {
		read += f.Results
	}
	if len(c.tables) == 0 {
		return nil, fmt.Errorf("none of %d results matches -filter %q and the values given with -table, -row and -col", read, c.options.Filter)
	}
	r := &Result{Options: c.options, Files: c.files, Warnings: slices.Clone(c.warnings)}
	keys := slices.Collect(maps.Keys(c.tables))
	benchproc.SortKeys(keys)
	units := c.reader.Units()
	for _, key := range keys {
		r.Tables = append(r.Tables, c.table(key, c.tables[key], units))
	}
	r.decide()
	if text := r.apart(); text != "" {
		r.Warnings = append(r.Warnings, text)
	}
	for i := range r.Tables {
		r.Tables[i].sort(c.options)
		r.Tables[i].geomeans()
	}
	return r, nil
}

// apart says why nothing is compared although there are several columns: files
// that differ in one line of their heads, as measured on two machines or of two
// packages, fall into tables of their own.
func (r *Result) apart() string {
	columns, values := make(map[string]bool), make(map[Setting]bool)
	for _, t := range r.Tables {
		if len(t.Columns) > 1 {
			return ""
		}
		columns[strings.Join(t.Columns[0].Values, "\x00")] = true
	}
	if len(columns) < 2 {
		return ""
	}
	times := make(map[string]int) // different values of a key
	var keys []string
	for _, t := range r.Tables {
		for _, s := range t.Config {
			if values[s] {
				continue
			}
			values[s] = true
			if times[s.Key]++; times[s.Key] == 2 {
				keys = append(keys, s.Key)
			}
		}
	}
	if len(keys) == 0 {
		return "nothing is compared: no unit is in two columns"
	}
	return fmt.Sprintf("nothing is compared: the columns are in separate tables, which differ in %s; -ignore %s merges them",
		strings.Join(keys, ", "), strings.Join(keys, ","))
}

// table summarizes one table's cells and tests them against the first column.
func (c *Collector) table(key benchproc.Key, raw *rawTable, units benchfmt.UnitMetadataMap) Table {
	unit := key.Get(c.unit)
	assumption := units.GetAssumption(unit)
	direction := Direction(units.GetBetter(unit))
	if direction == Unknown {
		direction = Direction(benchmark.BetterOf(unit))
	}
	t := Table{
		Unit: unit, Direction: direction, Declared: units.Get(unit, "better") != nil,
		Exact: assumption == benchmath.Assumption(benchmath.AssumeExact),
	}
	t.Config = settings(key, func(f *benchproc.Field) bool { return f != c.unit })
	for _, f := range c.colBy.FlattenedFields() {
		t.Fields = append(t.Fields, f.Name)
	}
	rowSet, colSet := make(map[benchproc.Key]bool), make(map[benchproc.Key]bool)
	for at := range raw.cells {
		rowSet[at.row], colSet[at.col] = true, true
	}
	rows, cols := sorted(rowSet), sorted(colSet)
	for _, col := range cols {
		var values []string
		for _, s := range settings(col, nil) {
			values = append(values, s.Value)
		}
		t.Columns = append(t.Columns, Column{values})
	}
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = c.options.Alpha
	for _, row := range rows {
		out := Row{Name: row.StringValues(), Settings: settings(row, nil), Cells: make([]*Cell, len(cols))}
		var base *benchmath.Sample
		for i, col := range cols {
			values := raw.cells[cellKey{row, col}]
			if values == nil {
				continue
			}
			sample := benchmath.NewSample(values.values, &thresholds)
			cell := &Cell{Values: sample.Values, Summary: assumption.Summary(sample, c.options.Confidence)}
			if vary := benchproc.NonSingularFields(sorted(values.residue)); len(vary) > 0 {
				var names []string
				for _, f := range vary {
					names = append(names, f.Name)
				}
				cell.Warnings = append(cell.Warnings, "benchmarks vary in "+strings.Join(names, ", "))
			}
			if i == 0 {
				base = sample
			} else if base != nil {
				cell.Comparison = newComparison(assumption.Compare(base, sample), t.Exact, base, sample)
				cell.Comparison.Base, cell.Comparison.Center = out.Cells[0].Summary.Center, cell.Summary.Center
			}
			cell.Warnings = append(cell.Warnings, texts(cell.Summary.Warnings)...)
			out.Cells[i] = cell
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// newComparison keeps a test for when all are known.
func newComparison(test benchmath.Comparison, exact bool, base, sample *benchmath.Sample) *Comparison {
	c := &Comparison{Test: test, Exact: exact, Warnings: texts(test.Warnings)}
	low, high := min(base.Values[0], sample.Values[0]), max(base.Values[len(base.Values)-1], sample.Values[len(sample.Values)-1])
	c.Constant = !exact && (low == high || test.N1 == 1 && test.N2 == 1)
	if !exact && !c.Constant && needsRankSum(base.Values, sample.Values) {
		c.decideBy(rankSum(base.Values, sample.Values), 1)
	}
	c.P, c.PHolm = c.Test.P, c.Test.P
	return c
}

// settings returns the fields of a key, in their order.
func settings(key benchproc.Key, want func(*benchproc.Field) bool) []Setting {
	var out []Setting
	for _, f := range key.Projection().FlattenedFields() {
		if want == nil || want(f) {
			out = append(out, Setting{f.Name, key.Get(f)})
		}
	}
	return out
}

func sorted(set map[benchproc.Key]bool) []benchproc.Key {
	keys := slices.Collect(maps.Keys(set))
	benchproc.SortKeys(keys)
	return keys
}

func texts(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

// geomeans fills the last row. The ratio is the mean of the rows' ratios and
// not the ratio of the means: where the columns have different benchmarks, the
// latter compares different things.
func (t *Table) geomeans() {
	bases := 0
	for _, row := range t.Rows {
		if row.Cells[0] != nil {
			bases++
		}
	}
	for col := range t.Columns {
		var centers, ratios []float64
		compared, byZero := 0, false
		for _, row := range t.Rows {
			cell := row.Cells[col]
			if cell == nil {
				continue
			}
			centers = append(centers, cell.Summary.Center)
			if c := cell.Comparison; c != nil {
				compared++
				switch {
				case c.Base == c.Center: // 0/0 too
					ratios = append(ratios, 1)
				case c.Base == 0:
					byZero = true
				default:
					ratios = append(ratios, c.Center/c.Base)
				}
			}
		}
		g := Geomean{}
		if col > 0 && compared != bases {
			g.Warnings = append(g.Warnings, "benchmark set differs from baseline; geomeans may not be comparable")
		}
		var err error
		if g.Value, err = geomean(centers); err != nil {
			g.Warnings = append(g.Warnings, "summaries "+err.Error())
		}
		g.Known = err == nil
		if col > 0 && !byZero {
			if g.Ratio, err = geomean(ratios); err != nil {
				g.Warnings = append(g.Warnings, "ratios "+err.Error())
			}
			g.RatioKnown = err == nil
		}
		t.Geomean = append(t.Geomean, g)
	}
}

var errNotPositive = errors.New("must be >0 to compute geomean")

// geomean returns the exponential of the mean of the logarithms, which is kept as a
// running mean: the sum of many would lose digits.
func geomean(xs []float64) (float64, error) {
	if len(xs) == 0 {
		return 0, errNotPositive
	}
	mean := 0.0
	for i, x := range xs {
		if x <= 0 {
			return 0, errNotPositive
		}
		mean += (math.Log(x) - mean) / float64(i+1)
	}
	return math.Exp(mean), nil
}
