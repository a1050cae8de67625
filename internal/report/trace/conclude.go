package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/sched"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/symbolname"
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
	spellShare   = 0.8 // of 100 ms, the same: less than this, or it is one pause
	spinShare    = 0.9 // of the span, one goroutine runs
	aloneShare   = 0.2 // of the span, goroutines of one kind keep one processor busy, and the others have nothing to do
	starvedShare = 0.1 // of the time ready, a processor was idle
	endShare     = 0.2 // of the time that no processor ran, to be named as what it was waited for
)

// Conclusions returns the statements a trace supports, in words; the last one where
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
		held := w.State == sched.Sync && w.By != condWait || w.State == sched.Channel
		if held && w.Forever > 0 && w.Count == 0 && w.Forever >= 10 {
			out = append(out, fmt.Sprintf("%s goroutines that began in the trace wait at %s for %s and were never woken: they may be leaked.", count(w.Forever), place(w.Place), waitingFor(w)))
		}
		if isLock(w) && w.Count >= 2 && locks < 2 && float64(w.Ns) >= waitShare*span*float64(max(r.GOMAXPROCS, 1)) {
			locks++
			out = append(out, fmt.Sprintf("Goroutines waited %s times for %s at %s, %s in all and up to %s%s.", count(w.Count), waitingFor(w), place(w.Place), ns(w.Ns), ns(w.LongestNs), ended(r, w)))
		}
	}
	running, ready := r.Goroutines.Ns[sched.Running], r.Goroutines.Ns[sched.Runnable]
	if float64(ready) >= readyShare*float64(running) && r.Latency.Quantile(0.99) >= 1e6 {
		text := fmt.Sprintf("Ready goroutines waited %s for a processor, compared with %s running: one in a hundred waited %s or longer", ns(ready), ns(running), ns(r.Latency.Quantile(0.99)))
		if float64(r.ReadyIdleNs) >= starvedShare*float64(ready) {
			text += fmt.Sprintf("; for %s of it a processor was idle, so the operating system did not run the program's threads: other programs used its cores, or a control group limited its time", share(r.ReadyIdleNs, ready))
		}
		out = append(out, text+".")
	}
	out = append(out, serial(r)...)
	var stop, most int64
	for _, p := range r.GC.Pauses {
		stop, most = stop+p.Ns, max(most, p.MostNs)
	}
	spell := 0.0
	if float64(r.GC.MarkNs) >= markShare*span {
		out = append(out, fmt.Sprintf("The garbage collector marks for %s of the span, in %s; goroutines assist it for %s.", share(r.GC.MarkNs, r.SpanNs), quantity.Plural(r.GC.Cycles, "cycle"), ns(r.GC.AssistRan)))
	}
	if v := r.Goroutines.Ns[sched.Collector]; float64(v) >= waitShare*span*float64(max(r.GOMAXPROCS, 1)) {
		out = append(out, fmt.Sprintf("Allocating goroutines waited %s for the garbage collector: to start or end marking, or for assist work.", ns(v)))
	}
	if float64(stop) >= stopShare*span {
		out = append(out, fmt.Sprintf("The world is stopped for %s of the span, up to %s at a time, most of it for %s.", share(stop, r.SpanNs), ns(most), printable.Line(r.GC.Pauses[0].Reason)))
	}
	for _, u := range r.MMU {
		if u.WindowNs == 100e6 {
			spell = u.Ratio
		}
	}
	for _, u := range r.MMU {
		if u.WindowNs == 10e6 && u.Ratio < mutatorShare && spell < spellShare {
			out = append(out, fmt.Sprintf("In the 10 ms from %s on, the garbage collector and stops of the world leave the program %s of the processors.", ns(u.Worst[0].AtNs), quantity.Percent(u.Ratio)))
		}
	}
	for _, k := range r.Kinds {
		if k.Count == 1 && !ofRuntime(&k) && float64(k.Ns[sched.Running]) >= spinShare*span {
			out = append(out, fmt.Sprintf("The goroutine started by %s runs for %s of the span and hardly waits.", started(&k), share(k.Ns[sched.Running], r.SpanNs)))
		}
	}
	if len(out) == 0 {
		return []string{"No conclusion: no threshold is exceeded; see the tables."}
	}
	return out
}

