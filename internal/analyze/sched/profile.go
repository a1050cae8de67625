package sched

import (
	"errors"
	"fmt"
	"time"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// Blocked reads a trace for a blocking profile alone: contentions and delay by the
// stack where they began, as go tool trace -pprof writes it. It also returns warnings.
func Blocked(src exectrace.Source, o Options, b Blocking) (*callstack.Frames, []string, error) {
	return blockedFor(b).read(src, o)
}

// BlockedEach reads a trace once for the blocking profiles of all kinds, in their order.
func BlockedEach(src exectrace.Source, o Options) ([]*callstack.Frames, []string, error) {
	all := make(profilers, numBlocks)
	for b := range all {
		all[b] = blockedFor(Blocking(b))
	}
	return all.read(src, o)
}

func blockedFor(b Blocking) *profiler {
	return &profiler{kind: b, types: []callstack.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}}}
}

// Samples reads a trace for the samples of the CPU profiler alone, if it was on, by
// stack. The trace does not contain the time per sample: it is 10 ms, unless the
// program chose another rate. It also returns warnings.
func Samples(src exectrace.Source, o Options) (*callstack.Frames, []string, error) {
	p := &profiler{kind: numBlocks, types: []callstack.ValueType{{Type: "samples", Unit: "count"}}}
	return p.read(src, o)
}

// profilers add up several profiles of one reading.
type profilers []*profiler

// profileParts are one generation's of each.
type profileParts []exectrace.PartReader

// Take follows the goroutines of a generation.
func (r profileParts) Take(b *exectrace.PartBatch) (err error) {
	for _, part := range r {
		err = errors.Join(err, part.Take(b))
	}
	return err
}

// Join adds a generation to those before.
func (r profileParts) Join(part *exectrace.Part) {
	for _, p := range r {
		p.Join(part)
	}
}

// profiler adds up the parts of one profile.
//
// A blocking interval follows go tool trace: it begins when a goroutine goes over to a
// state of its kind, has the stack of that event, and ends with any other state. What
// ends before the goroutine first ran in the trace counts only if it never does.
//
// A generation is followed without those before it. Hence it says only at its end what
// happened to goroutines that lived before, until they ran, and which intervals began so
// early that their times are not final: there is one of the first kind for each
// goroutine, and some thousands of the second.
type profiler struct {
	kind         Blocking // numBlocks: samples
	types        []callstack.ValueType
	fromNs, toNs int64
	only         map[int64]bool    // nil: all goroutines count
	past         map[int64]history // of goroutines that live
	counts       []count           // by stack of the reading
	stacks       []*exectrace.Stack
	seen         bool // a goroutine that counts is
	spare        []*profilePart
}

// history sums a goroutine's activity in earlier generations.
type history struct {
	ran     bool
	waits   bool // it is Waiting
	blocked bool // for the profile's kind
	at      int64
	stack   exectrace.StackID
	early   []interval // that ended before it ran, with stacks of the reading
}

// interval is one that ended.
type interval struct {
	stack    int
	from, to int64
	ran      bool // by running
}

// life is a goroutine in one generation.
type life struct {
	id      int64
	at      int64 // when the blocking at hand began
	stack   int   // of that
	state   exectrace.State
	lives   bool
	blocked bool
	ran     bool // in this generation
	early   bool // at is not final
	moved   bool // it left the state that the generation found it in
	before  bool // it lived before the generation
	first   initialState
	ended   []interval // before it ran
}

// initialState is the state of a goroutine at the start of a generation.
type initialState struct {
	state, next exectrace.State
	blocked     bool // as the generation says: it may not know the reason
	stack       int
	at          int64 // when that began
	from, to    int64
}

// profilePart is a generation's.
type profilePart struct {
	of      *profiler
	lives   []life
	gone    []life // that lived before, or whose times are not final
	counts  []count
	early   []interval // that count, and whose times are not final
	reasons []State
	seen    bool
}

func (p *profiler) read(src exectrace.Source, o Options) (*callstack.Frames, []string, error) {
	out, warnings, err := profilers{p}.read(src, o)
	if err != nil {
		return nil, nil, err
	}
	return out[0], warnings, nil
}

func (l profilers) read(src exectrace.Source, o Options) (out []*callstack.Frames, warnings []string, err error) {
	if o.Task != 0 {
		t, err := FindTask(src, o)
		if err != nil {
			return nil, nil, err
		}
		o.FromNs, o.ToNs, o.Goroutines = t.BeginNs, t.EndNs, t.Goroutines
	}
	var only map[int64]bool
	if len(o.Goroutines) > 0 {
		only = make(map[int64]bool, len(o.Goroutines))
		for _, id := range o.Goroutines {
			only[id] = true
		}
	}
	for _, p := range l {
		p.fromNs, p.toNs, p.past, p.only = o.FromNs, o.ToNs, make(map[int64]history), only
	}
	summary, err := exectrace.ReadParts(src, o.Limits, o.FromNs > 0 || o.ToNs > 0, l.part)
	switch end := time.Duration(summary.EndNs); {
	case errors.Is(err, errEnded):
		summary.EndNs = o.ToNs
	case err != nil:
		return nil, nil, err
	case summary.EndNs < o.FromNs:
		return nil, nil, fmt.Errorf("the execution trace ends at %v, before the window begins", end)
	}
	for _, p := range l {
		for _, was := range p.past {
			p.over(was)
		}
		if p.only != nil && !p.seen && len(p.past) == 0 {
			return nil, nil, fmt.Errorf("no goroutine %d in the trace, or in its window", o.Goroutines[0])
		}
		out = append(out, p.profile(summary, o))
	}
	return out, summary.Warnings, nil
}

