package sched

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// waited books a wait up to now.
func (a *analysis) waited(g *goroutine, ns, length int64) *Wait {
	var w *Wait
	if g.state == Other && !g.known {
		w = &g.unnamed // perhaps the runtime's own
	} else {
		w = a.wait(g.blockedFor(), g.waitStack)
	}
	if length > g.longest.ns {
		g.longest = lastingWait{length, g.blockedFor(), g.waitStack}
	}
	w.Ns += length
	w.IdleNs += min(a.idle(ns)-g.idleAt, length)
	if length > w.LongestNs || w.LongestID == 0 {
		w.LongestNs, w.LongestAt, w.LongestID = length, ns-length, g.id
	}
	return w
}

// ended books a wait, or a system call, that ends now. For what part of it no processor ran
// since the end before it, it is what the program waited for. The runtime's own goroutines
// wake meanwhile, and end nothing.
func (a *analysis) ended(g *goroutine, ns, length int64) {
	w := a.waited(g, ns, length)
	w.Count++
	if idle := a.idle(ns); idle > a.idleEnd && w.State != System && !g.ofRuntime {
		w.EndsIdleNs += min(idle-a.idleEnd, idle-g.idleAt, length)
		a.idleEnd = idle
	}
}

// lastingWait is the longest wait of a goroutine.
type lastingWait struct {
	ns    int64
	state State
	stack exectrace.StackID
}

func (a *analysis) wait(state State, stack exectrace.StackID) *Wait {
	at := &a.at[state]
	if int(stack) >= len(*at) {
		*at = append(*at, make([]*Wait, int(stack)+1-len(*at))...)
	}
	if (*at)[stack] == nil {
		(*at)[stack] = &Wait{State: state}
	}
	return (*at)[stack]
}

func (w *Wait) add(o *Wait) {
	w.Count += o.Count
	w.Waiting += o.Waiting
	w.Forever += o.Forever
	w.Ns += o.Ns
	w.IdleNs += o.IdleNs
	w.EndsIdleNs += o.EndsIdleNs
	w.SpareNs = max(w.SpareNs, o.SpareNs)
	w.RanNs += o.RanNs
	if o.LongestNs > w.LongestNs || w.LongestID == 0 {
		w.LongestNs, w.LongestAt, w.LongestID = o.LongestNs, o.LongestAt, o.LongestID
	}
}

// stackWait is the waits at one stack.
type stackWait struct {
	stack exectrace.StackID
	*Wait
}

// EachWait calls f for the waits at each stack, leaf first, that is known; none are
// System or system calls.
func (r *Result) EachWait(f func(w *Wait, stack []*callstack.Frame)) {
	for _, w := range r.stacks {
		if s := r.names[w.stack]; s != nil && w.State != Syscall {
			f(w.Wait, s.Frames)
		}
	}
}

// lie follows a wait that begins.
func (a *analysis) lie(g *goroutine, ns int64) {
	if g.aside || g.ofRuntime || g.waitStack == 0 {
		return
	}
	g.bed = a.wait(g.blockedFor(), g.waitStack)
	if g.bed.now++; g.bed.now == 1 {
		g.bed.spareAt = a.spare(ns)
	}
}

// rise takes in that it ends.
func (a *analysis) rise(g *goroutine, ns int64) {
	g.bed.RanNs += g.ns[Running] - g.ranAt
	g.ranAt = g.ns[Running]
	if g.bed.now--; g.bed.now == 0 {
		g.bed.SpareNs += a.spare(ns) - g.bed.spareAt
	}
	g.bed = nil
}

// placeWaits adds up waits of stacks that are at the same place.
func (a *analysis) placeWaits() {
	type place struct {
		state State
		at    callstack.Frame
		by    string
	}
	all := make(map[place]*Wait)
	for state, stacks := range a.at {
		for stack, w := range stacks {
			if w == nil || w.State == System {
				continue
			}
			a.keep(exectrace.StackID(stack))
			a.result.stacks = append(a.result.stacks, stackWait{exectrace.StackID(stack), w})
			k := place{state: State(state)}
			s := a.batch.Stack(exectrace.StackID(stack))
			at := placeOf(s)
			if at != nil {
				k.at = *at
			}
			if k.state == Sync {
				k.by = waitsBy(s)
			}
			sum := all[k]
			if sum == nil {
				sum = &Wait{State: k.state, Place: at, By: k.by}
				all[k] = sum
			}
			sum.add(w)
		}
	}
	for _, w := range all {
		a.result.Waits = append(a.result.Waits, *w)
	}
	slices.SortFunc(a.result.Waits, func(x, y Wait) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), cmp.Compare(x.State, y.State), compareFrames(x.Place, y.Place), strings.Compare(x.By, y.By))
	})
}

// waitsShare is from which part of the span on, summed over goroutines, a place of
// waiting is a hot one.
const waitsShare = 0.05

// HotPlaces returns the places in the code where goroutines wait for each other or for the
// world for 5 % of the span and more, by the time in which meanwhile no processor
// ran, then by delay. Sleeping is left out, and the runtime's wait for signals.
func (r *Result) HotPlaces() (out []*Wait) {
	for i := range r.Waits {
		w := &r.Waits[i]
		if w.Place != nil && w.State != Sleep && w.State != Other && w.Place.Function != "os/signal.loop" && float64(w.Ns) >= waitsShare*float64(r.SpanNs) {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(x, y *Wait) int { return cmp.Or(cmp.Compare(y.IdleNs, x.IdleNs), cmp.Compare(y.Ns, x.Ns)) })
	return out
}
