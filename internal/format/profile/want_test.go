package profile

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"testing"

	"whet/internal/callstack"
)

// A part of a profile is what the whole has of it: for each sample type, by name, by
// number and as the profile's own.
func TestReadWanted(t *testing.T) {
	for _, name := range fixtures(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { sameParts(t, data, DefaultLimits()) })
	}
	var difference bytes.Buffer // marked by labels alone: no value is below zero
	b := callstack.NewBuilder(callstack.ValueType{Type: "a", Unit: "count"}, callstack.ValueType{Type: "b", Unit: "count"})
	b.AddFrames([]callstack.Frame{{Function: "f"}}, []callstack.Label{{Key: callstack.BaseKey, Str: "true"}}, 1, 2)
	b.AddFrames([]callstack.Frame{{Function: "f"}}, nil, 0, 0)
	b.Profile().DropFrames, b.Profile().DefaultNamed = "g", true
	if err := Write(&difference, b.Profile()); err != nil {
		t.Fatal(err)
	}
	raw := small().Bytes()
	for name, data := range map[string][]byte{
		"difference":  difference.Bytes(),
		"members":     slices.Concat(zip(raw), zip(raw)),
		"trailing":    append(zip(raw), "rest"...),
		"nothing":     small().body(profileSample, num(1, 1), num(2, 0)).Bytes(),
		"lost":        small().body(profileSample, num(1, 99), num(2, 9)).Bytes(),
		"below zero":  small().body(profileSample, num(1, 1), num(2, 1<<64-9)).Bytes(),
		"no location": small().body(profileSample, num(2, 3)).Bytes(),
	} {
		t.Run(name, func(t *testing.T) { sameParts(t, data, DefaultLimits()) })
	}
	p, err := ReadWanted(bytes.NewReader(difference.Bytes()), int64(difference.Len()), DefaultLimits(), Want{Only: Stacks})
	if err != nil || !p.HasLabelKey(callstack.BaseKey) {
		t.Errorf("the labels of a difference were not read: %v", err)
	}
}

// sameParts holds ReadWanted against Read.
func sameParts(t *testing.T, data []byte, limits Limits) {
	t.Helper()
	whole, err := Read(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return
	}
	names := []string{"", "0", "7", "none"}
	for _, v := range whole.Types {
		names = append(names, v.Type)
	}
	for _, column := range names {
		for _, want := range []Want{{Only: Stacks, Column: column}, {Only: Stacks, Column: column, Mean: true}, {Only: Labels, Column: column}, {Only: Samples, Column: column}, {Only: Stacks, Column: column, Above: 10}} {
			p, err := ReadWanted(bytes.NewReader(data), int64(len(data)), limits, want)
			if err != nil {
				t.Fatalf("%+v: %v", want, err)
			}
			if len(whole.Warnings) > 0 && len(p.Warnings) == 0 {
				continue // what is damaged was not asked for
			}
			if p.Listed() != whole.Listed() || !slices.Equal(p.Types, whole.Types) || !slices.Equal(p.Warnings, whole.Warnings) {
				t.Fatalf("%+v: %d samples of %v with %q, want %d of %v with %q", want, p.Listed(), p.Types, p.Warnings, whole.Listed(), whole.Types, whole.Warnings)
			}
			at, err := whole.TypeIndex(column)
			if err != nil {
				continue
			}
			columns := []int{at}
			if want.Mean {
				columns = []int{at, 0}
			}
			if got, all := listed(p, want.Only, columns), listed(whole, want.Only, columns); !slices.Equal(got, all) {
				t.Fatalf("%+v:\n%.2000q\nthe whole profile has\n%.2000q", want, got, all)
			}
		}
	}
}

var seed = maphash.MakeSeed()

// listed prints the samples of a part.
func listed(p *callstack.Profile, part Part, columns []int) (out []string) {
	if part == Labels {
		for r := p.Rows(columns...); r.Next(); {
			out = append(out, fmt.Sprint(r.Value(0), p.Labels(r.LabelSet())))
		}
		return out
	}
	place := make([]string, len(p.Locations))
	for id := range place {
		place[id] = fmt.Sprintf(" %x", p.Locations[id].Address)
		for _, l := range p.Lines(callstack.LocationID(id)) {
			place[id] += fmt.Sprint(p.Functions[l.Function], l.Line, l.Column)
		}
	}
	for c := p.Cursor(columns...); c.Next(); {
		h := maphash.Hash{}
		h.SetSeed(seed)
		for _, id := range c.Path {
			h.WriteString(place[id])
		}
		var labels []callstack.Label
		if part == Samples {
			labels = p.Labels(c.LabelSet())
		}
		out = append(out, fmt.Sprintf("%d %d %d: %x %v", c.Value(0), c.Value(len(columns)-1), len(c.Path), h.Sum64(), labels))
	}
	return out
}
