package benchmark

import (
	"bytes"
	"maps"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestBetterOf(t *testing.T) {
	for unit, want := range map[string]Better{
		"ns/op": Lower, "sec/op": Lower, "p99-ns": Lower, "ns/packet": Lower, "pause-ns/op": Lower, "µs/row": Lower, "gc-ns/s": Lower, "s": Lower, "ms": Lower,
		"B/op": Lower, "bytes/op": Lower, "allocs/op": Lower, "heap-B/op": Lower,
		"MB/s": Higher, "B/s": Higher, "lines/s": Higher, "lines/sec": Higher, "req/second": Higher, "%hit": Higher, "L2%hit": Higher, "hits%": Higher, "IPC": Higher, "packets/core/s": Higher,
		"": Unknown, "hits": Unknown, "lines": Unknown, "bytes": Unknown, "lines/op": Unknown, "ratio": Unknown, "%": Unknown, "/": Unknown, "items": Unknown, "B": Unknown, "%miss": Unknown, "columns": Unknown,
	} {
		if got := BetterOf(unit); got != want {
			t.Errorf("%s: %v, want %v", unit, got, want)
		}
	}
}

// What x/perf knows of a unit we know too.
func TestBetterAsPerf(t *testing.T) {
	var units benchfmt.UnitMetadataMap
	for _, unit := range []string{"ns/op", "sec/op", "MB/s", "B/s", "B/op", "allocs/op"} {
		if want := units.GetBetter(unit); int(BetterOf(unit)) != want {
			t.Errorf("%s: %v, want %d", unit, BetterOf(unit), want)
		}
	}
}

// Declared units are what x/perf reads from the same text, and what we write.
func TestUnits(t *testing.T) {
	const text = "Unit lines better=higher assume=exact\ngoos: linux\nUnit misses/op  better=lower\nUnit lines/op better=sideways\nUnit x\nunit y better=lower\nUnit lines better=higher\n" +
		"BenchmarkX 1 2 ns/op 3 lines 4 misses/op\nBenchmarkY-2   \tUnit once better=lower\n1\t2 ns/op 3 once\n"
	var p Parser
	p.Write([]byte(text))
	p.Flush()
	want := map[string]Better{"lines": Higher, "misses/op": Lower, "once": Lower}
	if !maps.Equal(p.Units(), want) || len(p.Lines(1)) != 2 || len(p.Settings()) != 1 {
		t.Errorf("units %v, want %v", p.Units(), want)
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	for unit, better := range want {
		w.Unit(unit, better)
	}
	w.Unit("hits", Unknown)
	r := benchfmt.NewReader(&b, "x")
	for r.Scan() {
	}
	units := r.Units()
	for unit, better := range want {
		if units.GetBetter(unit) != int(better) {
			t.Errorf("x/perf reads %d of %s", units.GetBetter(unit), unit)
		}
	}
	if units.GetBetter("hits") != 0 || w.Err() != nil {
		t.Error("a unit of which nobody knows is declared")
	}
}
