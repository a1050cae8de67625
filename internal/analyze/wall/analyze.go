package wall

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// Trace is an execution trace of the process.
type Trace struct {
	Name    string // for warnings
	Source  exectrace.Source
	StartNs int64 // when it began, on a clock that all traces share
}

// overlap is by how much two traces may lie over each other: callers know the
// beginning of a trace to about that.
const overlap = 20e6

// Analyze reads the traces of one process and adds them up. A trace that cannot
// be read is a warning, unless none can. Of two that cover the same time, such
// as a snapshot of the flight recorder taken during a trace, the later is left
// out, so that no time counts twice.
func Analyze(traces []Trace) (*Result, error) {
	if len(traces) == 0 {
		return nil, errors.New("analyze wall-clock time: no execution trace")
	}
	traces = slices.Clone(traces)
	slices.SortStableFunc(traces, func(a, b Trace) int { return cmp.Compare(a.StartNs, b.StartNs) })
	a := newAnalysis()
	var failed error
	read, coveredTo := 0, int64(0)
	for _, t := range traces {
		if read > 0 && t.StartNs < coveredTo-overlap {
			a.warn(t.Name, "left out: an earlier trace covers its beginning")
			continue
		}
		summary, err := a.read(t)
		if err != nil {
			failed = fmt.Errorf("analyze wall-clock time: %s: %w", t.Name, err)
			a.warn(t.Name, err.Error())
			continue
		}
		if read++; read == 1 {
			a.builder.Profile().TimeNanos = summary.WallNs
		}
		coveredTo = t.StartNs + summary.EndNs
		for _, w := range summary.Warnings {
			a.warn(t.Name, w)
		}
	}
	if read == 0 {
		return nil, failed
	}
	a.conclude()
	return a.result, nil
}

// analysis is the state of Analyze.
type analysis struct {
	builder    *callstack.Builder
	tree       *tree
	book       *book
	goroutines map[int64]*goroutine // of the trace at hand
	before     map[int64]*account   // what goroutines that lived at the end of an earlier trace count in
	waits      map[wait]class
	whole, cut int // requests
	served     func(Served)
	tasks      tasks
	window     *Window // nil: all counts
	only       map[int64]bool
	result     *Result
}

func newAnalysis() *analysis {
	types := []callstack.ValueType{{Type: "wall", Unit: "nanoseconds"}}
	for s := range State(NumStates) {
		types = append(types, callstack.ValueType{Type: strings.ReplaceAll(s.String(), " ", "_"), Unit: "nanoseconds"})
	}
	builder := callstack.NewBuilder(types...)
	p := builder.Profile()
	p.PeriodType, p.Period = types[0], 1
	return &analysis{
		builder: builder,
		tree:    newTree(),
		book:    newBook(),
		before:  make(map[int64]*account),
		waits:   make(map[wait]class),
		tasks:   newTasks(),
		result:  &Result{},
	}
}

func (a *analysis) warn(name, text string) {
	a.result.Warnings = append(a.result.Warnings, name+": "+text)
}

func (a *analysis) read(t Trace) (exectrace.Summary, error) {
	a.begin()
	summary, err := exectrace.Read(t.Source, exectrace.DefaultLimits(), func(b *exectrace.Batch) error {
		a.tree.names = b
		for i := range b.Events {
			a.event(&b.Events[i])
		}
		return nil
	})
	if err == nil {
		a.end(summary.EndNs)
	}
	return summary, err
}

// begin forgets the trace before.
func (a *analysis) begin() {
	a.goroutines = make(map[int64]*goroutine)
	a.tasks.open = make(map[uint64]*task)
	a.tree.nextTrace()
}

// end books what goes on when the trace ends. All intervals are settled before
// any goroutine is retired: a request may get its last time from another one.
func (a *analysis) end(ns int64) {
	for _, g := range a.goroutines {
		a.settle(g, ns, nil, nil)
	}
	for id, g := range a.goroutines {
		a.retire(g, false)
		a.before[id] = g.counted
	}
	a.result.CoveredNs += ns
}

func (a *analysis) event(e *exectrace.Event) {
	switch e.Kind {
	case exectrace.Change:
		a.change(e)
	case exectrace.RangeBegin, exectrace.RangeActive, exectrace.RangeEnd:
		if g := a.goroutines[e.Goroutine]; g != nil && e.Range == exectrace.MarkAssist {
			a.assist(g, e)
		}
	case exectrace.Sample:
		a.sample(e)
	case exectrace.TaskBegin, exectrace.TaskEnd, exectrace.RegionBegin, exectrace.RegionEnd, exectrace.Log:
		a.named(e)
	}
}

