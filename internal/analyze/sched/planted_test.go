package sched

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// waitAt finds what waits at a function.
func waitAt(r *Result, state State, function string) *Wait {
	for i := range r.Waits {
		if w := &r.Waits[i]; w.State == state && w.Place != nil && w.Place.Function == function {
			return w
		}
	}
	return nil
}

func in(f *callstack.Frame, function string) bool { return f != nil && f.Function == function }

// TestPlantedHandOff: 20 items, each a millisecond after the one before, and the end.
func TestPlantedHandOff(t *testing.T) {
	r := analyzePlanted(t)
	w := waitAt(r, Channel, "main.consume")
	// A consumer that comes late, as on a busy machine, finds an item, and does not wait.
	if w == nil || w.Place.Line != 36 || w.Count < 5 || w.Count > 21 || w.Ns < w.Count*1e5 {
		t.Fatalf("the consumer: %+v", w)
	}
	i := slices.IndexFunc(r.Edges, func(e Edge) bool { return in(e.Waiter, "main.consume") && in(e.Waker, "main.produce") })
	if i < 0 || r.Edges[i].Count < 5 || r.Edges[i].DelayNs < r.Edges[i].Count*1e5 {
		t.Errorf("the producer does not end it: %+v", r.Edges)
	}
	if w.By != "" {
		t.Errorf("a channel is waited for by %s", w.By)
	}
	if w := waitAt(r, Sync, "main.want"); w == nil || w.By != "sync.(*Mutex).Lock" {
		t.Errorf("the lock: %+v", w)
	}
	if w := waitAt(r, Sync, "main.main"); w != nil && w.By != "sync.(*WaitGroup).Wait" {
		t.Errorf("the end of all: %+v", w)
	}
}

// TestPlantedSpin looks at the time of the task that waits for the spinning goroutine.
func TestPlantedSpin(t *testing.T) {
	r := analyzePlanted(t)
	i := slices.IndexFunc(r.Tasks, func(s Span) bool { return s.Type == "spin" })
	if i < 0 {
		t.Fatalf("tasks: %+v", r.Tasks)
	}
	began := r.Tasks[i].SlowestAt
	in, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), FromNs: began, ToNs: began + r.Tasks[i].Ns})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range in.Kinds {
		if k.Start != "main.spin" {
			continue
		}
		// It runs or is ready for 30 ms, the runtime's preemption excepted.
		if life := k.Ns[Running] + k.Ns[Runnable]; k.Count != 1 || k.Ns[Running] < 1e6 || life < 29e6 {
			t.Errorf("%+v", k)
		}
		return
	}
	t.Errorf("no goroutine of main.spin among %+v", in.Kinds)
}

// TestPlantedLeak: 12 goroutines wait at one line and are never woken.
func TestPlantedLeak(t *testing.T) {
	w := waitAt(analyzePlanted(t), Channel, "main.leak")
	if w == nil || w.Place.Line != 47 || w.Forever != 12 || w.Waiting != 12 || w.Count != 0 {
		t.Errorf("%+v", w)
	}
}

// TestPlantedIdle: what ends the idle time is what the program slept for.
func TestPlantedIdle(t *testing.T) {
	r := analyzePlanted(t)
	var all, sleeps int64
	for _, w := range r.Waits {
		all += w.EndsIdleNs
		if w.State == Sleep {
			sleeps += w.EndsIdleNs
		}
		if w.EndsIdleNs > w.Ns || w.EndsIdleNs < 0 {
			t.Errorf("%d ns ended of %d waited at %v", w.EndsIdleNs, w.Ns, w.Place)
		}
	}
	if all > r.BusyNs[0] || sleeps < all/2 {
		t.Errorf("%d ns of %d idle end with something, %d of them with a sleep", all, r.BusyNs[0], sleeps)
	}
	// 20 times 5 ms under the lock, while nothing else had work.
	if w := waitAt(r, Sleep, "main.hold"); w == nil || w.EndsIdleNs < rounds*heldNs/2 {
		t.Errorf("the holder's sleep: %+v", w)
	}
	if r.ReadyIdleNs > r.Goroutines.Ns[Runnable] || r.ReadyIdleNs < 0 {
		t.Errorf("%d ns of %d ready with an idle processor", r.ReadyIdleNs, r.Goroutines.Ns[Runnable])
	}
}

