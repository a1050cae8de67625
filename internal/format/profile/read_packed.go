package profile

import (
	"io"

	"github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// ReadPacked decodes the profile in the first size bytes of r, which may be a
// file or a bytes.Reader.
func ReadPacked(r io.ReaderAt, size int64, limits Limits) (*callstack.Packed, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), data); err != nil {
		return nil, err
	}
	expanded, err := Read(data, limits)
	if err != nil {
		return nil, err
	}
	var d damage
	if isGzip(data) {
		messages, err := unpack(data, limits.MaxBytes, &d)
		if err != nil {
			return nil, err
		}
		data = messages[0]
	}
	g, err := profile.ParseUncompressed(data)
	if err != nil {
		return nil, err
	}
	return pack(g, expanded.Meta), nil
}

func pack(g *profile.Profile, meta callstack.Meta) *callstack.Packed {
	b := callstack.NewPackedBuilder(meta.Types...)
	p := b.Packed()
	p.Meta = meta
	p.Mappings = nil
	mappings := make(map[*profile.Mapping]callstack.MappingID)
	for i, m := range g.Mapping {
		mappings[m] = callstack.MappingID(i)
		p.Mappings = append(p.Mappings, callstack.Mapping{
			File: m.File, BuildID: m.BuildID, Start: m.Start, Limit: m.Limit, Offset: m.Offset,
			HasFunctions: m.HasFunctions, HasFilenames: m.HasFilenames, HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames,
		})
	}
	locations := make(map[*profile.Location]callstack.LocationID)
	for _, l := range g.Location {
		mapping := callstack.NoMapping
		if l.Mapping != nil {
			mapping = mappings[l.Mapping]
		}
		var lines []callstack.SourceLine
		for _, line := range l.Line {
			f := callstack.Function{Name: line.Function.Name, SystemName: line.Function.SystemName, File: line.Function.Filename, Start: int(line.Function.StartLine)}
			lines = append(lines, callstack.SourceLine{Function: b.Function(f), Line: int(line.Line), Column: int(line.Column)})
		}
		locations[l] = b.NewLocation(mapping, l.Address, l.IsFolded, lines...)
	}
	for _, s := range g.Sample {
		var stack []callstack.LocationID
		for _, l := range s.Location {
			stack = append(stack, locations[l])
		}
		var labels []callstack.Label
		for k, vs := range s.Label {
			for _, v := range vs {
				labels = append(labels, callstack.Label{Key: k, Str: v})
			}
		}
		for k, vs := range s.NumLabel {
			for i, v := range vs {
				l := callstack.Label{Key: k, Num: v}
				if u := s.NumUnit[k]; len(u) > 0 {
					l.Unit = u[i]
				}
				labels = append(labels, l)
			}
		}
		b.Add(stack, labels, s.Value...)
	}
	return p
}