func (a *analysis) change(e *exectrace.Event) {
	actor := a.tree.node(e.ActorStack)
	if actor != nil {
		a.sighted(e.Actor, e.TimeNs, actor)
	}
	g := a.goroutines[e.Goroutine]
	if g == nil {
		a.enter(e)
		return
	}
	at := a.tree.node(e.Stack)
	if e.To == exectrace.Waiting {
		at = a.tree.waiting(e.Stack)
	}
	if e.From == e.To {
		// The trace states again what is so, perhaps with a stack that was missing.
		if at != nil && g.at == nil && e.To != exectrace.Running {
			g.at = at
			a.see(g, at)
		}
		return
	}
	a.settle(g, e.TimeNs, at, actor)
	if e.From == exectrace.Waiting {
		g.wake()
	}
	g.state, g.reason = e.To, a.tree.names.String(e.Name)
	switch {
	case e.To == exectrace.Gone:
		a.retire(g, true)
		delete(a.goroutines, e.Goroutine)
		return
	case e.To == exectrace.Running:
		g.sight = g.at
	case e.From == exectrace.Running:
		g.at = at
	}
	if at != nil {
		a.see(g, at)
	}
}

// enter takes in a goroutine at the first that the trace says of it.
func (a *analysis) enter(e *exectrace.Event) {
	if e.To == exectrace.Gone || e.To == exectrace.Unknown {
		return
	}
	g := &goroutine{id: e.Goroutine, born: e.TimeNs, created: e.From == exectrace.Gone, state: e.To, reason: a.tree.names.String(e.Name), counted: a.before[e.Goroutine]}
	a.goroutines[e.Goroutine] = g
	if g.created {
		g.since = e.TimeNs
		if actor := a.goroutines[e.Actor]; actor != nil {
			g.parent = actor.request
		}
		if g.start = a.tree.node(e.Stack); g.start != nil {
			a.learn(g, g.start)
		}
		return
	}
	// It lived before the trace, in the state that is now stated.
	at := a.tree.node(e.Stack)
	if e.To == exectrace.Waiting {
		at = a.tree.waiting(e.Stack)
	}
	if at == nil {
		return
	}
	g.at, g.sight = at, at
	a.see(g, at)
}

// sighted takes in that a goroutine that runs is at n.
func (a *analysis) sighted(id, ns int64, n *node) {
	g := a.goroutines[id]
	if g == nil || g.state != exectrace.Running {
		return
	}
	a.settle(g, ns, n, nil)
	g.sight = n
	a.see(g, n)
}

func (a *analysis) assist(g *goroutine, e *exectrace.Event) {
	if at := a.tree.node(e.Stack); at != nil && e.Kind == exectrace.RangeBegin {
		a.sighted(e.Goroutine, e.TimeNs, at)
	} else if e.Kind != exectrace.RangeActive {
		// A goroutine that waits or is ready ends its interval in the same
		// place, and one that runs where it was seen to begin.
		a.settle(g, e.TimeNs, g.sight, nil)
	}
	g.assist = e.Kind != exectrace.RangeEnd
}

// sample takes in a CPU sample. The profiler's clock and the tracer's disagree
// a little, so that a sample may name a goroutine that does not run.
func (a *analysis) sample(e *exectrace.Event) {
	g, at := a.goroutines[e.Goroutine], a.tree.node(e.Stack)
	if g == nil || at == nil || g.state != exectrace.Running {
		return
	}
	a.learn(g, at)
	if at.responding && g.request != nil {
		g.request.served = true
	}
	g.name(at)
	if len(g.samples) < maxSamples && a.within(e.TimeNs) {
		g.samples = append(g.samples, at)
	}
}

// conclude turns the accounts into the result.
func (a *analysis) conclude() {
	if 5*a.cut > a.whole && a.cut > 0 {
		a.result.Warnings = append(a.result.Warnings, fmt.Sprintf(
			"%d requests began or ended outside the traces, %d are whole: record longer traces to see the long ones", a.cut, a.whole))
	}
	for _, account := range a.book.accounts() {
		account.samples(a.builder, a.tree.seen, a.tasks.types)
		if account.group.Total() > 0 {
			a.result.Groups = append(a.result.Groups, account.finish(a.tree.seen))
		}
	}
	if a.tasks.missed > 0 {
		a.result.Warnings = append(a.result.Warnings, fmt.Sprintf(
			"%d tasks began while %d others were running: their time is not counted", a.tasks.missed, maxOpenTasks))
	}
	a.builder.Profile().Duration = a.result.CoveredNs
	a.result.Profile = a.builder.Frames()
}
