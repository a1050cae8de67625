package sched

import (
	"math"
	"testing"

	"whet/internal/callstack"
)

// TestCompareWrittenOut: twice the span, and other rates.
func TestCompareWrittenOut(t *testing.T) {
	at := func(line int) *callstack.Frame { return &callstack.Frame{Function: "m.get", File: "/a.go", Line: line} }
	old := &Result{SpanNs: 1e9, GOMAXPROCS: 2, BusyNs: []int64{25e7, 75e7}, Procs: []Proc{{RunningNs: 75e7}}}
	old.Waits = []Wait{{State: Sync, Place: at(5), Count: 10, Ns: 2e9}, {State: Sync, Place: at(6), Count: 10, Ns: 1e9}}
	old.Kinds = []Kind{{Start: "m.work", Count: 4, Ns: [NumStates]int64{75e7}}}
	old.Goroutines.Ns[Sync] = 3e9
	new := &Result{SpanNs: 2e9, GOMAXPROCS: 2, BusyNs: []int64{0, 2e9}, Procs: []Proc{{RunningNs: 2e9}}}
	new.Waits = []Wait{{State: Sync, Place: at(9), Count: 4, Ns: 1e9}}
	new.Kinds = []Kind{{Start: "m.work", Count: 4, Ns: [NumStates]int64{2e9}}}
	new.Goroutines.Ns[Sync] = 1e9
	new.GC.Pauses = []Pause{{Ns: 2e7, MostNs: 15e6}}
	new.Tasks = []Span{{Type: "request", Count: 3}}
	c := Compare(old, new)
	want := map[string][2]float64{
		"span":                {1e9, 2e9},
		"processors running":  {0.75, 1},
		"no processor runs":   {0.25, 0},
		"goroutines sync":     {3, 0.5},
		"world stopped":       {0, 0.01},
		"longest pause":       {0, 15e6},
		"goroutines created":  {0, 0},
		"goroutines runnable": {0, 0},
	}
	for _, f := range c.Figures {
		if w, ok := want[f.Name]; ok {
			if f.Old != w[0] || f.New != w[1] {
				t.Errorf("%+v, want %v", f, w)
			}
			delete(want, f.Name)
		}
		if f.Name == "scheduling latency p99" && !math.IsNaN(f.Old) {
			t.Errorf("%+v of a trace without one", f)
		}
	}
	if len(want) > 0 {
		t.Errorf("no figures %v", want)
	}
	// 3 s of waits in 1 s, 20 times, at two lines of one function; 1 s in 2 s, 4 times.
	if want := (Pair{"m.get", Sync, 3, 0.5, 20, 2}); len(c.Waits) != 1 || c.Waits[0] != want {
		t.Errorf("%+v, want %+v", c.Waits, want)
	}
	if want := (Pair{"m.work", Running, 0.75, 1, 4, 2}); len(c.Kinds) != 1 || c.Kinds[0] != want {
		t.Errorf("%+v, want %+v", c.Kinds, want)
	}
	if len(c.Tasks) != 1 || c.Tasks[0].Old != nil || c.Tasks[0].New.Count != 3 {
		t.Errorf("%+v", c.Tasks)
	}
}

// TestCompareWithItself: nothing differs.
func TestCompareWithItself(t *testing.T) {
	r := analyzePlanted(t)
	c := Compare(r, r)
	for _, f := range c.Figures {
		if f.Old != f.New && !math.IsNaN(f.Old) {
			t.Errorf("%+v", f)
		}
	}
	for _, p := range append(c.Kinds, c.Waits...) {
		if p.Old != p.New || p.OldPerSecond != p.NewPerSecond {
			t.Errorf("%+v", p)
		}
	}
}
