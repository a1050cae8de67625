package speedscope

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"whet/internal/callstack"
	"whet/internal/printable"
)

const schema = "https://www.speedscope.app/file-format-schema.json"

// frame is one of the shared frames: a function, or an address without a name.
// speedscope adds up by frame, so that a frame for each line of a function
// would take the function apart; Line is where it begins.
type frame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Write writes the columns of p, all of them when none is named. The document
// is called name, and opens at the profile's default column.
func Write(w io.Writer, p *callstack.Profile, name string, columns ...int) error {
	if len(columns) == 0 {
		for t := range p.Types {
			columns = append(columns, t)
		}
	}
	if len(columns) == 0 {
		return errors.New("write speedscope profile: the profile has no values")
	}
	for _, t := range columns {
		for c := p.Cursor(t); c.Next(); {
			if c.Value(0) < 0 {
				return fmt.Errorf("write speedscope profile: %s has negative values, as in a difference of profiles, which speedscope cannot show", p.Types[t].Type)
			}
		}
	}
	out := &writer{Writer: bufio.NewWriterSize(w, 64<<10)}
	frames, texts := shareFrames(p)
	out.text(`{"$schema":`)
	out.json(schema)
	out.text(`,"exporter":"whet","name":`)
	out.json(name)
	active := 0
	for i, t := range columns {
		if t == p.DefaultType {
			active = i
		}
	}
	out.text(`,"activeProfileIndex":` + strconv.Itoa(active))
	out.text(`,"shared":{"frames":[`)
	for i := range frames {
		if i > 0 {
			out.text(",\n")
		}
		out.json(&frames[i])
	}
	out.text(`]},"profiles":[`)
	for i, t := range columns {
		if i > 0 {
			out.text(",")
		}
		out.profile(p, t, texts)
	}
	out.text("]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write speedscope profile: %w", err)
	}
	return nil
}

// writer keeps the first error, which Flush returns.
type writer struct{ *bufio.Writer }

func (w *writer) text(s string) { w.WriteString(s) }

// json writes what cannot fail to be encoded, and nothing that a terminal would
// obey: a document is text.
func (w *writer) json(v any) {
	b, _ := json.Marshal(v)
	w.Write(printable.JSON(b))
}

// profile writes one column: the stacks and, beside them, their weights. What
// has no weight is left out.
func (w *writer) profile(p *callstack.Profile, column int, texts []string) {
	w.text(`{"type":"sampled","name":`)
	w.json(p.Types[column].Type)
	w.text(`,"unit":"` + unit(p.Types[column].Unit) + `","startValue":0,"endValue":` + strconv.FormatInt(p.Total(column), 10))
	w.text(`,"samples":[`)
	separator := ""
	for c := p.Cursor(column); c.Next(); {
		w.text(separator)
		separator = ",\n"
		w.text("[")
		for i, id := range c.Path {
			if i > 0 {
				w.text(",")
			}
			w.text(texts[id])
		}
		w.text("]")
	}
	w.text(`],"weights":[`)
	separator = ""
	for c := p.Cursor(column); c.Next(); {
		w.text(separator)
		separator = ","
		w.text(strconv.FormatInt(c.Value(0), 10))
	}
	w.text("]}")
}

// unit is speedscope's name of a unit; it has six.
func unit(u string) string {
	switch u {
	case "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes":
		return u
	}
	return "none"
}

// shareFrames returns the frames of all locations, and of each location the
// numbers of its frames, root first, with commas between them.
func shareFrames(p *callstack.Profile) (frames []frame, texts []string) {
	ids := make(map[frame]int)
	texts = make([]string, len(p.Locations))
	var text []byte
	for l := range p.Locations {
		text = text[:0]
		for _, f := range framesOf(p, callstack.LocationID(l)) {
			id, ok := ids[f]
			if !ok {
				id = len(frames)
				frames = append(frames, f)
				ids[f] = id
			}
			if len(text) > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(text, int64(id), 10)
		}
		texts[l] = string(text)
	}
	return frames, texts
}

// framesOf returns a location's frames, root first.
func framesOf(p *callstack.Profile, id callstack.LocationID) []frame {
	l, lines := p.Locations[id], p.Lines(id)
	if len(lines) == 0 {
		f := frame{Name: fmt.Sprintf("0x%x", l.Address)}
		if l.Mapping != callstack.NoMapping {
			f.File = p.Mappings[l.Mapping].File
		}
		return []frame{f}
	}
	out := make([]frame, 0, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		fn := p.Functions[lines[i].Function]
		f := frame{Name: fn.Name, File: fn.File, Line: fn.Start}
		switch {
		case f.Name != "":
		case l.Address != 0:
			f.Name = fmt.Sprintf("0x%x", l.Address)
		default:
			f.Name = "<unknown>"
		}
		out = append(out, f)
	}
	return out
}
