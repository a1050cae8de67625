package timeline

import (
	"cmp"
	"slices"
)

// Kind is the kind of an interval.
type Kind uint8

const (
	Goroutine Kind = iota // in one state
	Mark                  // the collector marks
	Stop                  // the world is stopped, for Reason
	Heap                  // a moment: the heap has Value bytes
	Goal                  // a moment: the collector is to end at Value bytes
)

// Interval is one of them.
type Interval struct {
	FromNs, ToNs int64
	Goroutine    int64
	Waker        int64  // the goroutine that ended a wait, -1 where none is known
	Value        int64  // of Heap and Goal
	Start        string // the goroutine's start function, "" when unknown
	Reason       string
	Stack        uint32 // where the goroutine waits, 0 when unknown; numbers are the source's
	WakerStack   uint32
	Proc         int32 // on which it runs, else -1
	State        uint8 // the source's number of a state; 0 is running
	Kind         Kind
}

// Window is a part of time.
type Window struct{ FromNs, ToNs int64 }

const (
	// Points is how many points a course has.
	Points = 2048
	// step is by how much a level of the pyramid is finer than the one before.
	step      = 4
	maxBins   = 1 << 20 // of the finest level, over all processors
	maxRanges = 20000   // of the collector's
)

// Bin is the activity of a processor in a period.
type Bin struct {
	Fill  uint8 // the part in which it ran, of 255
	Class uint8 // with the most running time
}

// Proc is a processor's pyramid: Levels[0] has the fewest bins, and each level step
// times as many as the one before.
type Proc struct {
	Number int32
	Levels [][]Bin
}

// Course is a number over time, in Points points.
type Course []float64

// Range is an interval of the collector.
type Range struct {
	Window
	Reason string
}

// Timeline is the result of a [Builder].
type Timeline struct {
	Window
	BinNs  int64 // length of the finest bins
	Procs  []Proc
	States []Course // how many goroutines are in a state, by its number
	// Heap and Goal are the largest of each point's time; nil where the source says
	// nothing.
	Heap, Goal Course
	Marks      []Range
	Stops      []Range
	RangesLeft int        // marks and stops beyond the first 20,000 of each
	Windows    []Window   // in which Intervals has all
	Intervals  []Interval // of goroutines, by goroutine and time
}

// Options select the contents.
type Options struct {
	Window
	Classes map[string]uint8 // of start functions; others are class 0
	States  int              // how many there are
	Procs   int              // about how many processors there will be
	Keep    []Window         // in which intervals are kept, rising, none over another
	Most    int              // how many in all; a window that has more than its part is cut
}

// Builder takes intervals in.
type Builder struct {
	o     Options
	t     Timeline
	bins  int // of the finest level
	procs map[int32]*run
	diffs []Course // change of the number at each point
	keep  []windowQuota
}

// run is the finest level of a processor.
type run struct {
	bins []Bin
	at   int // the bin at hand
	ns   [256]int64
}

type windowQuota struct {
	Window
	most, has int
	cut       bool
}

// New returns a builder. The window must not be empty.
func New(o Options) *Builder {
	b := &Builder{o: o, procs: make(map[int32]*run)}
	b.t.Window = o.Window
	b.bins = Points
	span := max(o.ToNs-o.FromNs, 1)
	for b.bins*step*max(o.Procs, 1) <= maxBins && span/int64(b.bins) > 1000 {
		b.bins *= step
	}
	b.t.BinNs = (span + int64(b.bins) - 1) / int64(b.bins)
	b.t.States, b.diffs = make([]Course, o.States), make([]Course, o.States)
	for i := range b.t.States {
		b.t.States[i], b.diffs[i] = make(Course, Points), make(Course, Points+1)
	}
	for i, w := range o.Keep {
		b.keep = append(b.keep, windowQuota{Window: w, most: o.Most/len(o.Keep) + (o.Most%len(o.Keep)+i)/len(o.Keep)})
	}
	return b
}

// Add takes one in.
func (b *Builder) Add(i *Interval) {
	from, to := max(i.FromNs, b.t.FromNs), min(i.ToNs, b.t.ToNs)
	switch {
	case i.Kind == Heap:
		b.t.Heap = b.most(b.t.Heap, i)
		return
	case i.Kind == Goal:
		b.t.Goal = b.most(b.t.Goal, i)
		return
	case from >= to:
		return
	case i.Kind == Mark:
		b.t.Marks = b.ranged(b.t.Marks, from, to, i.Reason)
		return
	case i.Kind == Stop:
		b.t.Stops = b.ranged(b.t.Stops, from, to, i.Reason)
		return
	}
	if int(i.State) < len(b.diffs) {
		b.count(int(i.State), from-b.t.FromNs, to-b.t.FromNs)
	}
	if i.State == 0 && i.Proc >= 0 {
		b.ran(i, from-b.t.FromNs, to-b.t.FromNs)
	}
	for j := range b.keep {
		k := &b.keep[j]
		if from >= k.ToNs || to <= k.FromNs {
			continue
		}
		if k.has++; k.has > k.most && !k.cut {
			// What ends later and began before is in the window still.
			k.cut, k.ToNs = true, max(min(to, k.ToNs), k.FromNs)
			if from >= k.ToNs {
				continue
			}
		}
		b.t.Intervals = append(b.t.Intervals, *i)
		return
	}
}

