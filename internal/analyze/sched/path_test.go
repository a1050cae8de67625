package sched

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"whet/internal/format/exectrace"
)

// TestPathWrittenOut: goroutine 1 creates 2 at 10 and waits at 20; 2 runs from 12, sleeps
// from 30 to 70, and wakes 1 at 80, which runs from 85 to 100.
func TestPathWrittenOut(t *testing.T) {
	a := newAnalysis(Options{Path: true})
	a.batch = &exectrace.Batch{}
	p := a.path
	add := func(ns, goroutine, actor int64, from, to exectrace.State, state State) {
		p.add(&exectrace.Event{TimeNs: ns, Goroutine: goroutine, Actor: actor, From: from, To: to}, state)
	}
	add(10, 2, 1, exectrace.Gone, exectrace.Runnable, Runnable)
	add(12, 2, -1, exectrace.Runnable, exectrace.Running, Running)
	add(20, 1, -1, exectrace.Running, exectrace.Waiting, Sync)
	add(30, 2, -1, exectrace.Running, exectrace.Waiting, Sleep)
	add(70, 2, 9, exectrace.Waiting, exectrace.Runnable, Runnable)
	add(75, 2, -1, exectrace.Runnable, exectrace.Running, Running)
	add(80, 1, 2, exectrace.Waiting, exectrace.Runnable, Runnable)
	add(85, 1, -1, exectrace.Runnable, exectrace.Running, Running)
	p.starts = map[int64]string{1: "one", 2: "two"}
	a.result.Chosen = []int64{1}
	a.findPath(100)
	want := map[string]int64{
		"one running":  10 + 15, // before 2 was created, and in the end
		"one runnable": 5,
		"two runnable": 2 + 5,
		"two running":  18 + 5,
		"two sleep":    40, // nobody ends a sleep, whoever the trace says woke it
	}
	for _, s := range a.result.Path {
		key := s.Start + " " + s.State.String()
		if s.Ns != want[key] {
			t.Errorf("%s: %d ns, want %d", key, s.Ns, want[key])
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("the path lacks %v", want)
	}
}

// TestPathOfGiver: 1 waits from 20 on for 2, which had waited for work since 5 and was
// given it at 50, by nobody that the trace names: before 20, what 1 did counts.
func TestPathOfGiver(t *testing.T) {
	a := newAnalysis(Options{Path: true})
	add := func(ns, goroutine, actor int64, from, to exectrace.State, state State) {
		a.path.add(&exectrace.Event{TimeNs: ns, Goroutine: goroutine, Actor: actor, From: from, To: to}, state)
	}
	add(5, 2, -1, exectrace.Running, exectrace.Waiting, System)
	add(20, 1, -1, exectrace.Running, exectrace.Waiting, Collector)
	add(50, 2, -1, exectrace.Waiting, exectrace.Runnable, Runnable)
	add(51, 2, -1, exectrace.Runnable, exectrace.Running, Running)
	add(60, 1, 2, exectrace.Waiting, exectrace.Runnable, Runnable)
	a.path.starts = map[int64]string{1: "one", 2: "two"}
	a.result.Chosen = []int64{1}
	a.findPath(61)
	want := map[string]int64{"one running": 20, "two system": 30, "two runnable": 1, "two running": 9, "one runnable": 1}
	for _, s := range a.result.Path {
		if key := s.Start + " " + s.State.String(); s.Ns != want[key] {
			t.Errorf("%s: %d ns, want %d", key, s.Ns, want[key])
		}
	}
	if len(a.result.Path) != len(want) {
		t.Errorf("%+v, want %v", a.result.Path, want)
	}
}

// TestPathOfPlanted: what main waits for at the lock is the sleep of the one that
// holds it.
func TestPathOfPlanted(t *testing.T) {
	r, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), Goroutines: []int64{1}, Path: true})
	if err != nil {
		t.Fatal(err)
	}
	var all, held int64
	for _, s := range r.Path {
		all += s.Ns
		if s.State == Sleep && s.Place != nil && s.Place.Function == "main.hold" && s.Start == "main.hold" {
			held += s.Ns
		}
		if s.State == Sync && s.Place != nil && s.Place.Function == "main.want" {
			t.Errorf("a wait that main.hold ends is on the path: %+v", s)
		}
	}
	if all != r.SpanNs {
		t.Errorf("steps sum to %d ns, main lives for %d", all, r.SpanNs)
	}
	if held < rounds*heldNs*9/10 {
		t.Errorf("%d ns of the path are held, want %d: %+v", held, int64(rounds*heldNs), r.Path)
	}
}

// TestTask: one of ten, with its time and goroutine, and one that is not there.
func TestTask(t *testing.T) {
	whole := analyzePlanted(t)
	slowest := &whole.Tasks[slices.IndexFunc(whole.Tasks, func(s Span) bool { return s.Type == "request" })]
	r, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), Task: slowest.SlowestID, Path: true})
	if err != nil {
		t.Fatal(err)
	}
	if k := r.Task; k == nil || k.Type != "request" || !k.Ended || k.BeginNs != slowest.SlowestAt || k.EndNs-k.BeginNs != slowest.Times.Max() || len(k.Goroutines) != 1 {
		t.Errorf("%+v, want task %d at %d", r.Task, slowest.SlowestID, slowest.SlowestAt)
	}
	if len(r.Task.Logs) != 1 || r.Task.Logs[0].Text != "it is there" || r.Task.Logs[0].Category != "stat" {
		t.Errorf("log: %+v", r.Task.Logs)
	}
	var all int64
	for _, s := range r.Path {
		all += s.Ns
	}
	if all != r.SpanNs || r.SpanNs != slowest.Times.Max() || total(&r.Goroutines.Ns) != all {
		t.Errorf("path %d ns, states %d, task %d", all, total(&r.Goroutines.Ns), slowest.Times.Max())
	}
	if _, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), Task: 1 << 40}); err == nil || !strings.Contains(err.Error(), "no task") {
		t.Errorf("a task that is not there: %v", err)
	}
}

// TestMeanwhile: no more can run than there are processors.
func TestMeanwhile(t *testing.T) {
	r := analyzePlanted(t)
	some := false
	for _, d := range r.Worst {
		var shown int64
		for _, s := range d.Ran {
			shown += s.Ns
			some = some || s.Start != "" && s.Ns > 0
		}
		if length := d.ToNs - d.FromNs; shown > d.RanNs || d.RanNs > length*int64(r.GOMAXPROCS) {
			t.Errorf("%+v, on %d processors", d, r.GOMAXPROCS)
		}
	}
	if !some {
		t.Errorf("nothing ran meanwhile: %+v", r.Worst)
	}
}
