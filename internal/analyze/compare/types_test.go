package compare

import "testing"

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
		{Unit: "errors/op", Kind: Other},
		{Unit: "", Kind: Other},
	} {
		if got := MetricOf(want.Unit); got != want {
			t.Errorf("MetricOf(%q) = %+v, want %+v", want.Unit, got, want)
		}
	}
	if Old.String() != "old" || New.String() != "new" {
		t.Errorf("the sides are called %v and %v", Old, New)
	}
}
