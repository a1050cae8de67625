package sched

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"whet/internal/format/exectrace"
)

// windows are the lengths for which the mutator utilization is sought.
var windows = [...]int64{10e3, 100e3, 1e6, 10e6, 100e6, 1e9}

const (
	maxPoints   = 1 << 20 // that are held of the longest window
	maxMoments  = 3
	markWorkers = "GC (dedicated)"
	markPart    = "GC (fractional)"
)

// Utilization is the smallest part of the processors' time left to the program in any
// window of a length, after the time of the collector's workers (except those on idle
// processors), assists and stops of the world.
//
// Source of the idea: Cheng and Blelloch, "A parallel, real-time garbage collector",
// 2001. A minimum is found exactly: at it a window begins or ends with a change.
type Utilization struct {
	WindowNs int64
	Ratio    float64
	Worst    []Moment // the worst windows, none over another, rising; none where Ratio is 1
}

// Moment is a window.
type Moment struct {
	AtNs  int64 // when it begins
	Ratio float64
}

// mutator reckons the utilization while events go by.
type mutator struct {
	procs     int
	inGC      int  // processors that work for the collector
	stopped   bool // the world is
	workers   bool // count
	executing []int64
	marking   map[int64]role
	points    []point // from the first that a window needs
	spans     []lookout
	lost      int64 // the length of a window that was given up
}

// role is what a goroutine does for the collector.
type role struct{ worker, executing bool }

// point is where the utilization changes.
type point struct {
	ns    int64
	sum   float64 // of the time before it, since the beginning
	ratio float64 // from it on
}

// lookout is the search for one length of windows.
type lookout struct {
	Utilization
	next int // the first point at which a window begins that is not over
}

func newMutator() *mutator {
	return &mutator{workers: true, marking: make(map[int64]role)}
}

// restart looks for windows from ns on.
func (m *mutator) restart(ns int64) {
	m.points, m.spans, m.lost = nil, nil, 0
	if m.procs > 0 {
		m.begin(ns)
	}
}

func (m *mutator) begin(ns int64) {
	m.points = append(m.points, point{ns, 0, m.ratio()})
	for _, w := range windows {
		m.spans = append(m.spans, lookout{Utilization: Utilization{WindowNs: w, Ratio: 1}})
	}
}

func (m *mutator) ratio() float64 {
	if m.stopped {
		return 0
	}
	return 1 - float64(min(m.inGC, m.procs))/float64(m.procs)
}

func executes(s exectrace.State) bool { return s == exectrace.Running || s == exectrace.Syscall }

// event follows who works for the collector.
func (m *mutator) event(e *exectrace.Event, b *exectrace.Batch) {
	was, is := false, false
	switch e.Kind {
	case exectrace.Change:
		to := executes(e.To)
		if e.From == exectrace.Unknown && to {
			m.executing = append(m.executing, e.Goroutine)
		} else if len(m.executing) > 0 && !to {
			if i := slices.Index(m.executing, e.Goroutine); i >= 0 {
				m.executing = slices.Delete(m.executing, i, i+1)
			}
		}
		if len(m.marking) == 0 {
			return
		}
		r, ok := m.marking[e.Goroutine]
		if !ok || r.executing == to {
			return
		}
		was, is = r.executing, to
		if r.executing = to; r.worker && !to || e.To == exectrace.Gone {
			delete(m.marking, e.Goroutine)
		} else {
			m.marking[e.Goroutine] = r
		}
	case exectrace.Label:
		if name := b.String(e.Name); !m.workers || name != markWorkers && name != markPart {
			return
		}
		was, is = m.marking[e.Actor].executing, true
		m.marking[e.Actor] = role{worker: true, executing: true}
	case exectrace.RangeBegin, exectrace.RangeActive, exectrace.RangeEnd:
		switch {
		case e.Range == exectrace.StopWorld:
			m.stopped = e.Kind != exectrace.RangeEnd
		case e.Range != exectrace.MarkAssist:
			return
		case e.Kind == exectrace.RangeEnd:
			was = m.marking[e.Goroutine].executing
			delete(m.marking, e.Goroutine)
		default:
			was = m.marking[e.Goroutine].executing
			// One that began before the trace may wait at the moment.
			is = was || e.Kind == exectrace.RangeBegin || slices.Contains(m.executing, e.Goroutine)
			m.marking[e.Goroutine] = role{executing: is}
		}
	case exectrace.Procs:
		m.procs = int(min(max(e.Value, 1), 1<<20))
		if len(m.points) == 0 {
			m.begin(e.TimeNs)
			return
		}
	default:
		return
	}
	m.inGC += b2i(is) - b2i(was)
	if last := len(m.points) - 1; last >= 0 && m.points[last].ratio != m.ratio() {
		p := m.points[last]
		m.advance(e.TimeNs)
		m.points = append(m.points, point{e.TimeNs, p.sum + p.ratio*float64(e.TimeNs-p.ns), m.ratio()})
		m.forget()
	}
}

