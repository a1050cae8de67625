package profile

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// WritePacked encodes p, packed with gzip, so that ReadPacked and pprof get
// the same samples from it.
func WritePacked(w io.Writer, p *callstack.Packed) error {
	g := &profile.Profile{
		DropFrames: p.DropFrames, KeepFrames: p.KeepFrames, TimeNanos: p.TimeNanos, DurationNanos: p.Duration,
		PeriodType: &profile.ValueType{Type: p.PeriodType.Type, Unit: p.PeriodType.Unit}, Period: p.Period,
		Comments: p.Comments, DocURL: p.DocURL,
	}
	columns := make([]int, len(p.Types))
	for i, t := range p.Types {
		columns[i] = i
		g.SampleType = append(g.SampleType, &profile.ValueType{Type: t.Type, Unit: t.Unit})
	}
	if len(p.Types) > 0 {
		g.DefaultSampleType = p.Types[p.DefaultType].Type
	}
	for i, m := range p.Mappings {
		g.Mapping = append(g.Mapping, &profile.Mapping{
			ID: uint64(i + 1), File: m.File, BuildID: m.BuildID, Start: m.Start, Limit: m.Limit, Offset: m.Offset,
			HasFunctions: m.HasFunctions, HasFilenames: m.HasFilenames, HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames,
		})
	}
	for i, f := range p.Functions {
		g.Function = append(g.Function, &profile.Function{ID: uint64(i + 1), Name: f.Name, SystemName: f.SystemName, Filename: f.File, StartLine: int64(f.Start)})
	}
	for i, l := range p.Locations {
		loc := &profile.Location{ID: uint64(i + 1), Address: l.Address, IsFolded: l.Folded}
		if l.Mapping != callstack.NoMapping {
			loc.Mapping = g.Mapping[l.Mapping]
		}
		for _, line := range p.Lines(callstack.LocationID(i)) {
			loc.Line = append(loc.Line, profile.Line{Function: g.Function[line.Function], Line: int64(line.Line), Column: int64(line.Column)})
		}
		g.Location = append(g.Location, loc)
	}
	for c := p.Cursor(columns...); c.Next(); {
		s := &profile.Sample{Label: map[string][]string{}, NumLabel: map[string][]int64{}, NumUnit: map[string][]string{}}
		for i := len(c.Path) - 1; i >= 0; i-- {
			s.Location = append(s.Location, g.Location[c.Path[i]])
		}
		for i := range columns {
			s.Value = append(s.Value, c.Value(i))
		}
		for _, l := range p.Labels(c.LabelSet()) {
			if l.Str != "" {
				s.Label[l.Key] = append(s.Label[l.Key], l.Str)
			} else {
				s.NumLabel[l.Key] = append(s.NumLabel[l.Key], l.Num)
				s.NumUnit[l.Key] = append(s.NumUnit[l.Key], l.Unit)
			}
		}
		g.Sample = append(g.Sample, s)
	}
	if err := g.Write(w); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}
