package sched

import (
	"cmp"
	"slices"

	"whet/internal/format/exectrace"
	"whet/internal/symbolname"
)

// goroutine is one that lives at the moment of the reading.
type goroutine struct {
	id        int64
	aside     bool  // it is not asked for
	on        int32 // the processor that it runs on
	ns        [NumStates]int64
	since     int64 // when the state began
	ranFrom   int64 // when running did
	began     int64 // when its life in the trace did
	assist    int64 // when it was made to mark; -1: it is not
	marked    int64 // for how long it was
	assisted  int64 // and ran meanwhile
	swept     int64 // for how long it swept
	longest   lastingWait
	alone     int64 // for how long it ran while no other processor did
	aloneAt   int64 // for how long one processor had been all there was to do when running began
	spareAt   int64 // for how long a processor had been idle when the state began
	start     string
	known     bool // start is
	ofRuntime bool // start is the runtime's own
	state     State
	// Where it waits, of whatever kind.
	waitStack exectrace.StackID
	bed       *Wait // of the wait at hand, by stack; nil: it is not followed
	ranAt     int64 // running, when its last wait ended
	unnamed   Wait  // before its start function was known, with no reason either
	idleAt    int64 // for how long no processor had run when the state began
	created   bool  // in the trace
	regions   []region
}

// settle books the state up to now.
func (g *goroutine) settle(ns int64) {
	g.ns[g.blockedFor()] += ns - g.since
	if g.state == Running && g.assist >= 0 {
		g.assisted += ns - max(g.since, g.assist)
	}
	g.since = ns
}

func (a *analysis) change(e *exectrace.Event) {
	if a.path != nil {
		a.path.add(e, a.state(e))
	}
	g := a.live[e.Goroutine]
	if g == nil {
		if e.To == exectrace.Gone || e.To == exectrace.Unknown {
			return
		}
		g = a.enter(e)
		a.onProc(g, e)
		return
	}
	if !g.known && e.Stack != 0 {
		a.name(g, e.Stack)
	}
	if e.From == e.To {
		if g.waitStack == 0 {
			g.waitStack = e.Stack
			if e.To == exectrace.Waiting {
				g.state = a.shown(g.state, e.Stack)
			}
		}
		return
	}
	length := e.TimeNs - g.since
	a.told(g, e.TimeNs, e)
	g.settle(e.TimeNs)
	if g.bed != nil {
		a.rise(g, e.TimeNs)
	}
	a.onProc(g, e)
	switch {
	case g.aside:
	case e.From == exectrace.Runnable && e.To == exectrace.Running:
		a.result.Latency.Record(length)
		a.result.ReadyIdleNs += min(a.spare(e.TimeNs)-g.spareAt, length)
		a.delayed(e.Goroutine, g, e.TimeNs-length, e.TimeNs)
	case e.From == exectrace.Waiting && e.To == exectrace.Runnable:
		a.ended(g, e.TimeNs, length)
		if g.blockedFor() == System {
			break
		}
		key := edgeKey{e.ActorStack, g.waitStack}
		c := a.edges[key]
		if c == nil {
			c = new(count)
			a.edges[key] = c
		}
		c.n++
		c.ns += length
	case e.From == exectrace.Syscall:
		a.ended(g, e.TimeNs, length)
	}
	was := g.state
	g.state = a.state(e)
	a.readied(e.TimeNs, b2i(g.state == Runnable)-b2i(was == Runnable))
	g.waitStack = 0
	switch e.To {
	case exectrace.Waiting, exectrace.Syscall:
		g.waitStack, g.idleAt = e.Stack, a.idle(e.TimeNs)
		if e.To == exectrace.Waiting {
			a.lie(g, e.TimeNs)
		}
	case exectrace.Runnable:
		g.spareAt = a.spare(e.TimeNs)
	case exectrace.Gone, exectrace.Unknown:
		if e.To == exectrace.Gone && !g.aside {
			a.result.Goroutines.Ended++
		}
		a.leave(e.Goroutine, g, e.TimeNs)
	}
}

// state returns what e's goroutine goes over to.
func (a *analysis) state(e *exectrace.Event) State {
	switch e.To {
	case exectrace.Running:
		return Running
	case exectrace.Runnable:
		return Runnable
	case exectrace.Syscall:
		return Syscall
	}
	return a.shown(a.reason(e.Name), e.Stack)
}

func (a *analysis) reason(id exectrace.StringID) State {
	for int(id) >= len(a.waits) {
		a.waits = append(a.waits, waitFor(a.batch.String(exectrace.StringID(len(a.waits)))))
	}
	return a.waits[id]
}

// waitFor returns the state of who waits for one of the runtime's reasons.
func waitFor(reason string) State { return byWait[exectrace.WaitFor(reason)] }

