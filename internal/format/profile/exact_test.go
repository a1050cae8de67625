package profile

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

func mustReadSamples(t testing.TB, data []byte) *callstack.Profile {
	t.Helper()
	p, err := Read(bytes.NewReader(data), int64(len(data)), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exact lists the samples with all that a location holds.
func exact(p *callstack.Profile) []flat {
	text := make([]string, len(p.Locations))
	for i, l := range p.Locations {
		mapping := callstack.Mapping{}
		if l.Mapping != callstack.NoMapping {
			mapping = p.Mappings[l.Mapping]
		}
		text[i] = fmt.Sprintf("%#x %t in %+v", l.Address, l.Folded, mapping)
		for _, line := range p.Lines(callstack.LocationID(i)) {
			f := p.Functions[line.Function]
			text[i] += fmt.Sprintf(" | %q %q %s:%d:%d start=%d", f.Name, f.SystemName, f.File, line.Line, line.Column, f.Start)
		}
	}
	var out []flat
	for c := p.Samples(); c.Next(); {
		var s flat
		for _, id := range slices.Backward(c.Path) {
			s.Stack = append(s.Stack, text[id])
		}
		for _, l := range p.Labels(c.LabelSet()) {
			// google/pprof drops labels without a value.
			if l != (callstack.Label{Key: l.Key}) {
				s.Labels = append(s.Labels, fmt.Sprintf("%s=%q %d %s", l.Key, l.Str, l.Num, l.Unit))
			}
		}
		sort.Strings(s.Labels)
		for t := range p.Types {
			s.Values = append(s.Values, c.Value(t))
		}
		out = append(out, s)
	}
	return out
}

// exactly lists the samples as google/pprof reads them.
func exactly(g *google.Profile) []flat {
	text := make(map[*google.Location]string)
	for _, l := range g.Location {
		s := fmt.Sprintf("%#x %t in %+v", l.Address, l.IsFolded, mappingOf(l.Mapping))
		for _, line := range l.Line {
			f := line.Function
			s += fmt.Sprintf(" | %q %q %s:%d:%d start=%d", f.Name, f.SystemName, f.Filename, clamp(line.Line), clamp(line.Column), clamp(f.StartLine))
		}
		text[l] = s
	}
	out := theirs(g)
	for i, s := range g.Sample {
		out[i].Stack = nil
		for _, l := range s.Location {
			out[i].Stack = append(out[i].Stack, text[l])
		}
	}
	return out
}

func mappingOf(m *google.Mapping) callstack.Mapping {
	if m == nil {
		return callstack.Mapping{}
	}
	return callstack.Mapping{
		File: m.File, BuildID: m.BuildID, Start: m.Start, Limit: m.Limit, Offset: m.Offset,
		HasFunctions: m.HasFunctions, HasFilenames: m.HasFilenames, HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames,
	}
}

// compareExactly compares samples, heads and mappings.
func compareExactly(t testing.TB, p *callstack.Profile, g *google.Profile) {
	t.Helper()
	if want, got := exactly(g), exact(p); !reflect.DeepEqual(want, got) {
		t.Errorf("samples (-google/pprof +whet):\n%.4000s", cmp.Diff(want, got))
	}
	compareMeta(t, &p.Meta, g)
}
