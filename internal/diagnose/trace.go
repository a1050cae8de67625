package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/sched"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/stat"
	"whet/internal/symbolname"
)

// Trace sums the waiting in execution traces for the rules: the figures that add up
// over several traces. Shares of time are of SpanNs, ProcNs or TraceRequests.Ns.
type Trace struct {
	SpanNs     int64
	Processors int   // GOMAXPROCS, 0 unknown
	ProcNs     int64 // of all processors in use, goroutines and the scheduler alike
	Parks      int64 // waits that ended
	Waits      []TraceWait
	Requests   []TraceRequests
}

// TraceWait is the waits of one kind at one stack.
type TraceWait struct {
	State string            // of package sched: "sync", "channel", "select", "network"
	Stack []callstack.Frame // leaf first
	Count int64             // that ended
	Ns    int64             // of all goroutines
	// SpareNs is the time in which a goroutine waited here while a processor was idle, each
	// moment once; RanNs the time they had run since their waits before.
	SpareNs, RanNs int64
}

// TraceRequests are the requests of one handler that lie whole in a trace.
type TraceRequests struct {
	Handler  string
	Count    int64
	Ns       int64 // of all
	AssistNs int64 // in which the collector made them mark, or wait for it
	Calls    []wall.Call
}

// maxTraceWaits bounds what is kept of each trace: places beyond take next to no time.
const maxTraceWaits = 400

// NewTrace adds up traces of one process; w has their requests, nil if they
// are unknown.
func NewTrace(traces []*sched.Result, w *wall.Result) *Trace {
	t := &Trace{}
	for _, r := range traces {
		t.SpanNs += r.SpanNs
		t.Processors = max(t.Processors, r.GOMAXPROCS)
		for _, p := range r.Procs {
			t.ProcNs += p.RunningNs
		}
		var waits []TraceWait
		r.EachWait(func(w *sched.Wait, stack []*callstack.Frame) {
			t.Parks += w.Count
			switch w.State {
			case sched.Sync, sched.Channel, sched.Select, sched.Network:
			default:
				return
			}
			one := TraceWait{State: w.State.String(), Count: w.Count, Ns: w.Ns, SpareNs: w.SpareNs, RanNs: w.RanNs}
			for _, f := range stack {
				one.Stack = append(one.Stack, *f)
			}
			waits = append(waits, one)
		})
		slices.SortFunc(waits, func(x, y TraceWait) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(y.Ns, x.Ns)) })
		t.Waits = append(t.Waits, waits[:min(len(waits), maxTraceWaits)]...)
	}
	if w != nil {
		for i := range w.Groups {
			if g := &w.Groups[i]; serves(g) && g.Count > 0 {
				t.Requests = append(t.Requests, TraceRequests{Handler: g.Name, Count: g.Count, Ns: g.Total(), AssistNs: g.Ns[wall.GCAssist], Calls: g.Calls})
			}
		}
	}
	return t
}

// LocationWait sums the waits at one statement of the user's own code.
type LocationWait struct {
	Place Location
	TraceWait
	Mechanism []string // the functions between the statement and the leaf
}

// OwnWaits adds up the waits of the user's own statements: those with only
// the runtime, package sync and internal packages between the statement
// and the wait. Of several stacks at one, Stack is the one with the most waits and SpareNs
// the largest.
func (s *Subject) OwnWaits() []*LocationWait {
	type key struct{}
	return Once(s, key{}, (*Subject).ownWaits)
}

func (s *Subject) ownWaits() (out []*LocationWait) {
	type at struct {
		place Location
		state string
	}
	index := make(map[at]*LocationWait)
	most := make(map[*LocationWait]int64)
	for i := range s.Trace.Waits {
		w := &s.Trace.Waits[i]
		leaf := slices.IndexFunc(w.Stack, func(f callstack.Frame) bool { return !isWaiting(symbolname.Package(f.Function)) })
		if leaf < 0 || !s.Own(&w.Stack[leaf]) {
			continue
		}
		f := &w.Stack[leaf]
		st := s.Statement(f.File, f.Line)
		k := at{st.Place(f.Function), w.State}
		p := index[k]
		if p == nil {
			p = &LocationWait{Place: k.place, TraceWait: TraceWait{State: w.State}}
			index[k] = p
			out = append(out, p)
		}
		p.Count += w.Count
		p.Ns += w.Ns
		p.RanNs += w.RanNs
		p.SpareNs = max(p.SpareNs, w.SpareNs)
		if p.Stack == nil || w.Count > most[p] {
			most[p], p.Stack, p.Mechanism = w.Count, w.Stack[leaf:], nil
			for _, f := range w.Stack[:leaf] {
				p.Mechanism = append(p.Mechanism, f.Function)
			}
		}
	}
	return out
}

func isWaiting(pkg string) bool {
	return pkg == "runtime" || pkg == "sync" || pkg == "syscall" || strings.HasPrefix(pkg, "internal/")
}

// ParkNs is the most processor time that counts as the scheduler's for one
// wait: to park a goroutine, find another, and make it run again, for which a thread may
// have to be woken. The scheduler's samples beyond that are processors that
// look for work.
const ParkNs = 4000

