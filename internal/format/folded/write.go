package folded

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/printable"
)

// Write writes a column of p, one line for each sample that is not zero in it;
// neighbors with equal stacks are one line. Names are those that pprof prints, for a
// location without symbols its address; control characters and those that hide or
// reorder text are escaped, because these texts are displayed, and the format does not
// allow control characters.
func Write(w io.Writer, p *callstack.Profile, column int) error {
	out := bufio.NewWriterSize(w, 64<<10)
	texts := make([]string, len(p.Locations)) // of each location, root first, with a semicolon after each frame
	line := make([]byte, 0, 4096)
	ends := make([]int, 0, 128) // in line, of the locations of the path
	var pending int64           // of the samples with the stack in line
	flush := func() {
		if pending != 0 {
			out.Write(line[:len(line)-1]) // without the last semicolon
			out.WriteByte(' ')
			out.Write(strconv.AppendInt(nil, pending, 10))
			out.WriteByte('\n')
		}
	}
	c := p.Cursor(column)
	for c.Next() {
		if len(line) > 0 && len(ends) == len(c.Path) && c.Shared == len(ends) {
			pending += c.Value(0)
			continue
		}
		flush()
		pending = c.Value(0)
		ends, line = ends[:c.Shared], line[:0]
		if c.Shared > 0 {
			line = line[:ends[c.Shared-1]]
		}
		for _, id := range c.Path[c.Shared:] {
			if texts[id] == "" {
				texts[id] = text(p, id)
			}
			line = append(line, texts[id]...)
			ends = append(ends, len(line))
		}
		if len(c.Path) == 0 {
			line = append(line, "[no stack];"...)
		}
	}
	flush()
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write folded stacks: %w", err)
	}
	return nil
}

// text returns what stands for a location: its frames, root first, a semicolon
// after each.
func text(p *callstack.Profile, id callstack.LocationID) string {
	l, lines := p.Locations[id], p.Lines(id)
	if len(lines) == 0 {
		return fmt.Sprintf("0x%x;", l.Address)
	}
	var out strings.Builder
	for i := len(lines) - 1; i >= 0; i-- {
		name := p.Functions[lines[i].Function].Name
		switch {
		case name != "":
			out.WriteString(printable.Line(clean.Replace(name)))
		case l.Address != 0:
			fmt.Fprintf(&out, "0x%x", l.Address)
		default:
			out.WriteString(unknown)
		}
		out.WriteByte(';')
	}
	return out.String()
}

// clean keeps the format's own signs out of names: Go has semicolons in those
// of functions that are generic over a struct type.
var clean = strings.NewReplacer(";", ":", "\n", " ")
