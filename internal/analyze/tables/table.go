package tables

import (
	"golang.org/x/perf/benchmath"
)

// Result is a comparison of files.
type Result struct {
	Options  Options
	Files    []File
	Tables   []Table
	Warnings []string

	// Comparisons is the number of tests made, Constant the number of comparisons
	// without a possible difference: both samples have one common value, or each has a
	// single one.
	Comparisons, Constant int
}

// Setting is a key with its value.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Table has the cells of one unit and one configuration.
type Table struct {
	Config    []Setting // that distinguishes tables, without the unit
	Unit      string    // tidied: sec/op, B/s
	Direction Direction
	Declared  bool // the direction was declared by a file, not known beforehand
	Exact     bool // repeated measurements must agree
	Fields    []string
	Columns   []Column
	Rows      []Row
	Geomean   []Geomean // one for each column
}

// Direction is the better direction of a unit's values.
type Direction int

const (
	Lower   Direction = -1
	Unknown Direction = 0
	Higher  Direction = 1
)

// Column is a column of the comparison; the others are compared with the first.
type Column struct {
	Values []string // of the table's Fields
}

// Row has one cell for each column, nil if there is no result.
type Row struct {
	Name     string // its values, for print
	Settings []Setting
	Cells    []*Cell
}

// Cell is a sample of one benchmark's measurements.
type Cell struct {
	Values     []float64 // ascending
	Summary    benchmath.Summary
	Warnings   []string    // about the sample
	Comparison *Comparison // with the first column; nil in it, or without a cell there
}

// Comparison is a test between a cell and the first of its row.
type Comparison struct {
	// Test has the p-value that decides: adjusted, except with Options.Adjust Single.
	Test     benchmath.Comparison
	P        float64 // of this test alone
	PHolm    float64 // adjusted for all tests of the run
	Exact    bool    // nothing was tested: the values are declared free of noise
	Constant bool    // no test could have come out otherwise
	Base     float64 // the first column's center
	Center   float64
	Within   bool // significant, and smaller than the margin
	Verdict  Verdict
	Warnings []string
}

// Verdict is the verdict of a comparison.
type Verdict string

const (
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Different Verdict = "different" // of a unit whose direction nobody declared
	Equal     Verdict = "equal"     // exact values that agree
	Undecided Verdict = "undecided" // no difference found, which is not the same as none
)

// Delta returns the difference as a share of the first column's center; ±Inf where
// that is 0 and the other is not.
func (c *Comparison) Delta() float64 {
	if c.Base == c.Center {
		return 0
	}
	return c.Center/c.Base - 1
}

// Geomean is the last row of a column.
type Geomean struct {
	Known      bool
	Value      float64 // of the centers
	RatioKnown bool
	Ratio      float64 // of the centers' ratios to the first column's
	Warnings   []string
}
