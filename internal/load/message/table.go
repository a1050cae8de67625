package message

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The limits of a table.
const (
	maxTableBytes = 256 << 20
	maxTableRows  = 10_000_000
)

// Table is a CSV file: columns with names, and rows of values.
type Table struct {
	name    string
	columns []string
	rows    [][]string
	longest []int // value of each column, in bytes
}

// ReadTable reads a CSV file (RFC 4180) whose first row names the columns. name is the
// name of the file in errors.
func ReadTable(name string, r io.Reader) (*Table, error) {
	return readTable(name, r, maxTableBytes, maxTableRows)
}

func readTable(name string, r io.Reader, maxBytes int64, maxRows int) (*Table, error) {
	in := csv.NewReader(&bounded{r: r, left: maxBytes, most: maxBytes})
	columns, err := in.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("read %s: the file is empty; want a first row with the column names", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	t := &Table{name: name, columns: slices.Clone(columns)}
	t.columns[0] = strings.TrimPrefix(t.columns[0], "\ufeff") // the mark that Excel writes
	for i, c := range t.columns {
		t.columns[i] = strings.TrimSpace(c)
		switch {
		case t.columns[i] == "":
			return nil, fmt.Errorf("read %s: column %d has no name", name, i+1)
		case slices.Contains(t.columns[:i], t.columns[i]):
			return nil, fmt.Errorf("read %s: column %q appears twice", name, t.columns[i])
		}
	}
	t.longest = make([]int, len(t.columns))
	for {
		row, err := in.Read()
		switch {
		case err == io.EOF && len(t.rows) == 0:
			return nil, fmt.Errorf("read %s: no rows after the column names", name)
		case err == io.EOF:
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		case len(t.rows) == maxRows:
			return nil, fmt.Errorf("read %s: more than %d rows", name, maxRows)
		}
		for i, v := range row {
			t.longest[i] = max(t.longest[i], len(v))
		}
		t.rows = append(t.rows, row)
	}
}

// Columns returns the names of the columns.
func (t *Table) Columns() []string { return t.columns }

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.rows) }

// errTooLong is wrapped by the errors of bounded.
var errTooLong = errors.New("file is too long")

// bounded is a reader that fails after a number of bytes, where io.LimitReader
// would have it look like the end.
type bounded struct {
	r          io.Reader
	left, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: the limit is %d bytes", errTooLong, b.most)
	}
	return n, err
}
