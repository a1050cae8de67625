package events

import (
	"whet/internal/format/metrics"
	"whet/internal/stat"
)

// shortestCourse is how long a quantity must be watched before its course means
// anything beside profiles that say the same. Alone it is shortestTrend.
const shortestCourse = int64(5e8)

// Course is the change of a quantity from the beginning of a series to its end.
type Course struct {
	Known    bool // there are enough points, over long enough
	Steady   bool // it rose all along, by the measure that growth has
	From, To float64
	Ns       int64
}

func (s *series) course(pick func([]float64) float64) Course {
	c := Course{Known: s.watched(shortestCourse)}
	if !c.Known {
		return c
	}
	c.Ns = s.ns[len(s.ns)-1] - s.ns[0]
	c.From, c.To = s.value[0], s.value[len(s.value)-1]
	if t, ok := s.steadyFor(pick, shortestCourse); ok {
		c.Steady, c.From, c.To = true, t.from, t.to
	}
	return c
}

// GoroutineCourse returns the course of the number of goroutines in the last life of
// the process, during the load. For a process with few rows a few are enough if each
// has more than the one before; then the warm-up counts too.
func GoroutineCourse(in Input) Course {
	count := func() *series {
		var s series
		for _, r := range in.lastLife() {
			if r.Goroutines != nil {
				s.add(r.TimeNs, float64(*r.Goroutines))
			}
		}
		return &s
	}
	c := count().course(stat.Median)
	if c.Known || in.Load == (Span{}) {
		return c
	}
	in.Load.StartNs = 0
	return count().fewCourse()
}

// HeapCourse returns the course of the live heap in the last life of the process, up
// to the end of the load: the live heap that the collector found, if it ran often
// enough; else the heap after its collections; and if it hardly ran, the smallest row
// of each part, which includes garbage. A growing heap is collected more and more
// rarely, so the warm-up counts, and a few collections are enough if each finds more
// than the one before.
func HeapCourse(in Input) Course {
	least := func(v []float64) float64 { return stat.Quantile(v, 0) }
	if in.Load != (Span{}) {
		in.Load.StartNs = 0
	}
	rows := in.lastLife()
	var found, after, all series
	for _, c := range sane(in.Cycles) {
		if ns := int64(c.At); in.Load.holds(ns) && len(rows) > 0 && ns >= rows[0].TimeNs {
			found.add(ns, float64(c.LiveBytes))
		}
	}
	if c := found.course(stat.Median); c.Known {
		return c
	} else if c := found.fewCourse(); c.Known {
		return c
	}
	for i := range rows {
		if rows[i].HeapLiveBytes == nil {
			continue
		}
		all.add(rows[i].TimeNs, float64(*rows[i].HeapLiveBytes))
		if i == 0 {
			continue
		}
		if n, ok := rise(rows[i-1].GCCycles, rows[i].GCCycles); ok && n > 0 {
			after.add(rows[i].TimeNs, float64(*rows[i].HeapLiveBytes))
		}
	}
	if c := after.course(least); c.Known {
		return c
	} else if c := after.fewCourse(); c.Known {
		return c
	}
	return all.course(least)
}

// fewestCollections, or rows, that say how a quantity went.
const fewestCollections = 4

// fewCourse returns the course of a few points: steady where each is above the one
// before, and the second half of the time rises at least half as fast as the
// whole.
func (s *series) fewCourse() Course {
	n := len(s.ns)
	if n < fewestCollections || s.ns[n-1]-s.ns[0] < shortestCourse {
		return Course{}
	}
	c := Course{Known: true, Steady: true, From: s.value[0], To: s.value[n-1], Ns: s.ns[n-1] - s.ns[0]}
	half := 0
	for i := 1; i < n; i++ {
		c.Steady = c.Steady && s.value[i] > s.value[i-1]
		if s.ns[i-1]-s.ns[0] < c.Ns/2 && i < n-1 {
			half = i
		}
	}
	slope := func(i int) float64 { return (c.To - s.value[i]) / float64(s.ns[n-1]-s.ns[i]) }
	c.Steady = c.Steady && slope(half) >= lastThirdRatio*slope(0)
	return c
}

// lastLife returns the rows of the last process while the load was on.
func (in *Input) lastLife() []metrics.Row {
	lives := metrics.Split(ordered(in.Rows))
	if len(lives) == 0 {
		return nil
	}
	var out []metrics.Row
	for _, r := range lives[len(lives)-1] {
		if in.Load.holds(r.TimeNs) {
			out = append(out, r)
		}
	}
	return out
}
