package trace

import (
	"io"

	"whet/internal/analyze/sched"
	"whet/internal/callstack"
	"whet/internal/document"
	"whet/internal/hist"
)

func (w *Window) json() document.Object {
	return document.Object{"name", w.Name, "path", w.Path, "benchmark", w.Benchmark, "start_ns", w.StartNs, "end_ns", w.EndNs, "shown", w.Shown}
}

// WriteJSON writes the document whet/trace/1.
func WriteJSON(w io.Writer, p *Page) error {
	r := p.Result
	procs := make([]document.Object, len(r.Procs))
	for i, v := range r.Procs {
		procs[i] = document.Object{"number", v.Number, "running_ns", v.RunningNs, "idle_ns", v.IdleNs, "utilization_ratios", document.Items(shares(&v, r))}
	}
	kinds := make([]document.Object, len(r.Kinds))
	for i := range r.Kinds {
		k := &r.Kinds[i]
		kinds[i] = document.Object{"start", k.Start, "count", k.Count, "states", states(&k.Ns), "assist_ns", k.AssistNs, "assist_running_ns", k.AssistRan, "alone_ns", k.AloneNs, "sweep_ns", k.SweepNs, "longest_id", k.LongestID, "longest_ns", k.LongestNs, "longest_wait", longWait(k.LongestWait)}
	}
	blocking := make([]document.Object, len(r.Waits))
	for i, v := range r.Waits {
		blocking[i] = document.Object{"state", v.State.String(), "place", at(v.Place), "by", by(&v), "count", v.Count, "waiting", v.Waiting, "delay_ns", v.Ns, "longest_ns", v.LongestNs, "longest_at_ns", v.LongestAt, "longest_id", v.LongestID, "idle_ns", v.IdleNs, "ends_idle_ns", v.EndsIdleNs}
	}
	edges := make([]document.Object, len(r.Edges))
	for i, v := range r.Edges {
		edges[i] = document.Object{"waker", at(v.Waker), "waiter", at(v.Waiter), "count", v.Count, "delay_ns", v.DelayNs}
	}
	worst := make([]document.Object, len(r.Worst))
	for i, v := range r.Worst {
		worst[i] = document.Object{"goroutine", v.Goroutine, "start", v.Start, "from_ns", v.FromNs, "to_ns", v.ToNs, "ran_ns", v.RanNs, "ran", ran(v.Ran)}
	}
	pauses := make([]document.Object, len(r.GC.Pauses))
	for i, v := range r.GC.Pauses {
		pauses[i] = document.Object{"reason", v.Reason, "count", v.Count, "time_ns", v.Ns, "longest_ns", v.MostNs, "longest_at_ns", v.MostAt}
	}
	mmu := make([]document.Object, len(r.MMU))
	for i, u := range r.MMU {
		worst := make([]document.Object, len(u.Worst))
		for i, m := range u.Worst {
			worst[i] = document.Object{"at_ns", m.AtNs, "utilization_ratio", m.Ratio}
		}
		mmu[i] = document.Object{"window_ns", u.WindowNs, "utilization_ratio", u.Ratio, "worst", worst}
	}
	g := &r.Goroutines
	return document.Write(w, document.Object{document.Begin(document.Trace, r.Warnings),
		"name", p.Name, "windows", document.Each(p.Windows, (*Window).json),
		"summary", document.Object{"go_version", r.GoVersion, "from_ns", r.FromNs, "span_ns", r.SpanNs, "events", r.Events, "conclusions", Conclusions(r),
			"goroutines_before", g.Before, "goroutines_created", g.Created, "goroutines_ended", g.Ended, "goroutines_most", g.Most, "states", states(&g.Ns),
			"gomaxprocs", r.GOMAXPROCS, "processors", procs, "step_ns", r.StepNs, "busy_ns", r.BusyNs},
		"goroutines", kinds, "blocking", blocking, "edges", edges,
		"latency", append(times(&r.Latency), "idle_ns", r.ReadyIdleNs, "histogram", histogram(&r.Latency), "worst", worst),
		"gc", document.Object{"cycles", r.GC.Cycles, "mark_ns", r.GC.MarkNs, "assist_ns", r.GC.AssistNs, "assist_running_ns", r.GC.AssistRan, "sweep_ns", r.GC.SweepNs, "pauses", pauses}, "mmu", mmu,
		"tasks", spans(r.Tasks, false), "regions", spans(r.Regions, true),
		"hot_places", hotPlaces(r), "task", task(r.Task), "critical_path", path(r.Path),
	})
}

