package main

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/exp/trace"
)

// read is what a reading by x/exp/trace finds: by itself, from the library's own events.
type read struct {
	before, created, ended, most int64
	span                         int64
	states                       map[string]int64 // of goroutines, as whet calls them
	processors                   int64            // running, all of them
	latency                      int64            // from ready to running, how often
	cycles, mark                 int64
	stops, stopped               int64
}

// reasons are the waits by the runtime's words, as whet calls them. What is not here is "other".
var reasons = map[string]string{
	"network": "network", "sync": "sync", "sync.(*Cond).Wait": "sync", "chan send": "channel", "chan receive": "channel",
	"select": "select", "sleep": "sleep", "system goroutine wait": "system", "GC background sweeper wait": "system",
	"GC mark assist wait for work": "collector", "wait until GC ends": "collector", "GC weak to strong wait": "collector",
}

type life struct {
	state string
	since trace.Time
	ns    map[string]int64
	root  string
	known bool // a stack of the wait is
}

func (g *life) settle(now trace.Time) {
	g.ns[g.state] += int64(now.Sub(g.since))
	g.since = now
}

// stacks are the waits whose reason is missing, or a semaphore's, by what begins a line of
// the stack up to where it leaves the runtime.
var stacks = []struct{ of, state string }{
	{"runtime.gcStart", "collector"}, {"runtime.gcMarkDone", "collector"}, {"runtime.gcAssistAlloc", "collector"}, {"runtime.gcParkAssist", "collector"}, {"runtime.GC", "collector"},
	{"time.Sleep", "sleep"}, {"runtime.selectgo", "select"}, {"runtime.block", "select"}, {"runtime.netpollblock", "network"}, {"runtime.chan", "channel"}, {"sync.", "sync"}, {"internal/", "sync"},
}

func stateOf(s trace.GoState, reason string, stack trace.Stack) string {
	state := named(s, reason)
	if state != "sync" && state != "other" || s != trace.GoWaiting {
		return state
	}
	for f := range stack.Frames() {
		for _, known := range stacks {
			if exact := f.Func == known.of; exact || strings.HasPrefix(f.Func, known.of) && strings.ContainsAny(known.of[len(known.of)-1:], "./n") {
				if state == "other" || known.state == "collector" || known.state == "sync" {
					return known.state
				}
			}
		}
		if !strings.HasPrefix(f.Func, "runtime.") {
			break
		}
	}
	return state
}

func named(s trace.GoState, reason string) string {
	switch s {
	case trace.GoRunning:
		return "running"
	case trace.GoRunnable:
		return "runnable"
	case trace.GoSyscall:
		return "syscall"
	}
	if known, ok := reasons[reason]; ok {
		return known
	}
	return "other"
}

