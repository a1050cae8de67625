package callstack

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRows reads what a cursor over everything reads, but for the stacks.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawnSamples(t)
		p := packed(samples)
		every := rapid.IntRange(1, 3).Draw(t, "label sets asked for") // they are read late
		i := 0
		for r := p.Rows(1, 0); r.Next(); i++ {
			if r.Value(0) != samples[i].Values[1] || r.Value(1) != samples[i].Values[0] {
				t.Fatalf("sample %d is %d, %d, want %v", i, r.Value(0), r.Value(1), samples[i].Values)
			}
			if i%every == 0 && !slices.Equal(p.Labels(r.LabelSet()), samples[i].Labels) {
				t.Fatalf("sample %d has labels %v, want %v", i, p.Labels(r.LabelSet()), samples[i].Labels)
			}
		}
		if i != len(samples) {
			t.Fatalf("%d samples, want %d", i, len(samples))
		}
	})
}

// TestDerived changes values and labels and nothing else.
func TestDerived(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawnSamples(t)
		for i := range samples { // what a float64 holds
			samples[i].Values[0] = rapid.Int64Range(-9, 9).Draw(t, "value")
		}
		ratios := rapid.SliceOfN(rapid.SampledFrom([]float64{1, 0, -1, 0.1, 2.5}), 2, 2).Draw(t, "ratios")
		mark := Label{Key: "endpoint", Str: rapid.SampledFrom([]string{"mark", "/a"}).Draw(t, "mark")}
		p := packed(samples).WithLabel(mark).Scaled(ratios).WithColumns(1, 0)
		if want := []ValueType{{"second", "count"}, {"first", "count"}}; !slices.Equal(p.Types, want) {
			t.Fatalf("types %v", p.Types)
		}
		c := p.Cursor()
		for i, s := range samples {
			if !c.Next() || !slices.Equal(c.Path, s.Path) {
				t.Fatalf("sample %d has the path %v, want %v", i, c.Path, s.Path)
			}
			labels := slices.DeleteFunc(slices.Clone(s.Labels), func(l Label) bool { return l.Key == "endpoint" && l.Str != "" })
			if got := p.Labels(c.LabelSet()); !slices.Equal(got, append(labels, mark)) {
				t.Fatalf("sample %d of %v has labels %v", i, s.Labels, got)
			}
		}
		i := 0
		for r := p.Rows(1, 0); r.Next(); i++ {
			want := slices.Clone(samples[i].Values)
			gone := ratios[0] != 1 || ratios[1] != 1
			for t, ratio := range ratios {
				if want[t] = int64(math.Round(float64(want[t]) * ratio)); ratio != 1 && want[t] != 0 {
					gone = false
				}
			}
			if gone {
				want = []int64{0, 0}
			}
			if got := []int64{r.Value(0), r.Value(1)}; !slices.Equal(got, want) {
				t.Fatalf("sample %d: %v times %v is %v, want %v", i, samples[i].Values, ratios, got, want)
			}
		}
	})
	labeled := packed([]plain{{Labels: []Label{{Key: "k", Str: "v"}}, Values: []int64{1, 1}}})
	if !labeled.HasLabelKey("k") || labeled.HasLabelKey("other") {
		t.Error("HasLabelKey")
	}
}

// TestWithout: what a dropped frame cost is its caller's, a stack of nothing else
// stays, and the total is what it was.
func TestWithout(t *testing.T) {
	b := NewBuilder(ValueType{Type: "cpu", Unit: "nanoseconds"})
	add := func(v int64, leafFirst ...string) {
		var frames []Frame
		for _, f := range leafFirst {
			frames = append(frames, Frame{Function: f, Line: 1})
		}
		b.AddFrames(frames, nil, v)
	}
	add(1, "preempt", "m.f", "main")
	add(2, "preempt2", "preempt", "m.g", "main")
	add(4, "m.f", "main")
	before := b.Frames()
	f := before.Without("preempt", "preempt2")
	want := map[string]Cost{"m.f": {Flat: 5, Cum: 5}, "m.g": {Flat: 2, Cum: 2}, "main": {Flat: 0, Cum: 7}}
	if got := f.Costs(0, nil, func(f *Frame) string { return f.Function }); !maps.Equal(got, want) || f.Total(0) != 7 {
		t.Errorf("%v, total %d", got, f.Total(0))
	}
	if got := before.Costs(0, nil, func(f *Frame) string { return f.Function })["preempt"]; got.Flat != 1 {
		t.Errorf("the profile itself changed: %v", got)
	}
	if f.Without("absent") != f {
		t.Error("a copy without a change")
	}
	add(8, "preempt")
	if got := b.Frames().Without("preempt").Costs(0, nil, func(f *Frame) string { return f.Function }); got["preempt"].Flat == 0 || got["m.g"].Flat+got["preempt"].Flat+got["m.f"].Flat+got["preempt2"].Flat != 15 {
		t.Errorf("a stack of nothing else: %v", got)
	}
}
