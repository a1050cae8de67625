package sched

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"whet/internal/format/exectrace"
	"whet/internal/symbolname"
)

// worst is how many of the longest waits for a processor are kept.
const worst = 10

// goroutine is one that lives at the moment of the reading.
type goroutine struct {
	ns     [NumStates]int64
	since  int64 // when the state began
	began  int64 // when its life in the trace did
	assist int64 // when it was made to mark; -1: it is not
	marked int64 // for how long it was
	start  string
	known  bool // start is
	state  State
	ran    bool
	// A blocking interval at hand, as go tool trace counts it.
	block      Blocking
	blocked    bool
	blockedAt  int64
	blockStack exectrace.StackID
	early      []early // intervals before it ran
	// Where it waits, of whatever kind.
	waitStack exectrace.StackID
	unnamed   Wait  // before its start function was known, with no reason either
	idleAt    int64 // for how long no processor had run when the state began
	created   bool  // in the trace
	regions   []region
}

type early struct {
	block Blocking
	stack exectrace.StackID
	ns    int64
}

type region struct {
	name  exectrace.StringID
	task  uint64
	begin int64
	ns    [NumStates]int64 // of the goroutine when it began
}

type task struct {
	name  exectrace.StringID
	begin int64
}

type edgeKey struct{ waker, waiter exectrace.StackID }

// analysis is the state of Analyze.
type analysis struct {
	result  *Result
	batch   *exectrace.Batch
	live    map[int64]*goroutine
	free    []*goroutine
	kinds   map[string]*Kind
	procs   map[int32]*procState
	running int // processors
	busyAt  int64
	edges   map[edgeKey]*count
	tasks   map[uint64]task
	byTask  map[string]*Span
	byPlace map[string]*Span // of regions
	pauses  map[string]*Pause
	stop    struct {
		name  string
		begin int64
	}
	mark    int64 // when marking began; -1: it is not on
	sweep   map[int32]int64
	waits   []State // by the number of the reason
	at      map[waitKey]*Wait
	only    func(id int64) bool // nil: all goroutines count
	mutator *mutator
}

// Options choose what of a trace is counted.
type Options struct {
	exectrace.Limits
	// FromNs and ToNs are a window of the trace's time; ToNs is 0 for its end. What
	// lies over an edge is cut there, and counts as if the trace began or ended so.
	FromNs, ToNs int64
	// Goroutines are the only ones that count, none: all. Processors, the collector
	// and tasks are always the whole process's.
	Goroutines []int64
}

var errEnded = errors.New("the window is over")

type procState struct {
	Proc
	running bool
	since   int64
}

// Analyze reads a trace.
func Analyze(src exectrace.Source, o Options) (*Result, error) {
	return newAnalysis(o).read(src, o)
}

func newAnalysis(o Options) *analysis {
	a := &analysis{
		mutator: newMutator(),
		result:  &Result{}, live: make(map[int64]*goroutine), kinds: make(map[string]*Kind), procs: make(map[int32]*procState),
		edges: make(map[edgeKey]*count), tasks: make(map[uint64]task), byTask: make(map[string]*Span), byPlace: make(map[string]*Span),
		pauses: make(map[string]*Pause), mark: -1, sweep: make(map[int32]int64), at: make(map[waitKey]*Wait),
	}
	if len(o.Goroutines) > 0 {
		a.only = func(id int64) bool { return slices.Contains(o.Goroutines, id) }
	}
	a.stop.begin = -1
	return a
}

