package finding

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Amdahl's law by hand: half of the time gone is twice as fast, four fifths
// five times, 99 % a hundred times; what has no cost gains nothing.
func TestCeiling(t *testing.T) {
	for share, want := range map[float64]float64{
		0: 1, 0.05: 20.0 / 19, 0.2: 1.25, 0.5: 2, 0.75: 4, 0.8: 5, 0.9: 10, 0.98: 50,
		0.99: MaxCeiling, 0.995: MaxCeiling, 1: MaxCeiling, 1.5: MaxCeiling, -0.5: 1,
	} {
		if got := Ceiling(share); math.Abs(got-want) > 1e-9 {
			t.Errorf("Ceiling(%v) = %v, want %v", share, got, want)
		}
	}
	if got := Ceiling(math.NaN()); got < 1 || got > MaxCeiling || math.IsNaN(got) {
		t.Errorf("Ceiling(NaN) = %v: not in [1, %d]", got, MaxCeiling)
	}
}

// The ceiling rises with the share, stays in its bounds, and is what remains
// inverted: share·T removed from T leaves T/Ceiling.
func TestCeilingProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		if a > b {
			a, b = b, a
		}
		if Ceiling(a) > Ceiling(b) {
			t.Errorf("Ceiling(%v) = %v above Ceiling(%v) = %v", a, Ceiling(a), b, Ceiling(b))
		}
		if c := Ceiling(a); c < 1 || c > MaxCeiling {
			t.Errorf("Ceiling(%v) = %v", a, c)
		}
		if a < 0.98 && math.Abs(1/Ceiling(a)-(1-a)) > 1e-9 {
			t.Errorf("Ceiling(%v) = %v leaves %v", a, Ceiling(a), 1/Ceiling(a))
		}
	})
}

func TestWeightIsTheLargestShare(t *testing.T) {
	for _, f := range []Finding{
		{CPURatio: 0.7, AllocBytesRatio: 0.2, DelayRatio: 0.1},
		{CPURatio: 0.1, AllocBytesRatio: 0.7, DelayRatio: 0.2},
		{CPURatio: 0.2, AllocBytesRatio: 0.1, DelayRatio: 0.7},
	} {
		if f.Weight() != 0.7 {
			t.Errorf("%+v weighs %v", f, f.Weight())
		}
	}
}

// The order is by weight, then place, then rule, whatever it was before.
func TestSort(t *testing.T) {
	want := []Finding{
		{Rule: "z", File: "z.go", Line: 9, DelayRatio: 0.9},
		{Rule: "z", File: "y.go", Line: 8, CPURatio: 0.5},
		{Rule: "b", File: "a.go", Line: 2, AllocBytesRatio: 0.3},
		{Rule: "a", File: "a.go", Line: 10, CPURatio: 0.3},
		{Rule: "b", File: "a.go", Line: 10, CPURatio: 0.3},
		{Rule: "a", File: "b.go", Line: 1, CPURatio: 0.3},
	}
	key := func(f Finding) string { return f.Rule + f.File + string(rune('a'+f.Line)) }
	rapid.Check(t, func(t *rapid.T) {
		got := rapid.Permutation(want).Draw(t, "order")
		Sort(got)
		if !slices.EqualFunc(got, want, func(a, b Finding) bool { return key(a) == key(b) }) {
			t.Errorf("sorted %+v", got)
		}
	})
}

// The names in JSON are a contract with scripts.
func TestJSONNames(t *testing.T) {
	data, err := json.Marshal(Finding{Evidence: []Evidence{{}}})
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{
		"rule", "title", "function", "file", "line", "cpu_ratio", "alloc_bytes_ratio", "delay_ratio", "ceiling_ratio",
		"confidence", "evidence", "remedy", "fixable", "benchmarks",
	} {
		if _, ok := keys[k]; !ok {
			t.Errorf("no %q in %s", k, data)
		}
	}
	if string(keys["evidence"]) != `[{"kind":"","text":""}]` {
		t.Errorf("evidence: %s", keys["evidence"])
	}
}
