package view

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
)

// TestTagsAreSums holds keys that share texts, and names that begin alike or with each
// other, against sums in maps, sorted as a whole.
func TestTagsAreSums(t *testing.T) {
	texts := []string{"a", "b", "request-1", "request-10", "request-2", "request-100000000001", "request-100000000002", "request-1\x00", "é"}
	rapid.Check(t, func(t *rapid.T) {
		b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"})
		at := b.NewLocation(callstack.NoMapping, 1, false)
		sums := make(map[string]map[string]int64)
		for range rapid.IntRange(1, 30).Draw(t, "samples") {
			var labels []callstack.Label
			value := rapid.Int64Range(0, 3).Draw(t, "value")
			for _, key := range []string{"x", "y", "z"} {
				if text := rapid.SampledFrom(append(texts, "")).Draw(t, key); text != "" {
					labels = append(labels, callstack.Label{Key: key, Str: text})
					if sums[key] == nil {
						sums[key] = make(map[string]int64)
					}
					sums[key][text] += value
				}
			}
			b.Add([]callstack.LocationID{at}, labels, value)
		}
		s, err := selection.New([]selection.Source{{Profile: b.Profile()}}, selection.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []TagKey
		for _, key := range slices.Sorted(maps.Keys(sums)) {
			k := TagKey{Name: key}
			for text, sum := range sums[key] {
				k.Flat += sum
				k.Values = append(k.Values, TagValue{text, sum})
			}
			slices.SortFunc(k.Values, func(a, b TagValue) int {
				return cmp.Or(cmp.Compare(b.Flat, a.Flat), cmp.Compare(a.Name, b.Name))
			})
			want = append(want, k)
		}
		if diff := gocmp.Diff(want, NewTags(s, Options{}).Keys); diff != "" {
			t.Fatalf("(-sums +tags):\n%s", diff)
		}
	})
}
