package explore

import (
	"fmt"
	"testing"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/profiles"
)

// TestFlameDrawsOneValueOfALargeProfile: of a small one it draws all of them.
func TestFlameDrawsOneValueOfALargeProfile(t *testing.T) {
	for _, c := range []struct {
		samples int
		set     func(*settings)
		drawn   string
	}{
		{menuSamples, func(*settings) {}, "[space/bytes objects/count]"},
		{menuSamples + 1, func(*settings) {}, "[space/bytes]"},
		{menuSamples + 1, func(s *settings) { s.sel.SampleIndex = "objects" }, "[objects/count]"},
		{menuSamples + 1, func(s *settings) { s.flame.allTypes = true }, "[space/bytes objects/count]"},
	} {
		b := callstack.NewBuilder(callstack.ValueType{Type: "objects", Unit: "count"}, callstack.ValueType{Type: "space", Unit: "bytes"})
		f := b.Function(callstack.Function{Name: "main.main"})
		at := b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f})
		b.Profile().DefaultType = 1
		for range c.samples {
			b.Add([]callstack.LocationID{at}, nil, 1, 8)
		}
		q := &viewRequest{Set: &profiles.Set{Name: "x", Sources: []selection.Source{{Profile: b.Profile()}}}, s: defaultSettings()}
		c.set(&q.s)
		views, err := q.flames()
		if err != nil {
			t.Fatal(err)
		}
		var drawn []string
		for _, v := range views {
			drawn = append(drawn, v.Graph.Type.Type+"/"+v.Graph.Type.Unit)
		}
		if got := fmt.Sprint(drawn); got != c.drawn {
			t.Errorf("%d samples: drawn are %s, want %s", c.samples, got, c.drawn)
		}
	}
}
