package sched

import (
	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

// told hands the state of a goroutine to who observes: from its beginning to now,
// and who ended it, where e says.
func (a *analysis) told(g *goroutine, ns int64, e *exectrace.Event) {
	if a.observe == nil || !a.begun {
		return
	}
	from := g.since
	if g.state == Running {
		from = max(g.ranFrom, a.result.FromNs) // regions settle in between
	}
	i := &a.seen
	*i = timeline.Interval{Goroutine: g.id, Start: g.start, FromNs: from, ToNs: ns, State: uint8(g.blockedFor()), Proc: -1, Waker: -1, Stack: uint32(g.waitStack)}
	switch {
	case g.state == Running:
		i.Proc = g.on
		if e != nil {
			i.Stack = uint32(e.Stack) // where it was in the end
		}
	case e != nil && e.From == exectrace.Waiting:
		i.Waker, i.WakerStack = e.Actor, uint32(e.ActorStack)
		a.keep(e.ActorStack)
	}
	a.keep(exectrace.StackID(i.Stack))
	a.observe(i)
}

// toldRange hands over what the collector did up to now.
func (a *analysis) toldRange(kind timeline.Kind, from, to int64, reason string) {
	if a.observe != nil && a.begun {
		a.seen = timeline.Interval{Kind: kind, FromNs: from, ToNs: to, Reason: reason, Goroutine: -1, Waker: -1, Proc: -1}
		a.observe(&a.seen)
	}
}

func (a *analysis) moment(kind timeline.Kind, e *exectrace.Event) {
	if a.observe != nil && a.begun {
		a.seen = timeline.Interval{Kind: kind, FromNs: e.TimeNs, ToNs: e.TimeNs, Value: int64(min(e.Value, 1<<62)), Goroutine: -1, Waker: -1, Proc: -1}
		a.observe(&a.seen)
	}
}

// PlaceOf returns the frame at which an interval's stack waits, nil for stack 0.
func (r *Result) PlaceOf(stack uint32) *callstack.Frame {
	if int(stack) >= len(r.names) {
		return nil
	}
	return placeOf(r.names[stack])
}

// keep notes a stack that the result shows.
func (a *analysis) keep(id exectrace.StackID) {
	names := &a.result.names
	if int(id) >= len(*names) {
		*names = append(*names, make([]*exectrace.Stack, int(id)+1-len(*names))...)
	}
	if (*names)[id] == nil {
		(*names)[id] = a.batch.Stack(id)
	}
}
