package sched

import (
	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

func (a *analysis) procChange(e *exectrace.Event) {
	p := a.procs[e.Proc]
	if p == nil {
		// What it was before the trace it was since its beginning; a new one is idle.
		begin := a.result.FromNs
		p = &procState{Proc: Proc{Number: e.Proc}, since: begin}
		a.procs[e.Proc] = p
		if e.To == exectrace.Running && e.From == exectrace.Unknown {
			p.running = true
			a.busy(begin, 1)
			return
		}
	}
	running := e.To == exectrace.Running
	if running == p.running {
		return
	}
	a.settle(p, e.TimeNs)
	p.running = running
	if running {
		a.busy(e.TimeNs, 1)
	} else {
		a.busy(e.TimeNs, -1)
	}
}

func (a *analysis) settle(p *procState, ns int64) {
	if p.running {
		p.RunningNs += ns - p.since
		a.courses.ran(p.Number, p.since, ns)
	} else {
		p.IdleNs += ns - p.since
	}
	p.since = ns
}

// busy books for how long so many processors ran.
func (a *analysis) busy(ns int64, more int) {
	for len(a.result.BusyNs) <= a.running+1 {
		a.result.BusyNs = append(a.result.BusyNs, 0)
	}
	if ns > a.busyAt {
		a.result.BusyNs[a.running] += ns - a.busyAt
		a.busyAt = ns
	}
	a.lone(ns)
	a.running += more
}

// idle is for how long no processor ran up to now.
func (a *analysis) idle(ns int64) (idle int64) {
	if len(a.result.BusyNs) > 0 {
		idle = a.result.BusyNs[0]
	}
	if a.running == 0 && ns > a.busyAt {
		idle += ns - a.busyAt
	}
	return idle
}

// spare is for how long at least one of GOMAXPROCS processors was idle up to now.
func (a *analysis) spare(ns int64) int64 {
	full := int64(0)
	procs := a.result.GOMAXPROCS
	for k := procs; k < len(a.result.BusyNs); k++ {
		full += a.result.BusyNs[k]
	}
	if a.running >= procs && ns > a.busyAt {
		full += ns - a.busyAt
	}
	return ns - a.result.FromNs - full
}

// lone books for how long one processor ran while nothing was ready for the others.
func (a *analysis) lone(ns int64) int64 {
	if a.running == 1 && a.ready == 0 && ns > a.loneAt {
		a.loneNs += ns - a.loneAt
	}
	a.loneAt = max(ns, a.loneAt)
	return a.loneNs
}

// readied counts goroutines that are ready.
func (a *analysis) readied(ns int64, more int) {
	if more != 0 {
		a.lone(ns)
		a.ready += more
	}
}

func (a *analysis) ranged(e *exectrace.Event) {
	gc := &a.result.GC
	switch e.Range {
	case exectrace.MarkAssist:
		g := a.live[e.Goroutine]
		switch {
		case g == nil:
		case e.Kind == exectrace.RangeEnd:
			if g.assist >= 0 {
				g.settle(e.TimeNs)
				g.marked += e.TimeNs - g.assist
			}
			g.assist = -1
		case g.assist < 0:
			g.assist = e.TimeNs
			if e.Kind == exectrace.RangeActive {
				g.assist = g.began
			}
		}
	case exectrace.GC:
		switch {
		case e.Kind == exectrace.RangeBegin:
			a.mark = e.TimeNs
		case e.Kind == exectrace.RangeActive:
			if a.mark < 0 && gc.Cycles == 0 {
				a.mark = a.result.FromNs
			}
		case a.mark >= 0:
			gc.Cycles++
			gc.MarkNs += e.TimeNs - a.mark
			a.toldRange(timeline.Mark, a.mark, e.TimeNs, "")
			a.mark = -1
		}
	case exectrace.StopWorld:
		if e.Kind == exectrace.RangeBegin {
			a.stop.begin, a.stop.name = e.TimeNs, a.batch.String(e.Name)
			return
		}
		if a.stop.begin < 0 || e.Kind != exectrace.RangeEnd {
			return
		}
		p, ok := a.pauses[a.stop.name]
		if !ok {
			p = &Pause{Reason: a.stop.name}
			a.pauses[a.stop.name] = p
		}
		length := e.TimeNs - a.stop.begin
		a.toldRange(timeline.Stop, a.stop.begin, e.TimeNs, a.stop.name)
		p.Count++
		p.Ns += length
		if length > p.MostNs {
			p.MostNs, p.MostAt = length, a.stop.begin
		}
		a.stop.begin = -1
	case exectrace.Sweep:
		if e.Kind != exectrace.RangeEnd {
			a.sweep[e.Proc] = e.TimeNs
		} else if begin, ok := a.sweep[e.Proc]; ok {
			gc.SweepNs += e.TimeNs - begin
			if g := a.live[e.Actor]; g != nil {
				g.swept += e.TimeNs - begin
			}
			delete(a.sweep, e.Proc)
		}
	}
}