func ran(of []sched.RunTime) []document.Object {
	out := make([]document.Object, len(of))
	for i, v := range of {
		out[i] = document.Object{"start", v.Start, "running_ns", v.Ns}
	}
	return out
}

// hotPlaces returns the places that hold goroutines up.
func hotPlaces(r *sched.Result) []document.Object {
	out := []document.Object{}
	for _, w := range r.HotPlaces() {
		var waker any
		if e := endedBy(r, w); e != nil {
			waker = at(e.Waker)
		}
		out = append(out, document.Object{"function", w.Place.Function, "file", w.Place.File, "line", w.Place.Line, "state", w.State.String(), "by", by(w), "count", w.Count, "delay_ns", w.Ns, "waiting_mean", float64(w.Ns) / float64(max(r.SpanNs, 1)), "idle_ns", w.IdleNs, "ends_idle_ns", w.EndsIdleNs, "ended_by", waker})
	}
	return out
}

// by returns how a wait for sync is called, null of others.
func by(w *sched.Wait) any {
	if w.By == "" {
		return nil
	}
	return w.By
}

// task is null unless one was asked for.
func task(t *sched.Task) any {
	if t == nil {
		return nil
	}
	logs := make([]document.Object, len(t.Logs))
	for i, l := range t.Logs {
		logs[i] = document.Object{"at_ns", l.AtNs, "goroutine", l.Goroutine, "category", l.Category, "text", l.Text}
	}
	return document.Object{"id", t.ID, "type", t.Type, "from_ns", t.BeginNs, "to_ns", t.EndNs, "ended", t.Ended, "goroutines", document.Items(t.Goroutines), "tasks", t.Tasks, "logs", logs, "logs_left_out", t.LogsLeftOut}
}

func path(of []sched.Step) []document.Object {
	out := make([]document.Object, len(of))
	for i, s := range of {
		out[i] = document.Object{"start", s.Start, "state", s.State.String(), "place", at(s.Place), "count", s.Count, "time_ns", s.Ns, "longest_ns", s.LongestNs, "longest_at_ns", s.LongestAt, "longest_id", s.LongestID}
	}
	return out
}

func states(ns *[sched.NumStates]int64) document.Object {
	var o document.Object
	for i, v := range ns {
		o = append(o, sched.State(i).String()+"_ns", v)
	}
	return o
}

// at returns a place, null where it is unknown.
func at(f *callstack.Frame) any {
	if f == nil {
		return nil
	}
	return document.Object{"function", f.Function, "file", f.File, "line", f.Line}
}

func times(h *hist.Histogram) document.Object {
	if h.Count() == 0 {
		return document.Object{"count", 0, "mean_ns", nil, "p50_ns", nil, "p90_ns", nil, "p99_ns", nil, "p999_ns", nil, "max_ns", nil}
	}
	return document.Object{"count", h.Count(), "mean_ns", h.Mean(), "p50_ns", h.Quantile(0.5), "p90_ns", h.Quantile(0.9), "p99_ns", h.Quantile(0.99), "p999_ns", h.Quantile(0.999), "max_ns", h.Max()}
}

func spans(of []sched.Span, inside bool) []document.Object {
	out := make([]document.Object, len(of))
	for i := range of {
		s := &of[i]
		out[i] = append(document.Object{"type", s.Type, "unfinished", s.Unfinished, "time_ns", s.Ns}, times(&s.Times)...)
		out[i] = append(out[i], "states", states(&s.In))
		if !inside {
			out[i] = append(out[i], "longest_id", s.SlowestID, "longest_at_ns", s.SlowestAt)
		}
		slowest := make([]document.Object, len(s.Slowest))
		for k, one := range s.Slowest {
			slowest[k] = document.Object{"task", one.Task, "goroutine", one.Goroutine, "at_ns", one.AtNs, "time_ns", one.Ns, "states", states(&one.In)}
		}
		out[i] = append(out[i], "slowest", slowest)
	}
	return out
}

// maxFrames bounds the stack of a wait in the document.
const maxFrames = 64

// longWait is null where there is none.
func longWait(w *sched.LongWait) any {
	if w == nil {
		return nil
	}
	stack := make([]any, min(len(w.Stack), maxFrames))
	for i := range stack {
		stack[i] = at(w.Stack[i])
	}
	return document.Object{"state", w.State.String(), "time_ns", w.Ns, "stack", stack}
}

// histogram has a row for each doubling.
func histogram(h *hist.Histogram) []document.Object {
	counts, from, _ := doublings(h)
	out := make([]document.Object, len(counts))
	for i, n := range counts {
		to := max(2*from, 1)
		out[i] = document.Object{"from_ns", from, "to_ns", to, "count", n}
		from = to
	}
	return out
}
