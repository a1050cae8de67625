package callstack

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// written is every sample of a profile with its names, times scale.
func written(p *Profile, scale int64) (out []string) {
	for c := p.Samples(); c.Next(); {
		s := ""
		for _, id := range c.Path {
			l := p.Locations[id]
			s += fmt.Sprint(l.Address, l.Folded)
			if l.Mapping != NoMapping {
				s += p.Mappings[l.Mapping].File
			}
			for _, line := range p.Lines(id) {
				s += fmt.Sprint(p.Functions[line.Function], line.Line)
			}
		}
		out = append(out, fmt.Sprint(s, p.Labels(c.LabelSet()), c.Value(0)*scale, c.Value(1)*scale))
	}
	return out
}

// TestJoined writes both profiles out, and the joined one, which leaves them as
// they were.
func TestJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() *Profile {
			samples := drawnSamples(t)
			for i := range samples { // what a float64 holds
				samples[i].Values[0] = rapid.Int64Range(-9, 9).Draw(t, "value")
			}
			p := packed(samples)
			p.Mappings = []Mapping{{File: "a", Limit: 9}}
			p.Locations[3].Mapping = 0
			return p
		}
		p, q := draw(), draw()
		before := append(written(p, 1), written(q, -1)...)
		j, err := p.Joined(q, -1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, written(j, 1)); diff != "" {
			t.Fatalf("(-one after the other +joined):\n%s", diff)
		}
		again, err := p.Joined(p, -1) // as if j were not there
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(written(p, 1), written(p, -1)...), written(again, 1)); diff != "" {
			t.Fatalf("(-one after the other +joined):\n%s", diff)
		}
		if diff := cmp.Diff(before, written(j, 1)); diff != "" {
			t.Fatalf("afterwards (-before +after):\n%s", diff)
		}
	})
	// The system loaded the program elsewhere.
	p, q := packed(nil), packed([]plain{{Path: []LocationID{1}, Values: []int64{1, 1}}})
	p.Mappings, q.Mappings = []Mapping{{File: "a", Start: 0x1000, Limit: 0x2000}}, []Mapping{{File: "b"}, {File: "a", Start: 0x5000, Limit: 0x6000}}
	q.Locations[1].Mapping, q.Locations[1].Address = 1, 0x5007
	j, err := p.Joined(q, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := j.Samples()
	if c.Next(); j.Locations[c.Path[0]].Address != 0x1007 || !slices.Equal(j.Mappings, p.Mappings) {
		t.Errorf("location %+v, mappings %v", j.Locations[c.Path[0]], j.Mappings)
	}
	q.Types = q.Types[:1]
	if _, err := p.Joined(q, 1); err == nil {
		t.Error("profiles of different types were joined")
	}
}
