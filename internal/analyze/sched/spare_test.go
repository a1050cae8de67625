package sched

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

// span is a part of time.
type span struct{ from, to int64 }

// joined are spans without overlap, in order.
func joined(spans []span) (out []span) {
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.from <= out[last].to {
			out[last].to = max(out[last].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// TestSpareByHand adds up anew, from intervals and the processors' own events, for how
// long somebody waited at each stack while a processor was idle, and what had run
// before.
func TestSpareByHand(t *testing.T) {
	type place struct {
		state State
		stack exectrace.StackID
	}
	waits, ran := make(map[place][]span), make(map[place]int64)
	before := make(map[int64]int64) // run since the last wait, by goroutine
	r, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), Observe: func(i *timeline.Interval) {
		if i.Kind != timeline.Goroutine {
			return
		}
		switch s := State(i.State); {
		case s == Running:
			before[i.Goroutine] += i.ToNs - i.FromNs
		case s > Syscall && s != System && i.Stack != 0:
			p := place{s, exectrace.StackID(i.Stack)}
			waits[p] = append(waits[p], span{i.FromNs, i.ToNs})
			ran[p] += before[i.Goroutine]
			before[i.Goroutine] = 0
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		ns   int64
		more int
	}
	var steps []step
	running := make(map[int32]bool)
	known := int64(0) // until when a processor is known afterwards only
	_, err = exectrace.Read(bytes.NewReader(plantedTrace(t)), exectrace.DefaultLimits(), func(b *exectrace.Batch) error {
		for i := range b.Events {
			e := &b.Events[i]
			if e.Kind == exectrace.Procs {
				known = e.TimeNs
			}
			if e.Kind != exectrace.ProcChange {
				continue
			}
			at := e.TimeNs
			if _, seen := running[e.Proc]; !seen && e.From == exectrace.Unknown {
				at, known = 0, e.TimeNs
			}
			if on := e.To == exectrace.Running; on != running[e.Proc] {
				more := -1
				if on {
					more = 1
				}
				steps = append(steps, step{at, more})
			}
			running[e.Proc] = e.To == exectrace.Running
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(steps, func(x, y step) int { return cmp.Compare(x.ns, y.ns) })
	var spare []span
	n, from := 0, int64(0)
	for _, s := range append(steps, step{r.EndNs, 0}) {
		if n < r.GOMAXPROCS && s.ns > from {
			spare = append(spare, span{from, s.ns})
		}
		n, from = n+s.more, s.ns
	}
	spare = joined(spare)
	compared := 0
	for _, w := range r.stacks {
		p := place{w.State, w.stack}
		if len(waits[p]) == 0 || w.State == Sleep || w.State == Collector { // the runtime's own are not followed
			continue
		}
		var want int64
		for _, at := range joined(waits[p]) {
			for _, s := range spare {
				want += max(min(at.to, s.to)-max(at.from, s.from), 0)
			}
		}
		if d := w.SpareNs - want; max(d, -d) > known {
			t.Errorf("%v at %v: %d ns with an idle processor, by hand %d", w.State, placeOf(r.names[w.stack]), w.SpareNs, want)
		}
		if w.Waiting == 0 && w.RanNs != ran[p] {
			t.Errorf("%v at %v: %d ns run before, by hand %d", w.State, placeOf(r.names[w.stack]), w.RanNs, ran[p])
		}
		compared++
	}
	if compared < 3 {
		t.Errorf("%d stacks compared", compared)
	}
}