// TestAlone reckons anew, event by event, for how long the goroutines of each start
// function ran while no other processor did and nothing was ready.
func TestAlone(t *testing.T) {
	r := analyzePlanted(t)
	runs, ready, procs := make(map[int64]int64), make(map[int64]bool), make(map[int32]bool)
	var lone, idle, last, known int64
	_, err := exectrace.Read(bytes.NewReader(plantedTrace(t)), exectrace.DefaultLimits(), func(b *exectrace.Batch) error {
		for i := range b.Events {
			e := &b.Events[i]
			if len(procs) == 1 && len(ready) == 0 {
				for id := range runs {
					runs[id] += e.TimeNs - last
				}
				if len(runs) > 0 {
					lone += e.TimeNs - last
				}
			}
			if len(procs) < r.GOMAXPROCS {
				idle += int64(len(ready)) * (e.TimeNs - last)
			}
			last = e.TimeNs
			if e.Kind == exectrace.Procs || e.From == exectrace.Unknown && (e.To == exectrace.Running || e.To == exectrace.Runnable) {
				known = e.TimeNs
			}
			switch {
			case e.Kind == exectrace.ProcChange && e.To == exectrace.Running:
				procs[e.Proc] = true
			case e.Kind == exectrace.ProcChange:
				delete(procs, e.Proc)
			case e.Kind != exectrace.Change:
				continue
			}
			if e.Kind == exectrace.Change {
				delete(runs, e.Goroutine)
				delete(ready, e.Goroutine)
				switch e.To {
				case exectrace.Running:
					runs[e.Goroutine] = 0
				case exectrace.Runnable:
					ready[e.Goroutine] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got int64
	for _, k := range r.Kinds {
		if k.AloneNs > k.Ns[Running] {
			t.Errorf("%s: %d ns alone of %d", k.Start, k.AloneNs, k.Ns[Running])
		}
		got += k.AloneNs
	}
	// What is before the first event of a goroutine or processor that runs or is ready is
	// known afterwards only.
	known *= int64(r.Goroutines.Before + 1)
	if d := got - lone; lone == 0 || max(d, -d) > lone/50+1e5+known {
		t.Errorf("goroutines ran alone for %d ns, event by event %d", got, lone)
	}
	if d := r.ReadyIdleNs - idle; max(d, -d) > idle/50+1e5+known {
		t.Errorf("ready beside an idle processor for %d ns, event by event %d", r.ReadyIdleNs, idle)
	}
}

// TestShown tells waits by their stacks where the reason does not.
func TestShown(t *testing.T) {
	for _, test := range []struct {
		reason State
		stack  string
		want   State
		by     string
	}{
		{Sync, "runtime.gcStart runtime.mallocgc runtime.newobject m.f", Collector, ""},
		{Sync, "runtime.gcMarkDone runtime.gcAssistAlloc runtime.mallocgc m.f", Collector, ""},
		{Sync, "sync.(*Mutex).Lock m.f", Sync, "sync.(*Mutex).Lock"},
		{Sync, "sync.(*Mutex).Lock sync.(*Once).doSlow sync.(*Once).Do m.f sync.(*Pool).Get", Sync, "sync.(*Once).Do"},
		{Other, "runtime.gopark runtime.selectgo m.f", Select, ""},
		{Other, "runtime.gopark runtime.chanrecv runtime.chanrecv2 m.f", Channel, ""},
		{Other, "runtime.gopark runtime.netpollblock internal/poll.runtime_pollWait internal/poll.(*FD).Read net.(*netFD).Read m.f", Network, ""},
		{Other, "runtime.gopark runtime.goparkunlock runtime.semacquire1 sync.runtime_SemacquireMutex internal/sync.(*Mutex).lockSlow sync.(*Mutex).Lock m.f", Sync, "sync.(*Mutex).Lock"},
		{Other, "runtime.gopark time.Sleep m.f", Sleep, ""},
		{Other, "runtime.gopark runtime.goparkunlock runtime.semacquire1 runtime.gcMarkDone m.f", Collector, ""},
		{Other, "runtime.gopark m.f runtime.selectgo", Other, ""},
	} {
		s := &exectrace.Stack{}
		for _, name := range strings.Fields(test.stack) {
			s.Frames = append(s.Frames, &callstack.Frame{Function: name})
		}
		if got := waitIn(test.reason, s); got != test.want {
			t.Errorf("%s, %s: %s, want %s", test.reason, test.stack, got, test.want)
		}
		if by := waitsBy(s); by != test.by {
			t.Errorf("%s: by %q, want %q", test.stack, by, test.by)
		}
	}
}
