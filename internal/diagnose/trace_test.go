package diagnose

import (
	"math"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// TestHandOff writes the arithmetic out: 100 samples of the base, 20 of them in
// operations at the place, and 60 of the scheduler; 3,000 of 4,000 waits in a trace
// whose processors ran for 100 ms.
func TestHandOff(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	frame := func(function string, line int) callstack.Frame {
		return callstack.Frame{Function: function, File: "/src/main.go", Line: line}
	}
	root := frame("main.main", 3)
	b.AddFrames([]callstack.Frame{frame("runtime.chansend", 1), frame("runtime.chansend1", 1), frame("main.send", 12), root}, nil, 20, 200e6)
	b.AddFrames([]callstack.Frame{frame("runtime.chansend", 1), frame("main.other", 40), root}, nil, 5, 50e6)
	b.AddFrames([]callstack.Frame{frame("main.send", 12), root}, nil, 75, 750e6)
	b.AddFrames([]callstack.Frame{frame("runtime.findRunnable", 1), frame("runtime.schedule", 1), frame("runtime.park_m", 1), frame("runtime.mcall", 1)}, nil, 60, 600e6)
	place := callstack.Frame{Function: "main.send", File: "/src/main.go", Line: 12}
	s := &Subject{Kind: "program", Loops: &hot.Loops{}, CPU: hot.ClassifyProgram(b.Frames()), CPUColumn: 1, Trace: &Trace{
		SpanNs: 50e6, ProcNs: 100e6, Parks: 4000, Processors: 2,
		Waits: []TraceWait{
			{State: "channel", Stack: []callstack.Frame{frame("runtime.chansend1", 1), place, root}, Count: 2000, Ns: 7, RanNs: 2000 * 500, SpareNs: 5},
			{State: "channel", Stack: []callstack.Frame{frame("runtime.chansend1", 1), place, frame("main.caller", 50), root}, Count: 1000, Ns: 3, RanNs: 1000 * 200, SpareNs: 9},
			{State: "select", Stack: []callstack.Frame{frame("runtime.selectgo", 1), frame("net/http.(*persistConn).roundTrip", 1), place, root}, Count: 900},
		},
	}}
	waits := s.OwnWaits()
	if len(waits) != 1 || waits[0].Count != 3000 || waits[0].Ns != 10 || waits[0].SpareNs != 9 || waits[0].Place.Line != 12 {
		t.Fatalf("%+v", waits)
	}
	// The interval of 20 of 100 samples begins at 0.1334 (Wilson 1927: with z = 1.96,
	// (0.2 + z²/200 − z·√(0.2·0.8/100 + z²/40000)) / (1 + z²/100)).
	h := s.HandOff(waits)
	if h.PerSecond != 60_000 || h.RanNs != 400 || math.Abs(h.Operate-0.1334*100/160) > 1e-4 {
		t.Errorf("%+v", h)
	}
	// Of the scheduler's 60/160 three quarters are these waits'; they can take no more
	// than 3,000 · 4 µs = 12 ms of 100 ms.
	if want := min(60.0/160*3/4, 0.12); math.Abs(h.Schedule-want) > 1e-9 {
		t.Errorf("scheduler %v, want %v", h.Schedule, want)
	}
	s.Trace.ProcNs = 8e6 // so many waits in so little time are what the scheduler does
	if h := s.HandOff(waits); math.Abs(h.Schedule-60.0/160*3/4) > 1e-9 {
		t.Errorf("scheduler %v, want %v", h.Schedule, 60.0/160*3/4)
	}
	// In a profile of 3.2 s with 1.6 s of CPU time half a processor ran, and two in the
	// trace: of its 100 ms 25 ms were CPU time, and 12 ms are 0.48 of that.
	s.Trace.ProcNs, s.CPU.Duration = 100e6, 3.2e9
	if h := s.HandOff(waits); math.Abs(h.Schedule-min(60.0/160*3/4, 0.48)) > 1e-9 {
		t.Errorf("scheduler %v", h.Schedule)
	}
	s.Trace.Parks = 1500 // all of the scheduler's work, twice: the bound holds
	if h := s.HandOff(waits); math.Abs(h.Schedule-0.48) > 1e-9 {
		t.Errorf("scheduler %v, want 0.48", h.Schedule)
	}
	if h := s.HandOff(nil); h.Share() != 0 {
		t.Errorf("of no place %v", h.Share())
	}
}
