package explore

import (
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/profiles"
)

// cpuOf returns a CPU profile of one function with so many samples of 10 ms.
func cpuOf(samples int64) *callstack.Profile {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	p := b.Profile()
	p.DefaultType, p.Period, p.PeriodType = 1, 10e6, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}
	p.Duration, p.TimeNanos = 30e9, time.Date(2026, 11, 20, 9, 1, 0, 0, time.UTC).UnixNano()
	p.Mappings = append(p.Mappings, callstack.Mapping{File: "[vdso]"}, callstack.Mapping{File: "/srv/shop"})
	f := b.Function(callstack.Function{Name: "main.main"})
	b.Add([]callstack.LocationID{b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f})}, nil, samples, samples*10e6)
	return p
}

// The page of a difference is normalised where totals differ by more than 5 %:
// 105 of 100 samples are 5 %, 106 are 6 %, and 150 are 1.5 times as many.
func TestFlameOfDifferentTotals(t *testing.T) {
	for _, c := range []struct {
		after int64
		scale float64
		set   func(*settings)
		says  string
	}{
		{105, 1, func(*settings) {}, ""},
		{106, 1.06, func(*settings) {}, "Normalised, as the totals differ by 6.0 %: before is multiplied by 1.06."},
		{150, 1.5, func(*settings) {}, "Normalised, as the totals differ by 50.0 %: before is multiplied by 1.5."},
		{50, 0.5, func(*settings) {}, "Normalised, as the totals differ by 50.0 %: before is multiplied by 0.5."},
		{150, 1, func(s *settings) { s.format = formatSVG }, ""},
		{150, 1, func(s *settings) { s.asJSON = true }, ""},
	} {
		q := &viewRequest{Set: &profiles.Set{Name: "new.pb.gz", Sources: []selection.Source{
			{Profile: cpuOf(c.after)}, {Profile: cpuOf(100), Role: selection.DiffBase},
		}}, s: defaultSettings(), base: "old.pb.gz"}
		q.s.sel.SampleIndex = "cpu"
		c.set(&q.s)
		views, err := q.flames()
		if err != nil {
			t.Fatal(err)
		}
		v := views[0]
		if v.Graph.Scale != c.scale || v.Grain != 10e6 || v.BaseGrain != 10e6 {
			t.Errorf("%d samples: scale %g, grains %g and %g", c.after, v.Graph.Scale, v.Grain, v.BaseGrain)
		}
		want := "before: old.pb.gz · cpu · 1.00 s · 100 samples · over 30.0 s · 2026-11-20 09:01 UTC · shop"
		if v.About[0] != want || !strings.HasPrefix(v.About[1], "after: new.pb.gz · cpu · ") {
			t.Errorf("%q", v.About)
		}
		if said := strings.Join(v.About[2:], ""); said != c.says {
			t.Errorf("%d samples: %q, want %q", c.after, said, c.says)
		}
	}
}
