package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// maxSize bounds a value: sums and differences of two stay finite.
const maxSize = 1e300

// bounds are on what one run keeps.
type bounds struct {
	cells  int
	sample int // values of a cell
	values int // of all cells
}

// defaultBounds: the test's correction for equal values cubes twice the size of
// a sample in 64 bits.
func defaultBounds() bounds { return bounds{cells: 200_000, sample: 1_000_000, values: 16_000_000} }

// File is the result of reading one operand.
type File struct {
	Label   string `json:"label"`
	Name    string `json:"name"`
	Results int    `json:"results"`      // result lines
	Kept    int    `json:"results_kept"` // of them, those that pass the filter, whole or in part
	Other   int    `json:"other_lines"`  // lines of other output between them, go test's own not counted
}

// Collector reads files one after the other and keeps their values.
type Collector struct {
	options Options
	bounds  bounds
	filter  *benchproc.Filter

	tableBy, rowBy, colBy *benchproc.Projection
	residue               *benchproc.Projection
	unit                  *benchproc.Field

	reader   benchfmt.Reader // one for all files: declarations of units carry over
	keys     map[string]bool
	tables   map[benchproc.Key]*rawTable
	cells    int
	values   int
	files    []File
	warnings []string
}

// rawTable holds the values of one table's cells.
type rawTable struct {
	cells map[cellKey]*rawCell
}

type cellKey struct{ row, col benchproc.Key }

type rawCell struct {
	values  []float64
	residue map[benchproc.Key]bool // what the cell's results differ in
}

// NewCollector checks the options and their expressions: its errors are the
// user's.
func NewCollector(o Options) (*Collector, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Collector{options: o, bounds: defaultBounds(), keys: make(map[string]bool), tables: make(map[benchproc.Key]*rawTable)}
	var err error
	if c.filter, err = benchproc.NewFilter(o.Filter); err != nil {
		return nil, expressionError("-filter", o.Filter, err)
	}
	var p benchproc.ProjectionParser
	if c.tableBy, c.unit, err = p.ParseWithUnit(o.Table, c.filter); err != nil {
		return nil, expressionError("-table", o.Table, err)
	}
	if c.rowBy, err = p.Parse(o.Row, c.filter); err != nil {
		return nil, expressionError("-row", o.Row, err)
	}
	if c.colBy, err = p.Parse(o.Col, c.filter); err != nil {
		return nil, expressionError("-col", o.Col, err)
	}
	if _, err = p.Parse(o.Ignore, c.filter); err != nil {
		return nil, expressionError("-ignore", o.Ignore, err)
	}
	c.residue = p.Residue()
	return c, nil
}

// expressionError keeps the first line of a syntax error: the others draw an
// arrow, which needs a terminal's fixed columns.
func expressionError(flag, expression string, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s %q: %s", flag, expression, text)
}

// Add reads one file to its end.
func (c *Collector) Add(o Operand, r io.Reader) error {
	f, warnings, err := scan(&c.reader, o, r, c.keys, c.add)
	if err != nil {
		return err
	}
	c.files = append(c.files, f)
	c.warnings = append(c.warnings, warnings...)
	return nil
}

// scan reads a file strictly and hands each result to keep, which says whether
// it is of use.
func scan(reader *benchfmt.Reader, o Operand, r io.Reader, keys map[string]bool, keep func(*benchfmt.Result) (bool, error)) (File, []string, error) {
	f := File{Label: o.Label, Name: o.Path}
	if o.Path == Stdin {
		f.Name = "standard input"
	}
	in := newLines(f.Name, r, keys)
	reader.Reset(in, f.Name, ".file", o.Label)
	units := make(map[string]bool)
	var warnings []string
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			if isProse(in.text) {
				in.skip(in.text)
				continue
			}
			return f, nil, in.broken(rec.Msg)
		case *benchfmt.UnitMetadata:
			if w := unknownMetadata(rec); w != "" {
				warnings = append(warnings, in.fault("%s", w).Error())
			}
		case *benchfmt.Result:
			if err := in.checkResult(rec, units); err != nil {
				return f, nil, err
			}
			f.Results++
			kept, err := keep(rec)
			if err != nil {
				return f, nil, in.fault("%v", err)
			}
			if kept {
				f.Kept++
			}
		}
	}
	if err := reader.Err(); err != nil {
		if fault := new(Error); errors.As(err, &fault) {
			return f, nil, fault
		}
		return f, nil, err
	}
	f.Other = in.other
	if in.unended && isCutName(in.text) {
		return f, nil, in.fault("the file ends in the middle of this line")
	}
	if f.Results == 0 {
		return f, nil, in.empty()
	}
	if in.failed > 0 {
		warnings = append(warnings, fmt.Sprintf("%s:%d: %q: something failed in this run, and results after it may be missing", f.Name, in.failed, in.failure))
	}
	return f, warnings, nil
}

