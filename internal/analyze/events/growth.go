package events

import (
	"fmt"
	"math"
	"time"

	"whet/internal/format/metrics"
	"whet/internal/quantity"
	"whet/internal/stat"
)

const (
	trendParts      = 12 // that a series is cut into
	fewestPoints    = 10
	shortestTrend   = int64(5 * time.Second)
	steadyTau       = 0.85
	lastThirdRatio  = 0.5 // of the whole's slope that the last third must have
	leastGoroutines = 10  // that a rise must have at least, in all
	leastHeap       = 4 << 20
	leastHeapRatio  = 0.1 // of what the heap was at first
)

// series is a quantity over time.
type series struct {
	ns    []int64
	value []float64
}

func (s *series) add(ns int64, v float64) {
	s.ns, s.value = append(s.ns, ns), append(s.value, v)
}

// trend is a steady rise.
type trend struct {
	perSecond stat.Interval
	at        Span
	from, to  float64 // medians of the first and the last part
}

// steady returns the trend of a series that rises from its beginning to its
// end. pick puts the values of one part together.
func (s *series) steady(pick func([]float64) float64) (trend, bool) {
	return s.steadyFor(pick, shortestTrend)
}

func (s *series) watched(shortest int64) bool {
	n := len(s.ns)
	return n >= fewestPoints && s.ns[n-1]-s.ns[0] >= shortest
}

func (s *series) steadyFor(pick func([]float64) float64, shortest int64) (trend, bool) {
	n := len(s.ns)
	if !s.watched(shortest) {
		return trend{}, false
	}
	parts := min(trendParts, n)
	var x, y, times []float64
	for _, ns := range s.ns {
		times = append(times, float64(ns-s.ns[0])/1e9)
	}
	for i := range parts {
		from, to := i*n/parts, (i+1)*n/parts
		x, y = append(x, stat.Median(times[from:to])), append(y, pick(s.value[from:to]))
	}
	all := stat.TheilSen(x, y, 0.95)
	third := parts - parts/3
	last := stat.TheilSen(x[third:], y[third:], 0.95)
	if !(all.Tau >= steadyTau && all.Slope.Low > 0 && all.Slope.Coverage > 0 && last.Slope.Center >= lastThirdRatio*all.Slope.Center) {
		return trend{}, false
	}
	return trend{perSecond: all.Slope, at: Span{s.ns[0], s.ns[n-1]}, from: y[0], to: y[parts-1]}, true
}

// growth finds goroutines and heaps that grow all along, in each life of the
// process.
func growth(in *Input, lives [][]metrics.Row) []Event {
	var out []Event
	for _, rows := range lives {
		var goroutines series
		for i := range rows {
			if r := &rows[i]; r.Goroutines != nil && in.Load.holds(r.TimeNs) {
				goroutines.add(r.TimeNs, float64(*r.Goroutines))
			}
		}
		if t, ok := goroutines.steady(stat.Median); ok && t.to-t.from >= leastGoroutines {
			out = append(out, t.event(Goroutines, fmt.Sprintf(
				"goroutines rose steadily by %s a second (95 %% interval %s to %s), from %s to %s over %s",
				quantity.Count(t.perSecond.Center), quantity.Count(t.perSecond.Low), quantity.Count(t.perSecond.High),
				quantity.Count(math.Round(t.from)), quantity.Count(math.Round(t.to)), length(t.at.EndNs-t.at.StartNs))))
		}
	}
	if len(in.Cycles) > 0 {
		var live series
		for i := range in.Cycles {
			c := &in.Cycles[i]
			if i > 0 && c.N <= in.Cycles[i-1].N {
				break // another process's, which started at another time
			}
			if ns := int64(c.At); in.Load.holds(ns) {
				live.add(ns, float64(c.LiveBytes))
			}
		}
		if e, ok := Growing(live.ns, live.value); ok {
			return append(out, e)
		}
		if len(live.ns) >= fewestPoints {
			return out
		}
	}
	for _, rows := range lives {
		// The first row after a collection has the least in it that is dead,
		// and the least of a part less than the others.
		var live series
		for i := 1; i < len(rows); i++ {
			if n, ok := rise(rows[i-1].GCCycles, rows[i].GCCycles); ok && n > 0 && rows[i].HeapLiveBytes != nil && in.Load.holds(rows[i].TimeNs) {
				live.add(rows[i].TimeNs, float64(*rows[i].HeapLiveBytes))
			}
		}
		if t, ok := live.steady(func(v []float64) float64 { return stat.Quantile(v, 0) }); ok {
			out = append(out, heapEvent(t, "the heap just after collections")...)
		}
	}
	return out
}

// Growing finds a heap that grows throughout, from the live heap at several times, in
// their order.
func Growing(ns []int64, alive []float64) (Event, bool) {
	s := series{ns, alive}
	if t, ok := s.steady(stat.Median); ok {
		for _, e := range heapEvent(t, "what the collector found alive") {
			return e, true
		}
	}
	return Event{}, false
}

func heapEvent(t trend, what string) []Event {
	if t.to-t.from < max(leastHeap, leastHeapRatio*t.from) {
		return nil
	}
	return []Event{t.event(Heap, fmt.Sprintf(
		"the live heap rose steadily by %s a second (95 %% interval %s to %s), from %s to %s over %s: %s",
		quantity.Bytes(t.perSecond.Center), quantity.Bytes(t.perSecond.Low), quantity.Bytes(t.perSecond.High),
		quantity.Bytes(t.from), quantity.Bytes(t.to), length(t.at.EndNs-t.at.StartNs), what))}
}

func (t trend) event(kind, text string) Event {
	return Event{
		Kind: kind, StartNs: t.at.StartNs, EndNs: t.at.EndNs,
		Value: t.perSecond.Center, Low: t.perSecond.Low, High: t.perSecond.High, Text: text,
	}
}