// advance looks at the windows that end up to ns: those that begin with a change
// and the one that ends with ns. Nothing changes between the last point and ns.
func (m *mutator) advance(ns int64) {
	last := m.points[len(m.points)-1]
	for i := range m.spans {
		s := &m.spans[i]
		for ; s.next < len(m.points) && m.points[s.next].ns+s.WindowNs <= ns; s.next++ {
			p := m.points[s.next]
			s.look(p.ns, last.sum+last.ratio*float64(p.ns+s.WindowNs-last.ns)-p.sum)
		}
		if s.next > 0 {
			p, begin := m.points[s.next-1], ns-s.WindowNs
			s.look(begin, last.sum+last.ratio*float64(ns-last.ns)-p.sum-p.ratio*float64(begin-p.ns))
		}
	}
}

// look takes in a window that leaves so much to the program.
func (s *lookout) look(at int64, sum float64) {
	ratio := min(max(sum/float64(s.WindowNs), 0), 1)
	if ratio == 1 || len(s.Worst) == maxMoments && ratio >= s.Worst[maxMoments-1].Ratio {
		return
	}
	over := func(m Moment) bool { return at < m.AtNs+s.WindowNs && m.AtNs < at+s.WindowNs }
	for _, m := range s.Worst {
		if m.Ratio <= ratio && over(m) {
			return
		}
	}
	s.Worst = slices.DeleteFunc(s.Worst, over)
	i, _ := slices.BinarySearchFunc(s.Worst, ratio, func(m Moment, r float64) int { return cmp.Or(cmp.Compare(m.Ratio, r), -1) })
	s.Worst = slices.Insert(s.Worst, i, Moment{at, ratio})
	s.Worst = s.Worst[:min(len(s.Worst), maxMoments)]
	s.Ratio = s.Worst[0].Ratio
}

// forget drops the points that no window needs any more, and the longest window
// where it needs too many.
func (m *mutator) forget() {
	needed := len(m.points)
	for _, s := range m.spans {
		needed = min(needed, max(s.next-1, 0))
	}
	if needed >= 1024 && needed >= len(m.points)/2 {
		m.points = slices.Delete(m.points, 0, needed)
		for i := range m.spans {
			m.spans[i].next -= needed
		}
	}
	if last := len(m.spans) - 1; len(m.points) > maxPoints && last > 0 {
		m.lost = m.spans[last].WindowNs
		m.spans = m.spans[:last]
	}
}

// finish returns what was found up to the end, and what could not be.
func (m *mutator) finish(end int64) (out []Utilization, warning string) {
	if len(m.points) == 0 {
		return nil, ""
	}
	m.advance(end)
	for _, s := range m.spans {
		if s.next > 0 {
			out = append(out, s.Utilization)
		}
	}
	if m.lost > 0 {
		warning = fmt.Sprintf("the garbage collector starts and stops too often to compute mutator utilization for windows of %v and longer", time.Duration(m.lost))
	}
	return out, warning
}
