package compare

import (
	"testing"

	"whet/internal/format/benchmark"
)

func TestMetricOf(t *testing.T) {
	for _, want := range []Metric{
		{Unit: "ns/op", Kind: Time, Gates: true},
		{Unit: "cpu-ns/op", Kind: Time},
		{Unit: "B/op", Kind: Count},
		{Unit: "allocs/op", Kind: Count, Gates: true},
		{Unit: "MB/s", Kind: Other, More: true},
		{Unit: "wall-ns", Kind: Time, Gates: true},
		{Unit: "peak-bytes", Kind: Other},
		{Unit: "p99-ns", Kind: Time, Gates: true},
		{Unit: "requests/s", Kind: Other, More: true},
		{Unit: "frames/s", Kind: Other, More: true}, // a benchmark's own
		{Unit: "wait-ns/op", Kind: Other},
		{Unit: "errors/op", Kind: Other, Neutral: true},
		{Unit: "", Kind: Other, Neutral: true},
	} {
		if got := MetricOf(want.Unit); got != want {
			t.Errorf("MetricOf(%q) = %+v, want %+v", want.Unit, got, want)
		}
	}
	for _, c := range []struct {
		unit     string
		declared benchmark.Better
		want     benchmark.Better
	}{
		{"hits", benchmark.Unknown, benchmark.Unknown}, {"hits", benchmark.Higher, benchmark.Higher}, {"errors/s", benchmark.Lower, benchmark.Lower},
		{"ns/op", benchmark.Higher, benchmark.Lower}, {"MB/s", benchmark.Lower, benchmark.Higher}, // our own
	} {
		if got := MetricOf(c.unit).Declared(c.declared).Better(); got != c.want {
			t.Errorf("%s declared %v: %v, want %v", c.unit, c.declared, got, c.want)
		}
	}
	if Old.String() != "old" || New.String() != "new" {
		t.Errorf("the sides are called %v and %v", Old, New)
	}
}