// HandOff is the cost of short waits at some locations: shares of the CPU time of the
// base and the scheduler together.
//
// Let c be the CPU time of the base and s that of the scheduler, o what of c lies
// beneath the places in operations on channels and locks (the lower end of the 95 %
// Wilson interval of their samples), n the waits there of N in
// all, and T the CPU time in the trace. Operations are o/(c + s), and the scheduler's
// part is the smaller of s/(c + s)·n/N and n·ParkNs/T. T is the time of all processors
// in the trace, as far as the operating system gave it: the CPU time of the profile by
// its duration, divided by the processors in use in the trace, at most 1.
type HandOff struct {
	Waits     int64
	Operate   float64
	Schedule  float64
	Samples   Keep  // of the base, in the operations
	PerSecond int64 // waits, of the trace's time
	RanNs     int64 // on average before a wait
	samples   int64
}

// Share returns the share of time that would be saved if nobody waited there.
func (h *HandOff) Share() float64 { return min(h.Operate+h.Schedule, 1) }

// HandOff computes the cost of waiting at places.
func (s *Subject) HandOff(at []*LocationWait) HandOff {
	h := HandOff{}
	mem, t := s.memory(), s.Trace
	for _, w := range at {
		h.Waits += w.Count
		h.RanNs += w.RanNs
	}
	whole := mem.base + mem.schedule
	if h.Waits == 0 || t.Parks == 0 || t.ProcNs <= 0 || whole <= 0 {
		return h
	}
	h.RanNs /= h.Waits
	h.PerSecond = int64(float64(h.Waits) / float64(t.SpanNs) * 1e9)
	h.Samples = baseWhere(s.CPU, s.CPUColumn, func(stack []callstack.FrameID) bool {
		operates := false
		for _, id := range stack {
			f := s.CPU.Frame(id)
			if s.Own(f) {
				return operates && anyHolds(at, f)
			}
			operates = operates || isOperation(f.Function)
		}
		return false
	})
	h.samples = s.CPUSamples(h.Samples)
	sure := stat.Wilson(int(h.samples), int(s.BaseCPUSamples()), 0.95).Low
	h.Operate = max(sure, 0) * ratio(mem.base, whole)
	h.Schedule = min(ratio(mem.schedule, whole)*float64(h.Waits)/float64(t.Parks), float64(h.Waits)*ParkNs/float64(t.ProcNs)/s.given())
	return h
}

// given returns the part of the time of the trace's processors that was CPU time: on a busy
// machine a thread that does not run has its processor all the same.
func (s *Subject) given() float64 {
	if s.CPU.Duration <= 0 || s.Trace.SpanNs <= 0 {
		return 1
	}
	used := float64(s.CPU.Total(s.CPUColumn)) / float64(s.CPU.Duration)
	part := used / (float64(s.Trace.ProcNs) / float64(s.Trace.SpanNs))
	if !(part > 0) {
		return 1
	}
	return min(part, 1)
}

func anyHolds(at []*LocationWait, f *callstack.Frame) bool {
	return slices.ContainsFunc(at, func(w *LocationWait) bool { return w.Place.Holds(f.File, f.Line) })
}

// Holds reports whether a line is one of the place's.
func (p *Location) Holds(file string, line int) bool {
	return file == p.File && p.Line <= line && line <= max(p.EndLine, p.Line)
}

// OwnSamples adds the base samples of the CPU profile that are as asked for up by the
// statement of the innermost frame of the user's own, in the order in which they come.
func (s *Subject) OwnSamples(is func(function string) bool) (out []LocationSamples) {
	index := make(map[Location]int)
	EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		found := is == nil
		for _, id := range stack {
			f := s.CPU.Frame(id)
			if found = found || is(f.Function); !s.Own(f) {
				continue
			}
			if !found {
				return
			}
			st := s.Statement(f.File, f.Line)
			p := st.Place(f.Function)
			i, ok := index[p]
			if !ok {
				i = len(out)
				index[p] = i
				out = append(out, LocationSamples{Place: p})
			}
			out[i].Add(sample.Index())
			return
		}
	})
	return out
}

// LocationSamples are the samples of one statement.
type LocationSamples struct {
	Place Location
	Set
}

// isOperation knows the functions in which goroutines wait for each other.
func isOperation(function string) bool {
	for _, prefix := range []string{"runtime.chansend", "runtime.chanrecv", "runtime.closechan", "runtime.selectgo", "runtime.selectnb", "sync.(*Cond).", "sync.(*WaitGroup).", "sync.(*Mutex).", "sync.(*RWMutex)."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

// Evidence returns the figures in sentences.
func (h *HandOff) Evidence(s *Subject) []finding.Evidence {
	return []finding.Evidence{
		{Kind: "trace", Text: fmt.Sprintf("%s at both ends in %s of the trace, %s a second; a goroutine ran for %s between two of them on average",
			quantity.Plural(int(h.Waits), "wait"), quantity.Nanoseconds(float64(s.Trace.SpanNs)), quantity.Count(float64(h.PerSecond)), quantity.Nanoseconds(float64(h.RanNs)))},
		{Kind: "cpu", Text: fmt.Sprintf("operations there take at least %s of the CPU time of the measured code and the scheduler (%s), and the scheduler's work for these waits %s",
			quantity.Percent(h.Operate), quantity.Plural(int(h.samples), "sample"), quantity.Percent(h.Schedule))},
	}
}
