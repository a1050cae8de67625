package trace

import (
	"fmt"

	"whet/internal/analyze/sched"
	"whet/internal/quantity"
)

// Shares from which on a conclusion is drawn.
const (
	idleShare  = 0.2  // of the span, no processor runs
	waitShare  = 0.05 // of the span times processors, a wait on a lock or channel
	readyShare = 0.1  // of the time running, ready without a processor
	markShare  = 0.25 // of the span, the collector marks
	stopShare  = 0.01 // of the span, the world stands still
	// Of 10 ms, what the collector leaves; while it marks it takes a quarter, and more
	// where goroutines have to help.
	mutatorShare = 0.4
	spinShare    = 0.9 // of the span, one goroutine runs
)

// Conclusions are what may be said of a trace, in words; what is said last where
// nothing is, is that no more is known.
func Conclusions(r *sched.Result) []string {
	var out []string
	if len(r.Path) > 0 {
		out = append(out, longest(r))
	}
	span := float64(max(r.SpanNs, 1))
	idle := int64(0)
	if len(r.BusyNs) > 0 {
		idle = r.BusyNs[0]
	}
	if len(r.Chosen) == 0 && float64(idle) >= idleShare*span {
		out = append(out, idling(r, idle))
	}
	locks := 0
	for i := range r.Waits {
		w := &r.Waits[i]
		held := w.State == sched.Sync || w.State == sched.Channel
		if held && w.Forever > 0 && w.Count == 0 && w.Forever >= 10 {
			out = append(out, fmt.Sprintf("%d goroutines that began in the trace wait at %s for %s and none was ever woken: they may be leaked.", w.Forever, place(w.Place), waitingFor(w.State)))
		}
		if w.State == sched.Sync && w.Count >= 2 && locks < 2 && float64(w.Ns) >= waitShare*span*float64(max(r.GOMAXPROCS, 1)) {
			locks++
			out = append(out, fmt.Sprintf("Goroutines waited %d times for a lock or another of sync at %s, %s in all and up to %s%s.", w.Count, place(w.Place), ns(w.Ns), ns(w.LongestNs), ended(r, w)))
		}
	}
	running, ready := r.Goroutines.Ns[sched.Running], r.Goroutines.Ns[sched.Runnable]
	if float64(ready) >= readyShare*float64(running) && r.Latency.Quantile(0.99) >= 1e6 {
		out = append(out, fmt.Sprintf("Goroutines that were ready waited %s for a processor, beside %s running: one in a hundred for %s and longer.", ns(ready), ns(running), ns(r.Latency.Quantile(0.99))))
	}
	var stop, most int64
	for _, p := range r.GC.Pauses {
		stop, most = stop+p.Ns, max(most, p.MostNs)
	}
	if float64(r.GC.MarkNs) >= markShare*span {
		out = append(out, fmt.Sprintf("The collector marks for %s of the span, in %s; goroutines help it for %s.", share(r.GC.MarkNs, r.SpanNs), quantity.Plural(r.GC.Cycles, "cycle"), ns(r.GC.AssistNs)))
	}
	if float64(stop) >= stopShare*span {
		out = append(out, fmt.Sprintf("The world stands still for %s of the span, up to %s at a time.", share(stop, r.SpanNs), ns(most)))
	}
	for _, u := range r.MMU {
		if u.WindowNs == 10e6 && u.Ratio < mutatorShare {
			out = append(out, fmt.Sprintf("Of the 10 ms from %s on the collector leaves the program %s of the processors.", ns(u.Worst[0].AtNs), quantity.Percent(u.Ratio)))
		}
	}
	for _, k := range r.Kinds {
		if k.Count == 1 && float64(k.Ns[sched.Running]) >= spinShare*span {
			out = append(out, fmt.Sprintf("The goroutine started by %s runs for %s of the span and hardly waits.", started(&k), share(k.Ns[sched.Running], r.SpanNs)))
		}
	}
	if len(out) == 0 {
		return []string{"None of the measures by which whet concludes is exceeded here; the tables hold what there is."}
	}
	return out
}

// idling says what is waited for while no processor runs.
func idling(r *sched.Result, idle int64) string {
	text := fmt.Sprintf("No processor runs for %s of the span", share(idle, r.SpanNs))
	var first *sched.Wait
	for i := range r.Waits {
		if w := &r.Waits[i]; first == nil || better(w, first) {
			first = w
		}
	}
	if first == nil || first.IdleNs*2 < idle {
		return text + ": there is nothing to do, or what is waited for lies outside of the program."
	}
	return text + fmt.Sprintf(", while on average %s at %s for %s%s.", average(float64(first.IdleNs)/float64(idle)), place(first.Place), waitingFor(first.State), ended(r, first))
}

// better is what explains an idle processor sooner: a wait of goroutines for each
// other before one for the world.
func better(x, y *sched.Wait) bool {
	if lock := x.State == sched.Sync; lock != (y.State == sched.Sync) && min(x.IdleNs, y.IdleNs) > 0 {
		return lock
	}
	return x.IdleNs > y.IdleNs
}

func average(n float64) string {
	if n < 1.05 {
		return "1 goroutine waits"
	}
	return fmt.Sprintf("%.3g goroutines wait", n)
}

func waitingFor(s sched.State) string {
	switch s {
	case sched.Sync:
		return "a lock or another of sync"
	case sched.Channel:
		return "a channel"
	case sched.Select:
		return "channels"
	case sched.Network:
		return "the network"
	case sched.Sleep:
		return "time to pass"
	case sched.Collector:
		return "the collector"
	}
	return "a reason that the trace does not name"
}

// endedBy is what ends most of a wait, nil where it is unknown.
func endedBy(r *sched.Result, w *sched.Wait) *sched.Edge {
	for i := range r.Edges {
		if e := &r.Edges[i]; e.Waiter != nil && w.Place != nil && *e.Waiter == *w.Place {
			return e
		}
	}
	return nil
}

// ended names that place.
func ended(r *sched.Result, w *sched.Wait) string {
	if e := endedBy(r, w); e != nil && e.Waker != nil {
		return ", which " + place(e.Waker) + " ends"
	}
	return ""
}

// longest says what a critical path went to for the most part.
func longest(r *sched.Result) string {
	var all int64
	for _, s := range r.Path {
		all += s.Ns
	}
	s := r.Path[0]
	whose := "the goroutine"
	if r.Task != nil {
		whose = fmt.Sprintf("task %d", r.Task.ID)
	}
	return fmt.Sprintf("%s of the critical path of %s, which takes %s: %s%s, in goroutines started by %s.", share(s.Ns, all), whose, ns(all), s.State, upTo(&s), name(s.Start))
}

// upTo names the place of a step.
func upTo(s *sched.Step) string {
	switch {
	case s.Place == nil:
		return ""
	case s.State == sched.Running:
		return ", up to " + place(s.Place)
	}
	return " at " + place(s.Place)
}
