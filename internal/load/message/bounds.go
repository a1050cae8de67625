package message

import "fmt"

// The limits of a request, written out or made by a template, in bytes.
const (
	maxURL   = 1 << 20 // path and query; few services take a hundredth of it
	maxValue = 1 << 20 // of a header
	MaxBody  = 64 << 20
)

func errTooLarge(n, most int) error {
	return fmt.Errorf("%d bytes are more than the limit of %d", n, most)
}

// fits reports the cause of a text longer than most bytes: the template itself, or a
// row of the CSV file, with the column of its longest value.
func (t template) fits(most int, table *Table) error {
	others, columns := 0, 0
	for i := range t {
		others += t[i].longest()
		if t[i].kind == kindCSV {
			columns += longestEscape * table.longest[t[i].column]
		}
	}
	if others > most {
		return errTooLarge(others, most)
	}
	if others+columns <= most { // as good as always: there may be millions of rows
		return nil
	}
	var escaped []byte
	for i, row := range table.rows {
		atMost := others
		for j := range t {
			if t[j].kind == kindCSV {
				atMost += longestEscape * len(row[t[j].column])
			}
		}
		if atMost <= most {
			continue
		}
		sum, longest, column := others, -1, 0
		for j := range t {
			if t[j].kind != kindCSV {
				continue
			}
			escaped = t[j].escape.append(escaped[:0], row[t[j].column])
			if sum += len(escaped); len(escaped) > longest {
				longest, column = len(escaped), t[j].column
			}
		}
		if sum > most {
			return fmt.Errorf("%s, row %d, column %s: %w", table.name, i+1, table.columns[column], errTooLarge(sum, most))
		}
	}
	return nil
}

// longest returns the number of bytes that the part makes at most; of a column, which depends on
// the row, 0.
func (p *part) longest() int {
	switch p.kind {
	case kindSeq, kindInt:
		return len("-9223372036854775808")
	case kindString, kindHex:
		return p.length
	case kindUUID:
		return len("00000000-0000-4000-8000-000000000000")
	case kindPick:
		n := 0
		for _, c := range p.choices {
			n = max(n, len(c))
		}
		return n
	}
	return len(p.text)
}
