package diagnose

import (
	"fmt"
	"math"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/stat"
)

// memoryManagement is the CPU time in nanoseconds that a process spent
// allocating (in the base), collecting and scheduling (in the background).
type memoryManagement struct {
	malloc, collect  int64
	base, background int64 // all of the two classes
	schedule         int64 // of the background: neither collecting nor making way, nor user code
	process          int64 // all samples
	samples          int64 // how many process is; 0: unknown
	sched            recording.Scheduling
	schedUnknown     bool // of one of the processes at least
}

// allocationMatters is the share of all CPU time of the process that
// allocating and collecting must reach before bytes alone make a finding.
const allocationMatters = 0.01

// bytesMatter is the share of the time of a program or a service that a claim about
// bytes must be worth: 76 % of the bytes are nothing where they take 1 % of the time.
// Of a benchmark bytes are a figure by themselves, which has to show in its time all
// the same: below half a hundredth it is at most 1.00x faster.
const (
	bytesMatter = 0.02
	bytesShow   = 0.005
)

// allocationSamples is the fewest samples that can say so: package testing
// forces a collection or two itself, and of a short run the one or two samples
// of that are more than a hundredth.
const allocationSamples = 3

func (s *Subject) memory() memoryManagement {
	type key struct{}
	return Once(s, key{}, (*Subject).manage)
}

func (s *Subject) manage() (m memoryManagement) {
	if s.CPU == nil {
		return m
	}
	if s.Scheduling != nil && s.Scheduling.WallNs > 0 {
		m.sched = *s.Scheduling
	} else {
		m.schedUnknown = true
	}
	counts, err := s.CPU.TypeIndex("samples")
	m.process = s.CPU.Total(s.CPUColumn)
	if err == nil {
		m.samples = s.CPU.Total(counts)
	}
	for sample := s.CPU.Stacks(nil, s.CPUColumn); sample.Next(); {
		class, v := s.CPU.Class[sample.Index()], sample.Value(s.CPUColumn)
		var inMalloc, inCollector, yields bool
		if class == hot.Base || class == hot.Background {
			for _, id := range sample.Stack {
				fn := s.CPU.Frame(id).Function
				inMalloc = inMalloc || isMalloc(fn)
				inCollector = inCollector || isCollector(fn)
				yields = yields || isYield(fn)
			}
		}
		switch class {
		case hot.Base:
			m.base += v
			if inMalloc {
				m.malloc += v
			}
		case hot.Background:
			m.background += v
			switch {
			case inCollector:
				m.collect += v
			case !yields:
				m.schedule += v
			}
		}
	}
	return m
}

// CollectorShare returns the share of the CPU time of the base and the runtime's background
// work that the garbage collector's own goroutines take, in [0,1].
func (s *Subject) CollectorShare() float64 {
	m := s.memory()
	return ratio(m.collect, m.base+m.background)
}

func isMalloc(fn string) bool {
	return strings.HasPrefix(fn, "runtime.mallocgc") || fn == "runtime.newobject" || fn == "runtime.growslice" || fn == "runtime.gcAssistAlloc"
}

// isCollector knows the roots and entry points of the collector's own
// goroutines.
func isCollector(fn string) bool {
	switch fn {
	case "runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart", "runtime.gcMarkDone", "runtime.gcDrain", "runtime.runFinalizers", "runtime.runCleanups":
		return true
	}
	return strings.HasPrefix(fn, "runtime.gcBgMarkWorker")
}

// add takes in another subject's.
func (m *memoryManagement) add(o memoryManagement) {
	m.malloc += o.malloc
	m.collect += o.collect
	m.base += o.base
	m.background += o.background
	m.process += o.process
	m.schedule += o.schedule
	m.samples += o.samples
	m.sched.Add(o.sched)
	m.schedUnknown = m.schedUnknown || o.schedUnknown
}

// wanted returns how many processors a process used or was ready to use on average,
// by the system's scheduler: the rest of its time it waited.
func (m *memoryManagement) wanted() (processors float64, known bool) {
	if m.schedUnknown || m.sched.WallNs <= 0 {
		return 0, false
	}
	return float64(m.sched.CPUNs+m.sched.RunDelayNs) / float64(m.sched.WallNs), true
}

// waitsForChildren reports whether for most of the time that it waits a process
// has another running that it started, and the share of the wall time that is.
func (m *memoryManagement) waitsForChildren() (share float64, ok bool) {
	wanted, known := m.wanted()
	if !known {
		return 0, false
	}
	share = ratio(m.sched.ChildrenNs, m.sched.WallNs)
	return share, share > 0 && share >= (1-wanted)/2
}

// isYield knows how a goroutine that could go on makes way for others: the
// collector's sweeper does all the time, and nothing waits for anything.
func isYield(fn string) bool {
	return fn == "runtime.gosched_m" || fn == "runtime.gopreempt_m" || fn == "runtime.goschedImpl"
}

// share of the CPU time of base and background.
func (m memoryManagement) share() float64 {
	return ratio(m.malloc+m.collect, m.base+m.background)
}

// near says that another run may fall on the other side of what tells
// allocation-bound from CPU-bound: the 95 % Wilson interval of the share holds the
// threshold. "" where it does not, or the number of samples is unknown.
func (m memoryManagement) near() string {
	n := int(math.Round(float64(m.samples) * ratio(m.base+m.background, m.process)))
	share := stat.Wilson(int(math.Round(m.share()*float64(n))), n, 0.95)
	if n == 0 || share.Low > allocationBound || share.High < allocationBound {
		return ""
	}
	return fmt.Sprintf("; near the threshold: allocation and garbage collection take %s ± %.1f of CPU time, and the limit between allocation-bound and CPU-bound is %s",
		quantity.Percent(m.share()), 50*(share.High-share.Low), quantity.Percent(allocationBound))
}

// matters reports whether allocation takes enough of the process for
// bytes alone to be a finding. Without CPU samples nothing speaks against it.
func (m memoryManagement) matters() bool {
	if m.process == 0 {
		return true
	}
	share := ratio(m.malloc+m.collect, m.process)
	if m.samples > 0 && math.Round(share*float64(m.samples)) < allocationSamples {
		return false
	}
	return share >= allocationMatters
}

const (
	// collectorMatters is the share of the CPU time of base and background from which
	// the collector's settings are worth a word.
	collectorMatters = 0.1
	// smallHeap is how many bytes may be alive for a heap of five times as many to be
	// affordable nearly everywhere.
	smallHeap = 200 << 20
)

// collectorText says what GOGC would do for the heap that was seen of a program or a
// service. Between two collections GOGC hundredths of what is alive are allocated, 100
// by default: with 400 the collector works a quarter as often, and the heap grows to
// 1 + 4 times what is alive.
func collectorText(subjects []*Subject, m memoryManagement) string {
	share := ratio(m.collect, m.base+m.background)
	if len(subjects) != 1 || share < collectorMatters {
		return ""
	}
	live := subjects[0].LiveHeap
	if subjects[0].isBenchmark() || !live.Known || live.Steady || live.To <= 0 || live.To > smallHeap {
		return ""
	}
	return fmt.Sprintf("; garbage collection takes %s of CPU time for a live heap of %s: GOGC=400 makes collections a quarter as frequent as the default, with a heap of some %s, which GOMEMLIMIT can bound",
		quantity.Percent(share), quantity.Bytes(live.To), quantity.Bytes(5*live.To))
}