func (l profilers) part() exectrace.PartReader {
	if len(l) == 1 {
		return l[0].part()
	}
	parts := make(profileParts, len(l))
	for i, p := range l {
		parts[i] = p.part()
	}
	return parts
}

// profile makes it of the sums.
func (p *profiler) profile(summary exectrace.Summary, o Options) *callstack.Frames {
	builder := callstack.NewBuilder(p.types...)
	out := builder.Profile()
	out.DefaultType = len(p.types) - 1 // the delay, as views show what go tool trace writes
	out.PeriodType, out.Period = callstack.ValueType{Type: "trace", Unit: "count"}, 1
	out.Duration, out.TimeNanos = summary.EndNs-o.FromNs, summary.WallNs
	var frames []callstack.Frame
	for id, c := range p.counts {
		if c.n == 0 {
			continue
		}
		frames = frames[:0]
		if s := p.stacks[id]; s != nil {
			for _, f := range s.Frames {
				frames = append(frames, *f)
			}
		}
		builder.AddFrames(frames, nil, []int64{c.n, c.ns}[:len(p.types)]...)
	}
	return builder.Frames()
}

// over is that a goroutine ends, or the trace.
func (p *profiler) over(was history) {
	if !was.ran {
		for _, i := range was.early {
			p.book(exectrace.StackID(i.stack), i.from, i.to)
		}
	}
}

func (p *profiler) book(stack exectrace.StackID, from, to int64) {
	if ns := to - max(from, p.fromNs); ns > 0 {
		c := at(&p.counts, int(stack))
		c.n++
		c.ns += ns
	}
}

// at makes room for an index.
func at(counts *[]count, i int) *count {
	if i >= len(*counts) {
		*counts = append(*counts, make([]count, i+1-len(*counts))...)
	}
	return &(*counts)[i]
}

func (p *profiler) part() *profilePart {
	if last := len(p.spare) - 1; last >= 0 {
		var r *profilePart
		r, p.spare = p.spare[last], p.spare[:last]
		clear(r.lives)
		clear(r.counts)
		r.gone, r.early, r.reasons, r.seen = r.gone[:0], r.early[:0], r.reasons[:0], false
		return r
	}
	return &profilePart{of: p}
}

// Take follows the goroutines of a generation.
func (r *profilePart) Take(b *exectrace.PartBatch) error {
	p := r.of
	for i := range b.Events {
		e := &b.Events[i]
		if p.toNs > 0 && e.TimeNs > p.toNs {
			return errEnded
		}
		if p.only != nil && !p.only[e.Goroutine] {
			continue
		}
		if e.Kind == exectrace.Sample {
			if p.kind == numBlocks && e.TimeNs >= p.fromNs {
				at(&r.counts, b.StackIndex(e.Stack)).n++
			}
			continue
		}
		r.seen = r.seen || e.TimeNs >= p.fromNs
		if int(e.Value) >= len(r.lives) {
			r.lives = append(r.lives, make([]life, int(e.Value)+1-len(r.lives))...)
		}
		g := &r.lives[e.Value]
		if !g.lives || g.id != e.Goroutine {
			r.enter(b, g, e)
			continue
		}
		if e.From != e.To && !g.moved && g.before {
			g.moved = true
			g.first.to, g.first.next = e.TimeNs, e.To
			g.blocked = false // it is booked when the generations are joined
		}
		if g.blocked && stateOf(p.kind) != e.To {
			g.blocked = false
			r.end(g, e)
		}
		r.begin(b, g, e)
		g.state = e.To
		switch e.To {
		case exectrace.Running:
			if g.ran = true; !g.before {
				g.ended = nil
			}
		case exectrace.Gone, exectrace.Unknown:
			if g.lives = false; g.before || !g.ran && len(g.ended) > 0 {
				r.gone = append(r.gone, *g)
			}
		}
	}
	return nil
}

// enter takes in a goroutine at the first that the generation says of it.
func (r *profilePart) enter(b *exectrace.PartBatch, g *life, e *exectrace.Event) {
	*g = life{id: e.Goroutine, state: e.To, lives: true, ran: e.To == exectrace.Running, before: e.From != exectrace.Gone}
	g.first.state, g.first.from = e.To, e.TimeNs
	r.begin(b, g, e)
}

