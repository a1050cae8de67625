package rounds

import "testing"

func TestPrintFigure(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{61.5, NsPerOp, "61.5 ns"}, {999.7, NsPerOp, "1.00 µs"}, {5403, NsPerOp, "5.40 µs"}, {2.5e6, NsPerOp, "2.50 ms"}, {12.34e9, CPUNs, "12.3 s"}, {123.4e9, WallNs, "123 s"},
		{45, BytesPerOp, "45 B"}, {1024, BytesPerOp, "1 KiB"}, {5 << 20, PeakBytes, "5 MiB"}, {42849.4, RequestsPerSecond, "42,849/s"}, {25, AllocsPerOp, "25"}, {0, AllocsPerOp, "0"},
	} {
		if got := PrintFigure(c.x, c.unit); got != c.want {
			t.Errorf("%v %s is printed %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

// What is wanted for itself ends nothing, and is otherwise judged as ever.
func TestWanted(t *testing.T) {
	for unit, more := range map[string]bool{NsPerOp: false, AllocsPerOp: false, RequestsPerSecond: true} {
		if m := Wanted(unit); m.Gates || m.More != more || m.Unit != unit {
			t.Errorf("%+v", m)
		}
	}
}
