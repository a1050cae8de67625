package profile

import (
	"io"
	"slices"

	"whet/internal/callstack"
)

// Write encodes p as WritePacked does.
func Write(w io.Writer, p *callstack.Profile) error {
	return WritePacked(w, pack(p))
}

// pack makes locations of frames again: one of each run of inlined frames and
// the one they are inlined into.
func pack(p *callstack.Profile) *callstack.Packed {
	b := callstack.NewPackedBuilder(p.Types...)
	q := b.Packed()
	q.Meta = p.Meta
	q.Mappings = slices.Clone(p.Mappings)
	mappings := make(map[string]callstack.MappingID)
	for i, m := range q.Mappings {
		if _, ok := mappings[m.File]; !ok {
			mappings[m.File] = callstack.MappingID(i)
		}
	}
	for i := range p.NumFrames() {
		object := p.Frame(callstack.FrameID(i)).Object
		if _, ok := mappings[object]; !ok && object != "" {
			mappings[object] = callstack.MappingID(len(q.Mappings))
			q.Mappings = append(q.Mappings, callstack.Mapping{File: object})
		}
	}
	location := func(run []callstack.FrameID) callstack.LocationID {
		var address uint64
		mapping := callstack.NoMapping
		if len(p.Mappings) > 0 {
			mapping = 0 // by the format's custom the main binary
		}
		var lines []callstack.SourceLine
		for _, id := range run {
			f := p.Frame(id)
			if f.Function == "" && address == 0 {
				address, mapping = f.Address, callstack.NoMapping
				if f.Object != "" {
					mapping = mappings[f.Object]
				}
				if len(run) == 1 && *f == (callstack.Frame{Address: f.Address, Object: f.Object}) {
					break // nothing but an address
				}
			}
			lines = append(lines, callstack.SourceLine{
				Function: b.Function(callstack.Function{Name: f.Function, SystemName: f.Function, File: f.File, Start: f.Start}), // Go's names are the same
				Line:     f.Line,
			})
		}
		return b.Location(mapping, address, false, lines...)
	}
	var stack []callstack.LocationID
	row := make([]int64, len(p.Types))
	for i := range p.Len() {
		frames := p.Stack(i)
		stack = stack[:0]
		for start := 0; start < len(frames); {
			end := start
			for end < len(frames)-1 && p.Frame(frames[end]).Inlined {
				end++
			}
			stack = append(stack, location(frames[start:end+1]))
			start = end + 1
		}
		for t := range row {
			row[t] = p.Value(t, i)
		}
		b.Add(stack, p.Labels(i), row...)
	}
	return q
}