func reference(src io.Reader) (*read, error) {
	reader, err := trace.NewReader(src)
	if err != nil {
		return nil, err
	}
	r := &read{states: make(map[string]int64)}
	goroutines, procs := make(map[trace.GoID]*life), make(map[trace.ProcID]*life)
	var begin, now, marking, stopping trace.Time
	marks, stops, first := false, false, true
	done := func(g *life) {
		// The runtime's own goroutines wait for work, whatever they wait at.
		system := strings.HasPrefix(g.root, "runtime.") && g.root != "runtime.main"
		for state, ns := range g.ns {
			switch state {
			case "running", "runnable", "syscall", "collector":
			default:
				if system {
					state = "system"
				}
			}
			r.states[state] += ns
		}
	}
	for {
		e, err := reader.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		now = e.Time()
		if first {
			begin, first = now, false
		}
		switch e.Kind() {
		case trace.EventStateTransition:
			st := e.StateTransition()
			switch st.Resource.Kind {
			case trace.ResourceGoroutine:
				from, to := st.Goroutine()
				id := st.Resource.Goroutine()
				g := goroutines[id]
				if g == nil {
					if to == trace.GoNotExist || to == trace.GoUndetermined {
						continue
					}
					g = &life{since: begin, ns: make(map[string]int64)}
					if from == trace.GoNotExist {
						g.since = now
						r.created++
					} else {
						r.before++
					}
					goroutines[id] = g
					r.most = max(r.most, int64(len(goroutines)))
				} else if from != to {
					g.settle(now)
					if from == trace.GoRunnable && to == trace.GoRunning {
						r.latency++
					}
				}
				if root := rootOf(st.Stack); root != "" && g.root == "" {
					g.root = root
				}
				first := g.state == ""
				if hasStack := rootOf(st.Stack) != ""; from != to || first || !g.known && hasStack {
					if from == to && !first && g.state != "other" && g.state != "sync" {
						continue
					}
					reason := st.Reason
					if from == to && !first && g.state == "sync" {
						reason = "sync"
					}
					g.state, g.known = stateOf(to, reason, st.Stack), hasStack
				}
				if to == trace.GoNotExist {
					r.ended++
					done(g)
					delete(goroutines, id)
				}
			case trace.ResourceProc:
				from, to := st.Proc()
				p := procs[st.Resource.Proc()]
				if p == nil {
					p = &life{since: begin, state: "idle", ns: make(map[string]int64)}
					procs[st.Resource.Proc()] = p
					if from == trace.ProcUndetermined && to == trace.ProcRunning {
						p.state = "running"
					}
				}
				p.settle(now)
				if p.state = "idle"; to == trace.ProcRunning {
					p.state = "running"
				}
			}
		case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
			name, ends := e.Range().Name, e.Kind() == trace.EventRangeEnd
			switch {
			case strings.Contains(name, "concurrent mark phase"):
				if !ends && !marks {
					marks, marking = true, now
					if e.Kind() == trace.EventRangeActive {
						marking = begin
					}
				} else if ends && marks {
					marks = false
					r.cycles++
					r.mark += int64(now.Sub(marking))
				}
			case strings.HasPrefix(name, "stop-the-world"):
				if e.Kind() == trace.EventRangeBegin {
					stops, stopping = true, now
				} else if ends && stops {
					stops = false
					r.stops++
					r.stopped += int64(now.Sub(stopping))
				}
			}
		}
	}
	for _, g := range goroutines {
		g.settle(now)
		done(g)
	}
	for _, p := range procs {
		p.settle(now)
		r.processors += p.ns["running"]
	}
	if marks {
		r.mark += int64(now.Sub(marking))
	}
	r.span = int64(now.Sub(begin))
	return r, nil
}

// rootOf returns the outermost function of a stack.
func rootOf(s trace.Stack) (name string) {
	for f := range s.Frames() {
		name = f.Func
	}
	return name
}

// beside sets both readings side by side.
func beside(d *document, r *read) []Figure {
	var running, stops, stopped int64
	for _, p := range d.Summary.Processors {
		running += p.RunningNs
	}
	for _, p := range d.GC.Pauses {
		stops, stopped = stops+p.Count, stopped+p.TimeNs
	}
	out := []Figure{
		{"span", d.Summary.SpanNs, r.span, 1},
		{"goroutines before", d.Summary.Before, r.before, 0}, {"created", d.Summary.Created, r.created, 0}, {"ended", d.Summary.Ended, r.ended, 0}, {"most", d.Summary.Most, r.most, 0},
		{"waits for a processor", d.Latency.Count, r.latency, 0},
		{"processors running", running, r.processors, int64(len(d.Summary.Processors))},
		{"cycles", d.GC.Cycles, r.cycles, 0}, {"marking", d.GC.MarkNs, r.mark, 1}, {"stops of the world", stops, r.stops, 0}, {"stopped", stopped, r.stopped, 1},
	}
	for _, state := range []string{"running", "runnable", "syscall", "network", "sync", "channel", "select", "sleep", "collector", "system", "other"} {
		out = append(out, Figure{state, d.Summary.States[state+"_ns"], r.states[state], d.slack()})
	}
	return out
}
