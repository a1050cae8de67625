package sched

import (
	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// Blocked returns a blocking profile: contentions and delay by the stack where they
// began, as go tool trace -pprof writes it.
func (r *Result) Blocked(b Blocking) *callstack.Frames {
	return r.profile(len(r.blocks[b]), func(id int) []int64 {
		if c := r.blocks[b][id]; c.n > 0 {
			return []int64{c.n, c.ns}
		}
		return nil
	}, callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"})
}

// Samples returns the samples of the CPU profiler, where it was on during the trace,
// by stack. How much time one stands for the trace does not say: 10 ms, unless the
// program chose another rate.
func (r *Result) Samples() *callstack.Frames {
	return r.profile(len(r.samples), func(id int) []int64 {
		if n := r.samples[id]; n > 0 {
			return []int64{n}
		}
		return nil
	}, callstack.ValueType{Type: "samples", Unit: "count"})
}

// profile makes one of the values that stacks have, nil for none.
func (r *Result) profile(stacks int, values func(id int) []int64, types ...callstack.ValueType) *callstack.Frames {
	builder := callstack.NewBuilder(types...)
	p := builder.Profile()
	p.PeriodType, p.Period, p.Duration, p.TimeNanos = callstack.ValueType{Type: "trace", Unit: "count"}, 1, r.SpanNs, r.WallNs
	var frames []callstack.Frame
	for id := range stacks {
		v := values(id)
		if v == nil {
			continue
		}
		frames = frames[:0]
		if s := r.names[id]; s != nil {
			for _, f := range s.Frames {
				frames = append(frames, *f)
			}
		}
		builder.AddFrames(frames, nil, v...)
	}
	return builder.Frames()
}

func (r *Result) sampled(stack exectrace.StackID) {
	if int(stack) >= len(r.samples) {
		r.samples = append(r.samples, make([]int64, int(stack)+1-len(r.samples))...)
	}
	r.samples[stack]++
}

// blocking follows go tool trace: an interval begins with a state of its kind, has
// the stack of that event, and ends with any other state.
func (a *analysis) blocking(g *goroutine, e *exectrace.Event) {
	if g.aside {
		return
	}
	to, is := a.blockOf(e)
	if g.blocked {
		if stateOf(g.block) == e.To {
			return
		}
		g.blocked = false
		if g.ran {
			a.book(g.block, g.blockStack, e.TimeNs-g.blockedAt)
		} else if e.To != exectrace.Running && len(g.early) < 100 {
			// It counts unless the goroutine runs later on.
			g.early = append(g.early, early{g.block, g.blockStack, e.TimeNs - g.blockedAt})
		}
	}
	if is {
		g.blocked, g.block, g.blockedAt, g.blockStack = true, to, e.TimeNs, e.Stack
		if e.From == exectrace.Gone || e.From == exectrace.Waiting {
			g.blockStack = e.ActorStack
		}
	}
}

func stateOf(b Blocking) exectrace.State {
	switch b {
	case BlockedSyscall:
		return exectrace.Syscall
	case BlockedSched:
		return exectrace.Runnable
	}
	return exectrace.Waiting
}

func (a *analysis) blockOf(e *exectrace.Event) (Blocking, bool) {
	switch e.To {
	case exectrace.Runnable:
		return BlockedSched, true
	case exectrace.Syscall:
		return BlockedSyscall, true
	case exectrace.Waiting:
		switch a.reason(e.Name) {
		case Network:
			return BlockedNetwork, true
		case Sync, Channel, Select:
			return BlockedSync, true
		}
	}
	return 0, false
}

func (a *analysis) book(b Blocking, stack exectrace.StackID, ns int64) {
	if ns <= 0 {
		return
	}
	of := &a.result.blocks[b]
	if int(stack) >= len(*of) {
		*of = append(*of, make([]count, int(stack)+1-len(*of))...)
	}
	(*of)[stack].n++
	(*of)[stack].ns += ns
	a.keep(stack)
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
