package flame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Colors are the colors that functions have been given, by name: kept in a file, a
// function has the same colour in all graphs of a series, whatever palette each
// was drawn with.
type Colors map[string]string

// maxColors bounds the file of a palette.
const maxColors = 1 << 20

// ReadColors reads lines of the form name->rgb(r,g,b), as the classic script's
// palette.map has them.
func ReadColors(r io.Reader) (Colors, error) {
	out := make(Colors)
	lines := bufio.NewScanner(io.LimitReader(r, 256<<20))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line == "" {
			continue
		}
		at := strings.LastIndex(line, "->") // a name may hold an arrow of its own
		if at <= 0 {
			return nil, fmt.Errorf("read palette: line %d is not of the form function->rgb(r,g,b)", n)
		}
		var c rgb
		if _, err := fmt.Sscanf(line[at+2:], "rgb(%d,%d,%d)", &c.r, &c.g, &c.b); err != nil || c.String() != line[at+2:] {
			return nil, fmt.Errorf("read palette: line %d: %q is not a colour of the form rgb(r,g,b)", n, line[at+2:])
		}
		if len(out) == maxColors {
			return nil, fmt.Errorf("read palette: more than %d functions", maxColors)
		}
		out[line[:at]] = c.String()
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read palette: %w", err)
	}
	return out, nil
}

// Write writes the colours in the order of names. Names that a line cannot hold
// are left out.
func (c Colors) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if name == "" || strings.ContainsAny(name, "\r\n") || len(name) > 1<<19 {
			continue
		}
		_, err := fmt.Fprintf(b, "%s->%s\n", name, c[name])
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, b.Flush())...); err != nil {
		return fmt.Errorf("write palette: %w", err)
	}
	return nil
}

// of returns the colour of a name, and keeps one that is new.
func (c Colors) of(name string, choose func() rgb) string {
	if c == nil {
		return choose().String()
	}
	have, ok := c[name]
	if !ok {
		have = choose().String()
		c[name] = have
	}
	return have
}
