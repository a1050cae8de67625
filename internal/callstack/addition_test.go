package callstack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestBatches holds sums of profiles of several batches to sums by a map: equal samples,
// samples of zero, those that come to zero, and locations that only these have.
func TestBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() []plain {
		samples := make([]plain, 3*batchSize+1+r.IntN(batchSize))
		for i := range samples {
			s := plain{Values: []int64{r.Int64N(3), r.Int64N(2) * r.Int64N(1<<40)}}
			for range r.IntN(9) {
				s.Path = append(s.Path, LocationID(r.IntN(4)))
			}
			if r.IntN(50) == 0 {
				s.Path, s.Values = append(s.Path, 4), []int64{0, 0}
			}
			if r.IntN(3) > 0 {
				s.Labels = []Label{{Key: "bytes", Num: r.Int64N(3), Unit: "bytes"}}
			}
			samples[i] = s
		}
		return samples
	}
	for name, scale := range map[string]float64{"sum": 1, "difference": -1} {
		a, b := draw(), draw()
		b = append(b, a[:batchSize/2]...)
		type sum struct {
			Sample string
			Values [2]int64
		}
		var want []sum
		at := make(map[string]int)
		for part, samples := range [][]plain{a, b} {
			for _, s := range samples {
				if s.Values[0] == 0 && s.Values[1] == 0 {
					continue
				}
				key := fmt.Sprint(s.Path, s.Labels)
				i, ok := at[key]
				if !ok {
					i = len(want)
					at[key], want = i, append(want, sum{Sample: key})
				}
				for column, v := range s.Values {
					if part == 1 {
						v = int64(scale) * v
					}
					want[i].Values[column] += v
				}
			}
		}
		want = slices.DeleteFunc(want, func(s sum) bool { return s.Values == [2]int64{} })

		merged, err := Merge([]float64{1, scale}, packed(a), packed(b))
		if err != nil {
			t.Fatal(err)
		}
		var got []sum
		for c := merged.Samples(); c.Next(); {
			var path []LocationID
			for _, id := range c.Path {
				path = append(path, LocationID(merged.Locations[id].Address))
			}
			got = append(got, sum{fmt.Sprint(path, merged.Labels(c.LabelSet())), [2]int64{c.Value(0), c.Value(1)}})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%.2000s", name, diff)
		}
		if len(merged.Locations) != 4 {
			t.Errorf("%s: %d locations, want the 4 that samples have", name, len(merged.Locations))
		}
	}
}

// TestMappingOfZeroSamples: of a library that was loaded at two addresses the mapping is
// that of the first sample that is not zero.
func TestMappingOfZeroSamples(t *testing.T) {
	loaded := func(at uint64, value int64) *Profile {
		b := NewBuilder(ValueType{"n", "count"})
		b.Profile().Mappings = []Mapping{{File: "program", Start: 0x1000, Limit: 0x2000}, {File: "library", Start: at, Limit: at + 0x1000}}
		b.Add([]LocationID{b.Location(0, 0x1000, false)}, nil, 1)
		b.Add([]LocationID{b.Location(1, at+1, false)}, nil, value)
		return b.Profile()
	}
	merged, err := Merge(nil, loaded(0x6000, 0), loaded(0x5000, 1))
	if err != nil || len(merged.Mappings) != 2 || merged.Mappings[1].Start != 0x5000 || merged.Locations[1].Address != 0x5001 {
		t.Errorf("%v, mappings %v, locations %v", err, merged.Mappings, merged.Locations)
	}
}

// TestMemoryOfAdopted: the memory that is counted is the same, to the byte, whether the
// stacks of a profile are taken over or packed again, where the locations keep their ids:
// p is merged already, as others may have ids of a byte more or less.
func TestMemoryOfAdopted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		again := func(p *Profile) *Merger {
			m := NewMerger(&p.Meta)
			a, err := m.Begin(1, p)
			if err == nil {
				err = a.addAll(p.Samples())
			}
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		samples := drawnSamples(t)
		for i := range samples {
			samples[i].Values = []int64{1, 1}
		}
		p := again(packed(samples)).Merged()
		m := NewMerger(&p.Meta)
		if adopted, err := m.adopt(p); !adopted || err != nil {
			t.Fatalf("adopted: %v, %v", adopted, err)
		}
		if got, want := m.Memory(), again(p).Memory(); got != want {
			t.Fatalf("%d bytes are counted, %d when packed again", got, want)
		}
	})
}