// enter takes in a goroutine at the first that the trace says of it.
func (a *analysis) enter(e *exectrace.Event) *goroutine {
	var g *goroutine
	if last := len(a.free) - 1; last >= 0 {
		g, a.free = a.free[last], a.free[:last]
		*g = goroutine{regions: g.regions[:0]}
	} else {
		g = &goroutine{}
	}
	a.live[e.Goroutine] = g
	g.id, g.assist, g.aside = e.Goroutine, -1, a.only != nil && !a.only(e.Goroutine)
	g.state = a.state(e)
	if e.From == exectrace.Gone {
		g.began, g.since, g.created = e.TimeNs, e.TimeNs, true
		if !g.aside {
			a.result.Goroutines.Created++
		}
		if s := a.batch.Stack(e.Stack); s != nil {
			g.startedBy(s.Frames[0].Function)
		}
	} else {
		// It was so since before the trace, or before the window.
		g.began, g.since = a.result.FromNs, a.result.FromNs
		if !g.aside {
			a.result.Goroutines.Before++
		}
		if e.Stack != 0 {
			a.name(g, e.Stack)
		}
	}
	switch e.To {
	case exectrace.Waiting, exectrace.Syscall:
		g.waitStack, g.idleAt = e.Stack, a.idle(g.since)
		if e.To == exectrace.Waiting {
			a.lie(g, g.since)
		}
	case exectrace.Runnable:
		g.spareAt = a.spare(g.since)
		a.readied(g.since, 1)
	}
	if !g.aside {
		a.counted++
	}
	a.result.Goroutines.Most = max(a.result.Goroutines.Most, a.counted)
	return g
}

// blockedFor returns the state of a goroutine; the runtime's own wait for work, whatever
// they wait at.
func (g *goroutine) blockedFor() State {
	if g.state > Syscall && g.state != Collector && g.ofRuntime {
		return System
	}
	return g.state
}

// startedBy notes the start function, and whether it is the runtime's own: that is
// asked with each wait.
func (g *goroutine) startedBy(name string) {
	g.start, g.known = startFunction(name), true
	g.ofRuntime = g.start != "runtime.main" && symbolname.Package(g.start) == "runtime"
}

// name takes the start function from the root of a stack of a goroutine that
// lived before the trace.
func (a *analysis) name(g *goroutine, id exectrace.StackID) {
	if s := a.batch.Stack(id); s != nil && !s.Cut() {
		g.startedBy(s.Frames[len(s.Frames)-1].Function)
	}
}

func startFunction(name string) string {
	if outer, kind := symbolname.Cut(name); kind == symbolname.GoCall {
		name = outer
	}
	return name
}

func (a *analysis) delayed(id int64, g *goroutine, from, to int64) {
	w := &a.result.Worst
	if len(*w) == worst && to-from <= (*w)[worst-1].ToNs-(*w)[worst-1].FromNs {
		return
	}
	d := Delay{Goroutine: id, Start: g.start, FromNs: from, ToNs: to}
	d.Ran, d.RanNs = a.meanwhile(from, to)
	i, _ := slices.BinarySearchFunc(*w, d, func(x, y Delay) int { return cmp.Compare(y.ToNs-y.FromNs, x.ToNs-x.FromNs) })
	*w = slices.Insert(*w, i, d)
	*w = (*w)[:min(len(*w), worst)]
}

// leave books a goroutine that ends, or that the trace's end finds.
func (a *analysis) leave(id int64, g *goroutine, ns int64) {
	if a.path != nil {
		a.path.starts[id] = g.start
	}
	delete(a.live, id)
	a.free = append(a.free, g)
	if g.aside {
		return
	}
	a.counted--
	if g.assist >= 0 {
		g.marked += ns - g.assist
	}
	if g.ofRuntime {
		g.ns[System] += g.ns[Other]
		g.ns[Other] = 0
	} else if g.unnamed.Ns > 0 {
		a.wait(Other, 0).add(&g.unnamed)
	}
	k, ok := a.kinds[g.start]
	if !ok {
		k = &Kind{Start: g.start}
		a.kinds[g.start] = k
	}
	k.Count++
	k.AssistNs += g.marked
	k.AssistRan += g.assisted
	k.AloneNs += g.alone
	k.SweepNs += g.swept
	if life := ns - g.began; life > k.LongestNs || k.Count == 1 {
		k.LongestID, k.LongestNs, k.wait = id, life, g.longest
	}
	for i, v := range g.ns {
		k.Ns[i] += v
		a.result.Goroutines.Ns[i] += v
	}
	a.result.GC.AssistNs += g.marked
	a.result.GC.AssistRan += g.assisted
	for _, r := range g.regions {
		spanOf(a.byPlace, a.batch.String(r.name)).Unfinished++
	}
}
