package sched

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"whet/internal/format/exectrace"
	"whet/internal/timeline"
)

// worst is how many of the longest waits for a processor are kept.
const worst = 10

type region struct {
	name  exectrace.StringID
	task  uint64
	begin int64
	ns    [NumStates]int64 // of the goroutine when it began
}

type task struct {
	name  exectrace.StringID
	begin int64
	by    int64            // the goroutine that began it
	ns    [NumStates]int64 // of it then
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
	waits   []State             // by the number of the reason
	byStack [2][]State          // by stack, plus 1: of waits for sync, and of unnamed ones
	idleEnd int64               // how much of the idle time is credited to what ended it
	ready   int                 // goroutines
	loneNs  int64               // for how long one processor ran and no goroutine was ready
	loneAt  int64               // up to when that is reckoned
	at      [NumStates][]*Wait  // by stack
	only    func(id int64) bool // nil: all goroutines count
	counted int                 // live ones that do
	mutator *mutator
	courses *courses
	on      []*goroutine // by processor, what runs there
	spells  ring
	observe func(*timeline.Interval)
	seen    timeline.Interval
	begun   bool        // the window has
	path    *pathfinder // nil: no path is asked for
	task    *Task
}

// Options select the part of a trace that counts.
type Options struct {
	exectrace.Limits
	// FromNs and ToNs are a window of the trace's time; ToNs is 0 for its end.
	// Intervals over an edge are cut there, and count as if the trace began or ended
	// so.
	FromNs, ToNs int64
	// Goroutines are the only ones that count, none: all. Processors, the collector
	// and tasks are always the whole process's.
	Goroutines []int64
	// Task is the only one that counts, 0 for all: in its time, the goroutines that
	// begin or end it, regions or tasks in it, or log in it. FromNs, ToNs and
	// Goroutines are then not looked at. It is of the path of a task, too.
	Task uint64
	// Path asks for the critical path of the task, or of the first of Goroutines.
	Path bool
	// Observe, if not nil, is called for each interval as it ends, also for goroutines
	// that do not count; the next call overwrites the interval. Use [Result.PlaceOf]
	// for its stacks.
	Observe func(*timeline.Interval)
}

var errEnded = errors.New("the window is over")

type procState struct {
	Proc
	running bool
	since   int64
}

// Analyze reads a trace.
func Analyze(src exectrace.Source, o Options) (*Result, error) {
	var t *Task
	if o.Task != 0 {
		var err error
		if t, err = FindTask(src, o); err != nil {
			return nil, err
		}
		o.FromNs, o.ToNs, o.Goroutines = t.BeginNs, t.EndNs, t.Goroutines
	}
	a := newAnalysis(o)
	a.task = t
	return a.read(src, o)
}

func newAnalysis(o Options) *analysis {
	a := &analysis{
		mutator: newMutator(), courses: newCourses(0), observe: o.Observe,
		result: &Result{}, live: make(map[int64]*goroutine), kinds: make(map[string]*Kind), procs: make(map[int32]*procState),
		edges: make(map[edgeKey]*count), tasks: make(map[uint64]task), byTask: make(map[string]*Span), byPlace: make(map[string]*Span),
		pauses: make(map[string]*Pause), mark: -1, sweep: make(map[int32]int64),
	}
	if len(o.Goroutines) > 0 {
		chosen := make(map[int64]bool, len(o.Goroutines))
		for _, id := range o.Goroutines {
			chosen[id] = true
		}
		a.only = func(id int64) bool { return chosen[id] }
	}
	if o.Path {
		a.path = newPathfinder()
	}
	a.stop.begin = -1
	return a
}

