package main

import (
	"testing"

	"whet/internal/analyze/compare"
)

func TestPrintFigure(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{61.5, compare.NsPerOp, "61.5 ns"}, {999.7, compare.NsPerOp, "1.00 µs"}, {5403, compare.NsPerOp, "5.40 µs"}, {2.5e6, compare.NsPerOp, "2.50 ms"}, {12.34e9, compare.CPUNs, "12.3 s"}, {123.4e9, compare.WallNs, "123 s"},
		{45, compare.BytesPerOp, "45 B"}, {1024, compare.BytesPerOp, "1 KiB"}, {5 << 20, compare.PeakBytes, "5 MiB"}, {42849.4, compare.RequestsPerSecond, "42,849/s"}, {25, compare.AllocsPerOp, "25"}, {0, compare.AllocsPerOp, "0"},
	} {
		if got := printFigure(c.x, c.unit); got != c.want {
			t.Errorf("%v %s is printed %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

// What is wanted for itself ends nothing, and is otherwise judged as ever.
func TestWanted(t *testing.T) {
	for unit, more := range map[string]bool{compare.NsPerOp: false, compare.AllocsPerOp: false, compare.RequestsPerSecond: true} {
		if m := metricWanted(unit); m.Gates || m.More != more || m.Unit != unit {
			t.Errorf("%+v", m)
		}
	}
}