// add puts one result's values into their cells.
func (c *Collector) add(res *benchfmt.Result) (bool, error) {
	if ok, err := c.filter.Apply(res); !ok || err != nil {
		return false, err
	}
	tables := c.tableBy.ProjectValues(res)
	at := cellKey{c.rowBy.Project(res), c.colBy.Project(res)}
	residue := c.residue.Project(res)
	for i, key := range tables {
		table := c.tables[key]
		if table == nil {
			table = &rawTable{cells: make(map[cellKey]*rawCell)}
			c.tables[key] = table
		}
		cell := table.cells[at]
		if cell == nil {
			cell = &rawCell{residue: make(map[benchproc.Key]bool)}
			table.cells[at] = cell
			if c.cells++; c.cells > c.bounds.cells {
				return false, fmt.Errorf("more than %d different benchmarks and units: select some with -filter", c.bounds.cells)
			}
		}
		cell.values = append(cell.values, res.Values[i].Value)
		cell.residue[residue] = true
		if c.values++; len(cell.values) > c.bounds.sample || c.values > c.bounds.values {
			return false, fmt.Errorf("more than %d values of one benchmark, or %d in all: select some with -filter", c.bounds.sample, c.bounds.values)
		}
	}
	return true, nil
}

// isProse recognises a sentence that begins with the word: the name of a
// benchmark goes on with anything but a lower case letter.
func isProse(line []byte) bool {
	rest, ok := strings.CutPrefix(string(line), "Benchmark")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && unicode.IsLower(first)
}

// isCutName recognises the beginning of a result: a name and nothing else. In
// the middle of a file it is what go test -v prints when a benchmark starts.
func isCutName(line []byte) bool {
	return strings.HasPrefix(string(line), "Benchmark") && len(strings.Fields(string(line))) == 1
}

// broken says what is wrong with a line that begins as a result does.
func (l *lines) broken(message string) error {
	fields := strings.Fields(string(l.text))
	name := fields[0]
	switch {
	case !strings.HasPrefix(name, "Benchmark"):
		return l.fault("metadata of a unit: %s", message)
	case l.unended:
		return l.fault("the file ends in the middle of the result of %s", name)
	case len(fields) > 2 && fields[1] == "---" && fields[2] == "FAIL:":
		return l.fault("%s failed and has no result: fix it and run it again, or remove the line", name)
	}
	return l.fault("the result of %s cannot be read (%s): output of the benchmark breaks its line; remove the output or the line", name, message)
}

// checkResult refuses figures that are none, and a last line that was cut:
// without a line break, with a unit that no other line has.
func (l *lines) checkResult(res *benchfmt.Result, units map[string]bool) error {
	name := "Benchmark" + string(res.Name)
	if res.Iters < 0 {
		return l.fault("%s has %d iterations: the file is damaged", name, res.Iters)
	}
	for i, v := range res.Values {
		unit := v.Unit
		if v.OrigUnit != "" {
			unit = v.OrigUnit
		}
		if !(math.Abs(v.Value) <= maxSize) {
			return l.fault("%s: %v %s is not a measurement: remove the line, or fix the benchmark that reports it", name, v.Value, v.Unit)
		}
		if last := i == len(res.Values)-1; last && l.unended && !units[unit] && !slices.Contains([]string{"ns/op", "MB/s", "B/op", "allocs/op"}, unit) {
			return l.fault("the file ends after %q, which may be half a unit: if it is whole, end the line", unit)
		}
		if len(units) < maxKeys {
			units[unit] = true
		}
	}
	return nil
}

// empty says what a file without results is.
func (l *lines) empty() error {
	what := fmt.Sprintf("none of its %d lines is a benchmark result", l.n)
	switch {
	case l.n == 0:
		what = "the file is empty"
	case strings.HasPrefix(l.firstOther, "{"):
		what = "no line is a benchmark result, and the first is JSON: run go test without -json"
	case l.failed > 0:
		what += fmt.Sprintf(", and line %d says %q", l.failed, l.failure)
	}
	return &Error{l.file, 0, what + ": give the output of go test -bench . -count 10"}
}

// unknownMetadata says what of a unit's metadata is passed over.
func unknownMetadata(m *benchfmt.UnitMetadata) string {
	known, ok := map[string][]string{"better": {"higher", "lower"}, "assume": {"nothing", "exact"}}[m.Key]
	if !ok || slices.Contains(known, m.Value) {
		return ""
	}
	return fmt.Sprintf("%s=%s of %s is neither %s nor %s: ignored", m.Key, m.Value, m.OrigUnit, known[0], known[1])
}
