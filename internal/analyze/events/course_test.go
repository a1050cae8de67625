package events

import (
	"testing"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
)

// rowsOf has a row each 100 ms with a number of goroutines, or a heap where a
// collection ends in each row.
func rowsOf(n int, value func(i int) int64, heap bool) []metrics.Row {
	var rows []metrics.Row
	for i := range n {
		v, cycle := value(i), int64(i)
		r := metrics.Row{TimeNs: int64(i) * 1e8, PID: 1}
		if heap {
			r.HeapLiveBytes, r.GCCycles = &v, &cycle
		} else {
			r.Goroutines = &v
		}
		rows = append(rows, r)
	}
	return rows
}

func TestGoroutineCourse(t *testing.T) {
	for _, test := range []struct {
		name          string
		rows          []metrics.Row
		known, steady bool
	}{
		{"rises for 2 s", rowsOf(20, func(i int) int64 { return int64(7 + 25*i) }, false), true, true},
		{"stays", rowsOf(20, func(int) int64 { return 70 }, false), true, false},
		{"a pool that is started once", rowsOf(20, func(i int) int64 { return int64(min(7+i*1000, 1007)) }, false), true, false},
		{"fills to its bound in half the time", rowsOf(20, func(i int) int64 { return int64(7 + 25*min(i, 10)) }, false), true, false},
		{"as many as it has connections, now and then", rowsOf(20, func(i int) int64 { return int64(64 + i%5) }, false), true, false},
		{"nine rows", rowsOf(9, func(i int) int64 { return int64(i * 100) }, false), false, false},
	} {
		c := GoroutineCourse(Input{Rows: test.rows})
		if c.Known != test.known || c.Steady != test.steady {
			t.Errorf("%s: %+v", test.name, c)
		}
	}
}

// A target that serves net/http/pprof alone may tell five times how many
// goroutines it has.
func TestGoroutineCourseOfFewRows(t *testing.T) {
	for _, test := range []struct {
		name   string
		counts []int64
		steady bool
	}{
		{"a leak", []int64{5, 25_842, 50_000, 86_083, 120_000}, true},
		{"connections of a load", []int64{5, 70, 70, 71, 70}, false},
		{"a pool that is filled by the warm-up", []int64{5, 1_000, 1_001, 1_002, 1_003}, false},
		{"three rows", []int64{5, 100, 200}, false},
	} {
		in := Input{Load: Span{2e9, 9e9}}
		for i, n := range test.counts {
			in.Rows = append(in.Rows, metrics.Row{TimeNs: int64(i)*1e9 + 1, Goroutines: &n})
		}
		if c := GoroutineCourse(in); c.Steady != test.steady {
			t.Errorf("%s: %+v", test.name, c)
		}
	}
}

func TestHeapCourse(t *testing.T) {
	cycles := func(at func(i int) (ms int, mib uint64)) []gctrace.Cycle {
		var out []gctrace.Cycle
		for i := range 5 {
			ms, mib := at(i)
			out = append(out, gctrace.Cycle{N: int64(i + 1), At: time.Duration(ms) * time.Millisecond, LiveBytes: int64(mib << 20)})
		}
		return out
	}
	rows := rowsOf(40, func(int) int64 { return 1 << 20 }, false)
	for _, test := range []struct {
		name   string
		in     Input
		steady bool
	}{
		// A heap that grows by 50 MiB a second is collected at 4, 8, ... 64 MiB.
		{"each collection finds twice as much", Input{Rows: rows, Cycles: cycles(func(i int) (int, uint64) { return 80 << i, 4 << i })}, true},
		{"the last two find the same", Input{Rows: rows, Cycles: cycles(func(i int) (int, uint64) { return 80 << i, 4 << min(i, 3) })}, false},
		{"it hardly rises any more", Input{Rows: rows, Cycles: cycles(func(i int) (int, uint64) { return 600 * i, []uint64{1, 50, 80, 81, 82}[i] })}, false},
		{"what there was after each collection rises", Input{Rows: rowsOf(20, func(i int) int64 { return int64(i) << 20 }, true)}, true},
		{"and stays", Input{Rows: rowsOf(20, func(i int) int64 { return 9 << 20 }, true)}, false},
	} {
		if c := HeapCourse(test.in); !c.Known || c.Steady != test.steady {
			t.Errorf("%s: %+v", test.name, c)
		}
	}
	// What happened after the load's end is not its.
	in := Input{Rows: rowsOf(40, func(i int) int64 { return int64(min(i, 20)) << 20 }, true), Load: Span{1e9, 2e9}}
	if c := HeapCourse(in); !c.Steady || c.Ns > 2e9 {
		t.Errorf("%+v", c)
	}
}