func (r *profilePart) begin(b *exectrace.PartBatch, g *life, e *exectrace.Event) {
	kind := r.of.kind
	if g.blocked || kind == numBlocks || stateOf(kind) != e.To || e.To == exectrace.Waiting && !kind.of(r.reason(b, e.Name)) {
		return
	}
	g.blocked, g.at, g.early = true, e.TimeNs, b.Early
	stack := e.Stack
	if e.From == exectrace.Gone || e.From == exectrace.Waiting {
		stack = e.ActorStack
	}
	if g.stack = b.StackIndex(stack); g.before && !g.moved {
		g.first.blocked, g.first.stack, g.first.at = true, g.stack, g.at
	}
}

// of reports that a wait is of the kind.
func (b Blocking) of(s State) bool {
	if b == BlockedNetwork {
		return s == Network
	}
	return s == Sync || s == Channel || s == Select
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

// end books an interval, unless it is not known yet whether it counts, and how long it is.
func (r *profilePart) end(g *life, e *exectrace.Event) {
	i := interval{stack: g.stack, from: g.at, to: e.TimeNs, ran: e.To == exectrace.Running}
	switch {
	case i.to <= max(i.from, r.of.fromNs):
	case g.ran && g.early:
		r.early = append(r.early, i)
	case g.ran:
		c := at(&r.counts, i.stack)
		c.n++
		c.ns += i.to - max(i.from, r.of.fromNs)
	case (g.before || !i.ran) && len(g.ended) < maxEarly:
		g.ended = append(g.ended, i)
	}
}

// maxEarly bounds the intervals of a goroutine before it ran.
const maxEarly = 100

// reason returns the state of a number of the generation's. Those of the runtime's reasons are low.
func (r *profilePart) reason(b *exectrace.PartBatch, id exectrace.StringID) State {
	for int(id) >= len(r.reasons) && len(r.reasons) < 1<<10 {
		r.reasons = append(r.reasons, waitFor(b.String(exectrace.StringID(len(r.reasons)))))
	}
	if int(id) < len(r.reasons) {
		return r.reasons[id]
	}
	return waitFor(b.String(id))
}

// Join adds a generation to those before.
func (r *profilePart) Join(part *exectrace.Part) {
	p := r.of
	p.seen = p.seen || r.seen
	for i := range r.gone {
		p.over(r.follow(part, &r.gone[i]))
	}
	for i := range r.lives {
		g := &r.lives[i]
		if !g.lives {
			continue
		}
		was := r.follow(part, g)
		if was.waits = g.state == exectrace.Waiting; g.moved || !g.before {
			was.blocked = g.blocked
			was.at, was.stack = part.TimeNs(g.at), p.stack(part, g.stack)
		}
		p.past[g.id] = was
	}
	for _, i := range r.early {
		p.book(p.stack(part, i.stack), part.TimeNs(i.from), part.TimeNs(i.to))
	}
	for i, c := range r.counts {
		if c.n > 0 {
			sum := at(&p.counts, int(p.stack(part, i)))
			sum.n += c.n
			sum.ns += c.ns
		}
	}
	if cap(r.lives) < 1<<16 {
		p.spare = append(p.spare, r)
	}
}

// stack returns the number within the reading of a part's stack, and notes what it is.
func (p *profiler) stack(part *exectrace.Part, index int) exectrace.StackID {
	id := part.StackID(index)
	for next := len(p.stacks); next <= int(id); next++ {
		p.stacks = append(p.stacks, part.Stack(exectrace.StackID(next)))
	}
	return id
}

// follow goes through what a goroutine did in the generation, after what it did before.
func (r *profilePart) follow(part *exectrace.Part, g *life) history {
	p := r.of
	var was history
	if g.before {
		was = p.past[g.id]
		delete(p.past, g.id)
	}
	end := func(stack exectrace.StackID, from, to int64, ran bool) {
		switch {
		case to <= max(from, p.fromNs):
		case was.ran:
			p.book(stack, from, to)
		case !ran && len(was.early) < maxEarly:
			was.early = append(was.early, interval{stack: int(stack), from: from, to: to})
		}
	}
	if g.before {
		f := &g.first
		from := part.TimeNs(f.from)
		if was.blocked && stateOf(p.kind) != f.state {
			was.blocked = false
			end(was.stack, was.at, from, f.state == exectrace.Running)
		}
		if !was.blocked && f.blocked {
			stack := f.stack
			if was.waits {
				stack = 0 // who ended the wait is not said
			}
			was.blocked, was.at, was.stack = true, part.TimeNs(f.at), p.stack(part, stack)
		}
		was.ran = was.ran || f.state == exectrace.Running
		if g.moved && was.blocked && stateOf(p.kind) != f.next {
			was.blocked = false
			end(was.stack, was.at, part.TimeNs(f.to), f.next == exectrace.Running)
		}
	}
	for _, i := range g.ended {
		end(p.stack(part, i.stack), part.TimeNs(i.from), part.TimeNs(i.to), i.ran)
	}
	if was.ran = was.ran || g.ran; was.ran {
		was.early = nil
	}
	return was
}