func (a *analysis) read(src exectrace.Source, o Options) (*Result, error) {
	begun := o.FromNs <= 0
	summary, err := exectrace.Read(src, o.Limits, func(b *exectrace.Batch) error {
		a.batch = b
		for i := range b.Events {
			e := &b.Events[i]
			if !begun && e.TimeNs >= o.FromNs {
				begun = true
				a.restart(o.FromNs)
			}
			if o.ToNs > 0 && e.TimeNs > o.ToNs {
				return errEnded
			}
			a.event(e)
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnded):
		summary.EndNs = o.ToNs
	case err != nil:
		return nil, err
	case !begun:
		return nil, fmt.Errorf("the execution trace ends at %v, before the window begins", time.Duration(summary.EndNs))
	}
	a.finish(summary)
	a.result.Chosen = o.Goroutines
	if n := a.result.Goroutines.Before + a.result.Goroutines.Created; n == 0 && a.only != nil {
		return nil, fmt.Errorf("no goroutine of the number %d is in the trace, or in the window of it", o.Goroutines[0])
	}
	return a.result, nil
}

// restart counts from here on, as if the trace began now.
func (a *analysis) restart(ns int64) {
	old := a.result
	a.busy(ns, 0)
	a.mutator.restart(ns)
	a.result = &Result{GOMAXPROCS: old.GOMAXPROCS, FromNs: ns, BusyNs: make([]int64, a.running+1), names: old.names}
	a.result.Goroutines.Before, a.result.Goroutines.Most = len(a.live), len(a.live)
	clear(a.kinds)
	clear(a.edges)
	clear(a.byTask)
	clear(a.byPlace)
	clear(a.pauses)
	clear(a.at)
	for _, g := range a.live {
		g.ns, g.since, g.began, g.marked, g.created, g.idleAt, g.unnamed = [NumStates]int64{}, ns, ns, 0, false, 0, Wait{}
		g.blockedAt, g.early = max(g.blockedAt, ns), nil
		if g.assist >= 0 {
			g.assist = ns
		}
		for i := range g.regions {
			g.regions[i].begin, g.regions[i].ns = ns, g.ns
		}
	}
	for _, p := range a.procs {
		p.RunningNs, p.IdleNs, p.since = 0, 0, ns
	}
	for id, t := range a.tasks {
		t.begin = ns
		a.tasks[id] = t
	}
	for p := range a.sweep {
		a.sweep[p] = ns
	}
	if a.mark >= 0 {
		a.mark = ns
	}
	if a.stop.begin >= 0 {
		a.stop.begin = ns
	}
}

func (a *analysis) event(e *exectrace.Event) {
	a.mutator.event(e, a.batch)
	switch e.Kind {
	case exectrace.Change:
		a.change(e)
	case exectrace.ProcChange:
		a.procChange(e)
	case exectrace.RangeBegin, exectrace.RangeActive, exectrace.RangeEnd:
		a.ranged(e)
	case exectrace.Procs:
		a.result.GOMAXPROCS = max(a.result.GOMAXPROCS, int(min(e.Value, 1<<20)))
	case exectrace.Sample:
		if a.only == nil || a.only(e.Goroutine) {
			a.result.sampled(e.Stack)
			a.keep(e.Stack)
		}
	case exectrace.TaskBegin:
		a.tasks[e.Value] = task{e.Name, e.TimeNs}
	case exectrace.TaskEnd:
		if t, ok := a.tasks[e.Value]; ok {
			delete(a.tasks, e.Value)
			spanOf(a.byTask, a.batch.String(t.name)).add(e.Value, t.begin, e.TimeNs)
		}
	case exectrace.RegionBegin:
		if g := a.live[e.Actor]; g != nil && len(g.regions) < 1000 {
			g.settle(e.TimeNs)
			g.regions = append(g.regions, region{e.Name, e.Value, e.TimeNs, g.ns})
		}
	case exectrace.RegionEnd:
		a.regionEnd(e)
	}
}

func (a *analysis) regionEnd(e *exectrace.Event) {
	g := a.live[e.Actor]
	if g == nil {
		return
	}
	i := len(g.regions) - 1
	if i < 0 || g.regions[i].name != e.Name || g.regions[i].task != e.Value {
		return // it began before the trace
	}
	r := g.regions[i]
	g.regions = g.regions[:i]
	g.settle(e.TimeNs)
	s := spanOf(a.byPlace, a.batch.String(r.name))
	s.add(e.Value, r.begin, e.TimeNs)
	for i := range s.In {
		s.In[i] += g.ns[i] - r.ns[i]
	}
}

func spanOf(of map[string]*Span, name string) *Span {
	s, ok := of[name]
	if !ok {
		s = &Span{Type: name}
		of[name] = s
	}
	return s
}

func (s *Span) add(id uint64, begin, end int64) {
	s.Count++
	s.Ns += end - begin
	if s.Count == 1 || end-begin > s.Times.Max() {
		s.SlowestID, s.SlowestAt = id, begin
	}
	s.Times.Record(end - begin)
}

// settle books the state up to now.
func (g *goroutine) settle(ns int64) {
	g.ns[g.blockedFor()] += ns - g.since
	g.since = ns
}

func (a *analysis) change(e *exectrace.Event) {
	if a.only != nil && !a.only(e.Goroutine) {
		return
	}
	g := a.live[e.Goroutine]
	if g == nil {
		if e.To == exectrace.Gone || e.To == exectrace.Unknown {
			return
		}
		g = a.enter(e)
		a.blocking(g, e)
		return
	}
	if !g.known && e.Stack != 0 {
		a.name(g, e.Stack)
	}
	if e.From == e.To {
		if g.waitStack == 0 {
			g.waitStack = e.Stack
		}
		a.blocking(g, e)
		return
	}
	length := e.TimeNs - g.since
	g.settle(e.TimeNs)
	switch {
	case e.From == exectrace.Runnable && e.To == exectrace.Running:
		a.result.Latency.Record(length)
		a.delayed(e.Goroutine, g, e.TimeNs-length, e.TimeNs)
	case e.From == exectrace.Waiting && e.To == exectrace.Runnable:
		a.waited(g, e.TimeNs, length).Count++
		if g.ofRuntime() {
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
	}
	a.blocking(g, e)
	g.state = a.state(e)
	g.waitStack = 0
	switch e.To {
	case exectrace.Waiting:
		g.waitStack, g.idleAt = e.Stack, a.idle(e.TimeNs)
	case exectrace.Running:
		if !g.ran {
			g.ran, g.early = true, nil
		}
	case exectrace.Gone, exectrace.Unknown:
		a.leave(e.Goroutine, g, e.TimeNs)
		if e.To == exectrace.Gone {
			a.result.Goroutines.Ended++
		}
	}
}

// state is what e's goroutine goes over to.
func (a *analysis) state(e *exectrace.Event) State {
	switch e.To {
	case exectrace.Running:
		return Running
	case exectrace.Runnable:
		return Runnable
	case exectrace.Syscall:
		return Syscall
	}
	return a.reason(e.Name)
}

func (a *analysis) reason(id exectrace.StringID) State {
	for int(id) >= len(a.waits) {
		s, ok := waits[a.batch.String(exectrace.StringID(len(a.waits)))]
		if !ok {
			s = Other
		}
		a.waits = append(a.waits, s)
	}
	return a.waits[id]
}

// enter takes in a goroutine at the first that the trace says of it.
func (a *analysis) enter(e *exectrace.Event) *goroutine {
	var g *goroutine
	if last := len(a.free) - 1; last >= 0 {
		g, a.free = a.free[last], a.free[:last]
		*g = goroutine{regions: g.regions[:0], early: g.early[:0]}
	} else {
		g = &goroutine{}
	}
	a.live[e.Goroutine] = g
	g.assist = -1
	g.state, g.ran = a.state(e), e.To == exectrace.Running
	if e.From == exectrace.Gone {
		g.began, g.since, g.created = e.TimeNs, e.TimeNs, true
		a.result.Goroutines.Created++
		if s := a.batch.Stack(e.Stack); s != nil {
			g.start, g.known = startFunction(s.Frames[0].Function), true
		}
	} else {
		// It was so since before the trace, or before the window.
		g.began, g.since = a.result.FromNs, a.result.FromNs
		a.result.Goroutines.Before++
		if e.Stack != 0 {
			a.name(g, e.Stack)
		}
	}
	if e.To == exectrace.Waiting {
		g.waitStack, g.idleAt = e.Stack, a.idle(g.since)
	}
	a.result.Goroutines.Most = max(a.result.Goroutines.Most, len(a.live))
	return g
}

// blockedFor is the state of a goroutine; the runtime's own wait for work, whatever
// they wait at.
func (g *goroutine) blockedFor() State {
	if g.state > Syscall && g.state != Collector && g.ofRuntime() {
		return System
	}
	return g.state
}

func (g *goroutine) ofRuntime() bool {
	return g.start != "runtime.main" && symbolname.Package(g.start) == "runtime"
}

// name takes the start function from the root of a stack of a goroutine that
// lived before the trace.
func (a *analysis) name(g *goroutine, id exectrace.StackID) {
	if s := a.batch.Stack(id); s != nil && !s.Cut() {
		g.start, g.known = startFunction(s.Frames[len(s.Frames)-1].Function), true
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
	d := Delay{id, g.start, from, to}
	i, _ := slices.BinarySearchFunc(*w, d, func(x, y Delay) int { return cmp.Compare(y.ToNs-y.FromNs, x.ToNs-x.FromNs) })
	*w = slices.Insert(*w, i, d)
	*w = (*w)[:min(len(*w), worst)]
}

// leave books a goroutine that ends, or that the trace's end finds.
func (a *analysis) leave(id int64, g *goroutine, ns int64) {
	if !g.ran {
		for _, e := range g.early {
			a.book(e.block, e.stack, e.ns)
		}
	}
	if g.assist >= 0 {
		g.marked += ns - g.assist
	}
	if g.ofRuntime() {
		g.ns[System] += g.ns[Other]
		g.ns[Other] = 0
	} else if g.unnamed.Ns > 0 {
		a.wait(waitKey{state: Other}).add(&g.unnamed)
	}
	k, ok := a.kinds[g.start]
	if !ok {
		k = &Kind{Start: g.start}
		a.kinds[g.start] = k
	}
	k.Count++
	k.AssistNs += g.marked
	if life := ns - g.began; life > k.LongestNs || k.Count == 1 {
		k.LongestID, k.LongestNs = id, life
	}
	for i, v := range g.ns {
		k.Ns[i] += v
		a.result.Goroutines.Ns[i] += v
	}
	a.result.GC.AssistNs += g.marked
	for _, r := range g.regions {
		spanOf(a.byPlace, a.batch.String(r.name)).Unfinished++
	}
	delete(a.live, id)
	a.free = append(a.free, g)
}