func (a *analysis) read(src exectrace.Source, o Options) (*Result, error) {
	a.begun = o.FromNs <= 0
	summary, err := exectrace.Read(src, o.Limits, func(b *exectrace.Batch) error {
		a.batch = b
		for i := range b.Events {
			e := &b.Events[i]
			if !a.begun && e.TimeNs >= o.FromNs {
				a.begun = true
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
	case !a.begun:
		return nil, fmt.Errorf("the execution trace ends at %v, before the window begins", time.Duration(summary.EndNs))
	}
	a.result.Chosen, a.result.Task = o.Goroutines, a.task
	a.finish(summary)
	if n := a.result.Goroutines.Before + a.result.Goroutines.Created; n == 0 && a.only != nil {
		return nil, fmt.Errorf("no goroutine %d in the trace, or in its window", o.Goroutines[0])
	}
	return a.result, nil
}

// restart counts from here on, as if the trace began now.
func (a *analysis) restart(ns int64) {
	old := a.result
	a.busy(ns, 0)
	a.mutator.restart(ns)
	if a.path != nil {
		a.path.restart()
	}
	a.result = &Result{GOMAXPROCS: old.GOMAXPROCS, FromNs: ns, BusyNs: make([]int64, a.running+1), names: old.names}
	a.result.Goroutines.Before, a.result.Goroutines.Most = a.counted, a.counted
	a.idleEnd, a.loneNs = 0, 0
	clear(a.kinds)
	clear(a.edges)
	clear(a.byTask)
	clear(a.byPlace)
	clear(a.pauses)
	clear(a.at[:])
	for _, g := range a.live {
		g.ns, g.since, g.began, g.marked, g.created, g.idleAt, g.unnamed = [NumStates]int64{}, ns, ns, 0, false, 0, Wait{}
		g.bed, g.ranAt = nil, 0
		g.assisted, g.alone, g.aloneAt, g.spareAt, g.swept, g.longest = 0, 0, 0, 0, 0, lastingWait{}
		if g.assist >= 0 {
			g.assist = ns
		}
		for i := range g.regions {
			g.regions[i].begin, g.regions[i].ns = ns, g.ns
		}
	}
	a.courses = newCourses(ns)
	for _, p := range a.procs {
		p.RunningNs, p.IdleNs, p.since = 0, 0, ns
	}
	for id, t := range a.tasks {
		t.begin, t.ns = ns, [NumStates]int64{}
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
	case exectrace.HeapLive:
		a.moment(timeline.Heap, e)
	case exectrace.HeapGoal:
		a.moment(timeline.Goal, e)
	case exectrace.Procs:
		a.result.GOMAXPROCS = max(a.result.GOMAXPROCS, int(min(e.Value, 1<<20)))
	case exectrace.TaskBegin:
		t := task{name: e.Name, begin: e.TimeNs, by: -1}
		if g := a.live[e.Actor]; g != nil {
			g.settle(e.TimeNs)
			t.by, t.ns = e.Actor, g.ns
		}
		a.tasks[e.Value] = t
	case exectrace.TaskEnd:
		if t, ok := a.tasks[e.Value]; ok {
			delete(a.tasks, e.Value)
			one := Instance{Task: e.Value, Goroutine: t.by, AtNs: t.begin, Ns: e.TimeNs - t.begin}
			if g := a.live[t.by]; g != nil {
				g.settle(e.TimeNs)
				one.did(&t.ns, &g.ns)
			}
			spanOf(a.byTask, a.batch.String(t.name)).add(&one)
		}
	case exectrace.RegionBegin:
		if g := a.live[e.Actor]; g != nil && !g.aside && len(g.regions) < 1000 {
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
	one := Instance{Task: e.Value, Goroutine: e.Actor, AtNs: r.begin, Ns: e.TimeNs - r.begin}
	one.did(&r.ns, &g.ns)
	spanOf(a.byPlace, a.batch.String(r.name)).add(&one)
}

func spanOf(of map[string]*Span, name string) *Span {
	s, ok := of[name]
	if !ok {
		s = &Span{Type: name}
		of[name] = s
	}
	return s
}

// slowest is how many instances of a type are kept.
const slowest = 3

// did notes what a goroutine did between two moments.
func (o *Instance) did(before, now *[NumStates]int64) {
	for i := range o.In {
		o.In[i] = now[i] - before[i]
	}
}

func (s *Span) add(o *Instance) {
	s.Count++
	s.Ns += o.Ns
	for i, v := range o.In {
		s.In[i] += v
		s.InNs += v
	}
	if s.Count == 1 || o.Ns > s.Times.Max() {
		s.SlowestID, s.SlowestAt = o.Task, o.AtNs
	}
	s.Times.Record(o.Ns)
	i, _ := slices.BinarySearchFunc(s.Slowest, o.Ns, func(x Instance, ns int64) int { return cmp.Or(cmp.Compare(ns, x.Ns), -1) })
	if i < slowest {
		s.Slowest = slices.Insert(s.Slowest, i, *o)
		s.Slowest = s.Slowest[:min(len(s.Slowest), slowest)]
	}
}