func (b *Builder) ranged(to []Range, from, end int64, reason string) []Range {
	if len(to) == maxRanges {
		b.t.RangesLeft++
		return to
	}
	return append(to, Range{Window{from, end}, reason})
}

// most keeps the largest value of a point.
func (b *Builder) most(c Course, i *Interval) Course {
	if i.FromNs < b.t.FromNs || i.FromNs > b.t.ToNs {
		return c
	}
	if c == nil {
		c = make(Course, Points)
	}
	at := b.point(i.FromNs - b.t.FromNs)
	c[at] = max(c[at], float64(i.Value))
	return c
}

// pointNs returns the time of a point.
func (b *Builder) pointNs() float64 { return float64(b.t.ToNs-b.t.FromNs) / Points }

func (b *Builder) point(ns int64) int { return min(int(float64(ns)/b.pointNs()), Points-1) }

// count adds one goroutine to the points of a state: in part to those at the edges.
func (b *Builder) count(state int, from, to int64) {
	first, last, width := b.point(from), b.point(to), b.pointNs()
	c := b.t.States[state]
	if first == last {
		c[first] += float64(to-from) / width
		return
	}
	c[first] += float64(first+1) - float64(from)/width
	c[last] += float64(to)/width - float64(last)
	b.diffs[state][first+1]++
	b.diffs[state][last]--
}

// ran adds to a processor's bins. It runs one goroutine after the other.
func (b *Builder) ran(i *Interval, from, to int64) {
	p := b.procs[i.Proc]
	if p == nil {
		if len(b.procs)*b.bins >= 4*maxBins {
			return // more processors than were foretold, by far
		}
		p = &run{bins: make([]Bin, b.bins)}
		b.procs[i.Proc] = p
	}
	class := b.o.Classes[i.Start]
	for from < to {
		at := min(int(from/b.t.BinNs), b.bins-1)
		if at < p.at {
			return // it ran twice at a time: the trace is damaged there
		}
		if at != p.at {
			p.settle(b.t.BinNs)
			p.at = at
		}
		end := min(to, int64(at+1)*b.t.BinNs)
		p.ns[class] += end - from
		from = end
	}
}

// settle writes the bin at hand.
func (p *run) settle(binNs int64) {
	var sum, most int64
	class := 0
	for c, ns := range p.ns {
		if sum += ns; ns > most {
			most, class = ns, c
		}
	}
	if sum > 0 {
		p.bins[p.at] = Bin{fill(float64(sum) / float64(binNs)), uint8(class)}
	}
	clear(p.ns[:])
}

// fill returns a part of 1, of 255: what ran at all is not nothing.
func fill(part float64) uint8 { return uint8(min(max(part*255+0.5, 1), 255)) }

// Finish returns the timeline.
func (b *Builder) Finish() *Timeline {
	for s, c := range b.t.States {
		n := 0.0
		for at := range c {
			n += b.diffs[s][at]
			c[at] += n
		}
	}
	for number, p := range b.procs {
		p.settle(b.t.BinNs)
		levels := [][]Bin{p.bins}
		for len(levels[0]) > Points {
			levels = append([][]Bin{coarser(levels[0])}, levels...)
		}
		b.t.Procs = append(b.t.Procs, Proc{number, levels})
	}
	slices.SortFunc(b.t.Procs, func(x, y Proc) int { return cmp.Compare(x.Number, y.Number) })
	for _, k := range b.keep {
		b.t.Windows = append(b.t.Windows, k.Window)
	}
	slices.SortFunc(b.t.Intervals, func(x, y Interval) int {
		return cmp.Or(cmp.Compare(x.Goroutine, y.Goroutine), cmp.Compare(x.FromNs, y.FromNs))
	})
	return &b.t
}

func coarser(of []Bin) []Bin {
	out := make([]Bin, len(of)/step)
	for i := range out {
		var sum int
		var by [256]int
		for _, bin := range of[i*step : (i+1)*step] {
			sum += int(bin.Fill)
			by[bin.Class] += int(bin.Fill)
		}
		if sum == 0 {
			continue
		}
		class := 0
		for c, n := range by {
			if n > by[class] {
				class = c
			}
		}
		out[i] = Bin{fill(float64(sum) / step / 255), uint8(class)}
	}
	return out
}
