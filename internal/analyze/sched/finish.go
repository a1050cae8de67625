package sched

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

// finish books what goes on when the trace ends, and orders all.
func (a *analysis) finish(summary exectrace.Summary) {
	r := a.result
	r.Summary, r.SpanNs = summary, summary.EndNs-r.FromNs
	end := summary.EndNs
	ids := make([]int64, 0, len(a.live))
	for id := range a.live {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		g := a.live[id]
		if !g.aside && g.state >= Syscall && g.blockedFor() != System {
			w := a.waited(g, end, end-g.since)
			if g.bed != nil && g.bed.now > 0 {
				g.bed.SpareNs += a.spare(end) - g.bed.spareAt
				g.bed.now = 0
			}
			w.Waiting++
			if g.created {
				w.Forever++
			}
		}
		a.told(g, end, nil)
		g.settle(end)
		if g.state == Running {
			g.alone += min(a.lone(end)-g.aloneAt, end-g.ranFrom)
		}
		a.leave(id, g, end)
	}
	a.busy(end, 0)
	for _, p := range a.procs {
		a.settle(p, end)
		p.Course = a.courses.course(p.Number, r.SpanNs)
		r.Procs = append(r.Procs, p.Proc)
	}
	slices.SortFunc(r.Procs, func(x, y Proc) int { return cmp.Compare(x.Number, y.Number) })
	if a.mark >= 0 {
		r.GC.MarkNs += end - a.mark
		a.toldRange(timeline.Mark, a.mark, end, "")
	}
	r.StepNs = a.courses.stepNs
	for _, k := range a.kinds {
		if s := a.batch.Stack(k.wait.stack); s != nil {
			k.LongestWait = &LongWait{k.wait.state, k.wait.ns, s.Frames}
		}
		r.Kinds = append(r.Kinds, *k)
	}
	slices.SortFunc(r.Kinds, func(x, y Kind) int {
		return cmp.Or(cmp.Compare(y.TotalNs()-y.Ns[System], x.TotalNs()-x.Ns[System]), strings.Compare(x.Start, y.Start))
	})
	for _, p := range a.pauses {
		r.GC.Pauses = append(r.GC.Pauses, *p)
	}
	slices.SortFunc(r.GC.Pauses, func(x, y Pause) int { return cmp.Or(cmp.Compare(y.Ns, x.Ns), strings.Compare(x.Reason, y.Reason)) })
	a.findPath(end)
	for _, t := range a.tasks {
		spanOf(a.byTask, a.batch.String(t.name)).Unfinished++
	}
	r.Tasks, r.Regions = spans(a.byTask), spans(a.byPlace)
	a.placeEdges()
	a.placeWaits()
	mmu, warning := a.mutator.finish(end)
	if r.MMU = mmu; warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
}

func spans(of map[string]*Span) (out []Span) {
	for _, s := range of {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(x, y Span) int { return cmp.Or(cmp.Compare(y.Ns, x.Ns), strings.Compare(x.Type, y.Type)) })
	return out
}

// placeEdges adds up edges of stacks that are at the same places.
func (a *analysis) placeEdges() {
	type places struct{ waker, waiter callstack.Frame }
	at := make(map[places]int)
	for key, c := range a.edges {
		waker, waiter := placeOf(a.batch.Stack(key.waker)), placeOf(a.batch.Stack(key.waiter))
		k := places{}
		if waker != nil {
			k.waker = *waker
		}
		if waiter != nil {
			k.waiter = *waiter
		}
		i, ok := at[k]
		if !ok {
			i = len(a.result.Edges)
			at[k] = i
			a.result.Edges = append(a.result.Edges, Edge{Waker: waker, Waiter: waiter})
		}
		e := &a.result.Edges[i]
		e.Count += c.n
		e.DelayNs += c.ns
	}
	slices.SortFunc(a.result.Edges, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(y.DelayNs, x.DelayNs), compareFrames(x.Waker, y.Waker), compareFrames(x.Waiter, y.Waiter))
	})
}

func compareFrames(x, y *callstack.Frame) int {
	if x == nil || y == nil {
		return cmp.Compare(b2i(x != nil), b2i(y != nil))
	}
	return cmp.Or(strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), strings.Compare(x.Function, y.Function))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