// serial says that a part of the program runs on one processor while the others are idle.
// It does not where none runs for long, either: one request at a time is all there is to do
// then, and more processors would have no more.
func serial(r *sched.Result) []string {
	if r.GOMAXPROCS < 2 || len(r.Chosen) > 0 {
		return nil
	}
	var most *sched.Kind
	for i := range r.Kinds {
		if k := &r.Kinds[i]; !ofRuntime(k) && (most == nil || k.AloneNs > most.AloneNs) {
			most = k
		}
	}
	if most == nil || float64(most.AloneNs) < aloneShare*float64(max(r.SpanNs, 1)) || len(r.BusyNs) > 0 && 2*r.BusyNs[0] > most.AloneNs {
		return nil
	}
	return []string{fmt.Sprintf("For %s of the span only %s runs, on one of %d processors: that part is sequential.", share(most.AloneNs, r.SpanNs), several(most), r.GOMAXPROCS)}
}

// several names the goroutines of a kind.
func several(k *sched.Kind) string {
	if k.Count == 1 {
		return "the goroutine started by " + started(k)
	}
	return "one goroutine started by " + started(k) + " at a time"
}

func ofRuntime(k *sched.Kind) bool {
	return k.Start != "runtime.main" && symbolname.Package(k.Start) == "runtime"
}

// idling says what is waited for while no processor runs: a lock that goroutines stand
// at, and what ends the idle time, by the kind of wait.
func idling(r *sched.Result, idle int64) string {
	text := fmt.Sprintf("No processor runs for %s of the span", share(idle, r.SpanNs))
	var lock *sched.Wait
	var ends [sched.NumStates]idleEndedWaits
	for i := range r.Waits {
		w := &r.Waits[i]
		if isLock(w) && w.IdleNs*2 >= idle && (lock == nil || w.IdleNs > lock.IdleNs) {
			lock = w
		}
		if e := &ends[w.State]; w.EndsIdleNs > 0 {
			if e.ns += w.EndsIdleNs; e.most == nil || w.EndsIdleNs > e.most.EndsIdleNs {
				e.most = w
			}
		}
	}
	if lock != nil {
		text += fmt.Sprintf(", while on average %s at %s for %s%s", average(float64(lock.IdleNs)/float64(idle)), place(lock.Place), waitingFor(lock), ended(r, lock))
	}
	slices.SortStableFunc(ends[:], func(x, y idleEndedWaits) int { return cmp.Compare(y.ns, x.ns) })
	shown := 0
	for _, e := range ends[:3] {
		if float64(e.ns) < endShare*float64(idle) {
			break
		}
		text += []string{"; it goes on after ", ", ", ", "}[shown] + e.text(idle)
		shown++
	}
	if shown == 0 && lock == nil {
		return text + ": there is no work, or the program waits for something outside it."
	}
	return text + "."
}

// idleEndedWaits sums the waits of one state that ended while no processor ran.
type idleEndedWaits struct {
	ns   int64
	most *sched.Wait
}

func (e *idleEndedWaits) text(idle int64) string {
	if e.most.EndsIdleNs*5 >= e.ns*4 {
		return fmt.Sprintf("%s at %s (%s of the idle time)", goesOn(e.most), place(e.most.Place), share(e.ns, idle))
	}
	return fmt.Sprintf("%s (%s of the idle time, the most at %s)", goesOn(e.most), share(e.ns, idle), place(e.most.Place))
}

// goesOn returns what happened when a wait ended.
func goesOn(w *sched.Wait) string {
	switch w.State {
	case sched.Syscall:
		return "a system call"
	case sched.Sleep:
		return "a sleep"
	case sched.Network:
		return "waiting for the network"
	case sched.Other, sched.System:
		return "a wait for an unknown reason"
	}
	return "waiting for " + waitingFor(w)
}

func average(n float64) string {
	if n < 1.05 {
		return "1 goroutine waits"
	}
	return fmt.Sprintf("%.3g goroutines wait", n)
}

// condWait is where workers wait for work; it is no lock.
const condWait = "sync.(*Cond).Wait"

// isLock reports whether a wait is for another goroutine to leave a lock, and not for it to
// be done, or for work.
func isLock(w *sched.Wait) bool {
	if w.State != sched.Sync {
		return false
	}
	switch w.By {
	case "sync.(*Mutex).Lock", "sync.(*RWMutex).Lock", "sync.(*RWMutex).RLock", "sync.(*Once).Do":
		return true
	}
	return strings.HasPrefix(w.By, "sync.(*Map).") || strings.HasPrefix(w.By, "sync.Once")
}

func waitingFor(w *sched.Wait) string {
	switch w.State {
	case sched.Sync:
		switch {
		case isLock(w):
			return "a lock (" + name(w.By) + ")"
		case w.By != "":
			return name(w.By)
		}
		return "another goroutine"
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
	case sched.Syscall:
		return "a system call"
	}
	return "a reason not named in the trace"
}

// endedBy returns what ends most of a wait, nil where it is unknown.
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
