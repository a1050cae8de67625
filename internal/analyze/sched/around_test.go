package sched

import (
	"bytes"
	"strings"
	"testing"

	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

// TestWalkWrittenOut: 1 waits for a lock from 10 to 110, of which 2 lets go; 2 had waited
// for it from 5 to 108, until 3 let go, which slept with it from 0 to 107. So of 100 ns,
// 97 went to 3's sleep, 1 to its letting go, and 2 to what 2 did with the lock.
func TestWalkWrittenOut(t *testing.T) {
	l := &looking{a: &Surroundings{Goroutine: 1, FromNs: 0, ToNs: 120}, of: make(map[int64][]timeline.Interval)}
	add := func(id, from, to int64, state State, waker int64) {
		l.see(&timeline.Interval{Goroutine: id, FromNs: from, ToNs: to, State: uint8(state), Waker: waker, Start: string(rune('a' + id - 1))})
	}
	add(3, 0, 107, Sleep, 9) // the runtime says who woke it, and nobody did
	add(3, 107, 115, Running, -1)
	add(2, 0, 5, Running, -1)
	add(2, 5, 108, Sync, 3)
	add(2, 108, 120, Running, -1)
	add(1, 0, 10, Running, -1)
	add(1, 10, 110, Sync, 2)
	add(1, 110, 113, Runnable, -1)
	add(1, 113, 120, Running, -1)
	l.walk(1, 0, 120, 0)
	got := make(map[string]int64)
	var sum int64
	for _, s := range l.steps {
		got[s.Start+" "+State(s.State).String()] += s.to - s.from
		sum += s.to - s.from
	}
	want := map[string]int64{"a running": 10 + 7, "a runnable": 3, "b running": 2, "c sleep": 97, "c running": 1}
	for key, ns := range want {
		if got[key] != ns {
			t.Errorf("%s: %d ns, want %d", key, got[key], ns)
		}
	}
	if sum != 120 || len(got) != len(want) {
		t.Errorf("%v sum to %d, want 120", got, sum)
	}
	r := &Result{}
	l.cause(r)
	if c := l.a.Cause; c == nil || c.Goroutine != 3 || c.State != Sleep || c.Ns != 97 || c.Waited != Sync {
		t.Errorf("the cause is %+v", c)
	}
	l.a.Goroutine, l.a.FromNs, l.a.ToNs = 3, 0, 115
	l.heldUp(r)
	if h := l.a.HeldUp; h == nil || h.Count != 2 || h.State != Sync {
		t.Errorf("held up: %+v", h)
	}
}

// TestWalkInCircles: goroutines of a damaged trace that wake each other end somewhere.
func TestWalkInCircles(t *testing.T) {
	l := &looking{a: &Surroundings{Goroutine: 1, ToNs: 100}, of: make(map[int64][]timeline.Interval)}
	for id := range int64(2) {
		l.see(&timeline.Interval{Goroutine: id, ToNs: 100, State: uint8(Sync), Waker: 1 - id})
	}
	l.walk(1, 0, 100, 0)
	if len(l.steps) != 1 || l.steps[0].to != 100 {
		t.Errorf("%d steps", len(l.steps))
	}
}

// TestAroundPlanted: main waits 5 ms for a lock that another goroutine sleeps with.
func TestAroundPlanted(t *testing.T) {
	data := plantedTrace(t)
	o := Options{Limits: exectrace.DefaultLimits()}
	whole, err := Analyze(bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	var wait *Wait
	for i := range whole.Waits {
		if w := &whole.Waits[i]; w.Place != nil && w.Place.Function == "main.want" {
			wait = w
		}
	}
	if wait == nil {
		t.Fatal("nobody waits in main.want")
	}
	from, to := wait.LongestAt-1000, wait.LongestAt+wait.LongestNs+1000
	a, err := LookAround(bytes.NewReader(data), o.Limits, wait.LongestID, from, to)
	if err != nil {
		t.Fatal(err)
	}
	var states, path int64
	for _, ns := range a.Ns {
		states += ns
	}
	for _, s := range a.Path {
		path += s.Ns
	}
	if states != to-from || path != to-from {
		t.Errorf("states sum to %d, the path to %d, and the while is %d ns", states, path, to-from)
	}
	// The processors, as the analysis of the window has them.
	o.FromNs, o.ToNs = from, to
	window, err := Analyze(bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.OwnNs+a.RanNs, window.Goroutines.Ns[Running]; got != want {
		t.Errorf("goroutines ran for %d ns, by the window's table %d", got, want)
	}
	if got := a.OwnNs + a.RanNs + a.IdleNs; got != int64(a.Procs)*(to-from) {
		t.Errorf("the processors' time is %d ns, want %d times %d", got, a.Procs, to-from)
	}
	if len(a.Waits) == 0 || a.Waits[0].State != Sync || a.Waits[0].By != "sync.(*Mutex).Lock" || a.Waits[0].Place.Line != 25 || a.Waits[0].Release == nil || a.Waits[0].Release.Line != 34 {
		t.Errorf("waits %+v", a.Waits)
	}
	c := a.Cause
	if c == nil || c.State != Sleep || c.Place == nil || c.Place.Line != 33 || c.Ns < 4e6 || c.Release == nil || c.Release.Line != 34 || c.Waited != Sync || c.WaitedBy != "sync.(*Mutex).Lock" || !strings.HasSuffix(c.Start, "main.hold") {
		t.Fatalf("the cause is %+v", c)
	}
	// The other side of it.
	h, err := LookAround(bytes.NewReader(data), o.Limits, c.Goroutine, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if h.HeldUp == nil || h.HeldUp.Count != 1 || h.HeldUp.By != "sync.(*Mutex).Lock" || h.HeldUp.Place.Line != 25 || h.HeldUp.Release.Line != 34 {
		t.Errorf("held up: %+v", h.HeldUp)
	}
	if h.Cause != nil && h.Cause.Ns > 1e6 {
		t.Errorf("who sleeps waits for nobody: %+v", h.Cause)
	}
}
