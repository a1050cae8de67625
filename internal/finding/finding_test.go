package finding

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
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

// A place with 571 of 861 samples of the base and all of its bytes, while the
// collector takes 122 in the background: (571+122)/(861+122) = 693/983 go, and
// 983/(983−693) = 983/290 = 3.39 remain of it. The ceiling of the place's own
// samples, 861/290 = 2.97, was beaten.
func TestCeilingWithGC(t *testing.T) {
	for _, c := range []struct{ cpu, alloc, base, gc, want float64 }{
		{571.0 / 861, 1, 861, 122, 983.0 / 290},
		{571.0 / 861, 1, 861, 0, 861.0 / 290},
		{0, 0.5, 300, 100, 8.0 / 7}, // 50 of 400 go
		{0.5, 0, 100, 900, 2},       // the collector's work is another place's: not below the share's own ceiling
		{1, 1, 300, 100, MaxCeiling},
		{0, 0, 0, 0, 1},
		{0, 1, 0, 100, MaxCeiling},
	} {
		if got := CeilingWithGC(c.cpu, c.alloc, c.base, c.gc); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := CeilingWithGC(571.0/861, 1, 861, 122); math.Abs(got-3.39) > 0.005 {
		t.Errorf("%v, not 3.39", got)
	}
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

// The order is by worth, then by weight, then place, then rule, whatever it was
// before.
func TestSort(t *testing.T) {
	want := []Finding{
		// What is of low confidence counts half: it leads where it is worth more
		// than twice as much, and not otherwise.
		{Rule: "l", File: "z.go", Line: 1, WorthRatio: 0.7, Confidence: Low},
		{Rule: "h", File: "z.go", Line: 2, WorthRatio: 0.32, Confidence: High},
		{Rule: "m", File: "z.go", Line: 3, WorthRatio: 0.31, Confidence: Medium},
		{Rule: "l", File: "z.go", Line: 4, WorthRatio: 0.6, Confidence: Low},
		{Rule: "w", File: "z.go", Line: 9, AllocBytesRatio: 0.1, WorthRatio: 0.2},
		{Rule: "w", File: "z.go", Line: 7, AllocBytesRatio: 1, WorthRatio: 0.01},
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

// What is unknown is null, what was measured and is zero is 0, and both come
// back as they were.
func TestUnknownIsNull(t *testing.T) {
	keys := map[string]func(Unknown) bool{
		"cpu_ratio": cpuUnknown, "avoidable_cpu_ratio": cpuUnknown, "ceiling_ratio": cpuUnknown, "ceiling_with_gc_ratio": cpuUnknown,
		"alloc_bytes_ratio":           func(u Unknown) bool { return u.AllocBytes },
		"avoidable_alloc_bytes_ratio": func(u Unknown) bool { return u.AllocBytes },
		"delay_ratio":                 func(u Unknown) bool { return u.Delay },
	}
	for bits := range 8 {
		f := Finding{Rule: "a<b", Line: 7, CPUSamples: 101, Benchmarks: []string{"B"}, Unknown: Unknown{bits&1 != 0, bits&2 != 0, bits&4 != 0}}
		if !f.Unknown.CPU {
			f.CPURatio, f.CeilingRatio, f.CeilingWithGCRatio, f.AvoidableCPURatio = 0.5, 2, 2.5, 0.25
		}
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for key, unknown := range keys {
			if v, ok := got[key]; !ok || (v == nil) != unknown(f.Unknown) {
				t.Errorf("%+v: %s is %v", f.Unknown, key, v)
			}
		}
		var back Finding
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, f) {
			t.Errorf("%+v came back as %+v (%v)", f, back, err)
		}
	}
}

func cpuUnknown(u Unknown) bool { return u.CPU }

// Of 250 samples 50 and 42 fall on two places: 0.200 and 0.168 differ by 0.032,
// and their standard error is √((0.368 − 0.001)/250) = 0.038. The next recording
// may have them the other way round, so that the first by file and line stands
// first, or the one with a finding. Of 25,000 samples the error is 0.0038.
func TestAlikePlaces(t *testing.T) {
	rule := "x"
	place := func(line int, worth float64, n int64) HotPlace {
		return HotPlace{File: "a.go", Line: line, WorthRatio: worth, CPURatio: &worth, CPUSamples: n}
	}
	first := func(ps ...HotPlace) int { SortHotPlaces(ps); return ps[0].Line }
	if got := first(place(9, 0.2, 250), place(3, 0.168, 250)); got != 3 {
		t.Errorf("alike: line %d is first", got)
	}
	if got := first(place(9, 0.168, 250), place(3, 0.2, 250)); got != 3 {
		t.Errorf("alike, the other way round: line %d is first", got)
	}
	if got := first(place(9, 0.2, 25_000), place(3, 0.168, 25_000)); got != 9 {
		t.Errorf("enough samples: line %d is first", got)
	}
	if got := first(place(9, 0.2, 20), place(3, 0.1, 20)); got != 9 {
		t.Errorf("half of it, of few samples: line %d is first", got)
	}
	known := place(9, 0.168, 250)
	known.Finding = &rule
	if got := first(place(3, 0.2, 250), known); got != 9 {
		t.Errorf("with a finding: line %d is first", got)
	}
	cpu, waited := 0.01, place(9, 0.2, 250)
	waited.CPURatio = &cpu
	if got := first(waited, place(3, 0.19, 250)); got != 9 {
		t.Errorf("worth by waiting: line %d is first", got)
	}
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
		"rule", "title", "function", "file", "line", "cpu_ratio", "alloc_bytes_ratio", "delay_ratio", "ceiling_ratio", "ceiling_with_gc_ratio",
		"avoidable_cpu_ratio", "avoidable_alloc_bytes_ratio", "cpu_samples", "cpu_samples_needed",
		"worth_ratio", "confidence", "evidence", "remedy", "fixable", "benchmarks",
	} {
		if _, ok := keys[k]; !ok {
			t.Errorf("no %q in %s", k, data)
		}
	}
	leak, err := json.Marshal(Finding{Leak: &Leak{}})
	if err != nil || string(keys["worth_ratio"]) != "0" || !bytes.Contains(leak, []byte(`"worth_ratio":null`)) {
		t.Errorf("worth: %s, and of a leak %s", keys["worth_ratio"], leak)
	}
	if string(keys["evidence"]) != `[{"kind":"","text":""}]` {
		t.Errorf("evidence: %s", keys["evidence"])
	}
}

// Leaks stand before what is slow: goroutines, then memory, the most first.
func TestLeaksFirst(t *testing.T) {
	fs := []Finding{
		{Rule: "slow", CPURatio: 0.99},
		{Rule: "heap", Leak: &Leak{Kind: LeakBytes, Count: 1 << 30}},
		{Rule: "few", Leak: &Leak{Kind: LeakGoroutines, Count: 20}},
		{Rule: "many", Leak: &Leak{Kind: LeakGoroutines, Count: 500}},
	}
	Sort(fs)
	for i, want := range []string{"many", "few", "heap", "slow"} {
		if fs[i].Rule != want {
			t.Errorf("%d is %s, want %s", i, fs[i].Rule, want)
		}
	}
}
