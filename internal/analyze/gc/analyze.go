package gc

import (
	"maps"
	"math"
	"slices"

	"whet/internal/format/gctrace"
	"whet/internal/hist"
)

// Input is the log of one process.
type Input struct {
	Process *gctrace.Process
	// LimitBytes is the process's memory limit (GOMEMLIMIT); 0: none, or unknown.
	LimitBytes int64
	// Percent is GOGC; 0: unknown.
	Percent int
	// Recorded reports whether whet measured the process: whet and package testing
	// force collections around measurements.
	Recorded bool
}

// Range is the least, the median and the greatest of a size, in bytes.
type Range struct{ Least, Median, Most int64 }

// CPU is CPU time of the collector by its source, in nanoseconds.
type CPU struct {
	Stops, Background, Assist int64 // taken from the program
	Idle                      int64 // of processors that had nothing else to do
}

// Taken returns the CPU time that the collector took from the program.
func (c CPU) Taken() int64 { return plus(c.Stops, c.Background, c.Assist) }

func (c CPU) add(g *gctrace.Cycle) CPU {
	return CPU{
		plus(c.Stops, int64(g.SweepTermCPU), int64(g.MarkTermCPU)), plus(c.Background, int64(g.BackgroundCPU)),
		plus(c.Assist, int64(g.AssistCPU)), plus(c.Idle, int64(g.IdleCPU)),
	}
}

// Result is the analysis of a log. Times are since the runtime started.
type Result struct {
	Cycles, Forced int
	Recorded       bool  // as given
	Missing        int64 // cycles without a line
	// FromNs is 0 where the log has the first cycle, else that one's beginning; ToNs
	// is the end of the last one.
	FromNs, ToNs int64
	Procs        int // of the last cycle; 0: there is none

	Alive      Range // after each cycle
	Objects    Range // from metrics: allocated and not yet swept
	AliveNow   int64 // after the last one
	Goal       Range // of cycles that had one
	PeakBytes  int64 // the most heap at the end of marking
	PeakAtNs   int64
	LimitBytes int64 // as given

	AllocatedBytes int64 // from the first cycle on, see the package

	Pauses    hist.Histogram // two for each cycle
	PausedNs  int64
	LongestNs int64 // the longest of them
	LongestAt int64 // the beginning of its cycle

	CPU         CPU
	ProcessorNs float64 // GOMAXPROCS times the time from FromNs to ToNs

	// OverGoal is how many cycles ended above their goal.
	OverGoal int

	Inits      []gctrace.Init // as they ran
	InitNs     int64
	InitBytes  int64
	InitAllocs int64

	Conclusions []Conclusion
}

// SpanNs returns the time that the cycles span.
func (r *Result) SpanNs() int64 { return r.ToNs - r.FromNs }

// RatePerS returns the number of cycles per second of the span; NaN for no span.
func (r *Result) RatePerS() float64 { return per(float64(r.Cycles)*1e9, float64(r.SpanNs())) }

// AllocatedPerS is bytes allocated in a second.
func (r *Result) AllocatedPerS() float64 {
	return per(float64(r.AllocatedBytes)*1e9, float64(r.SpanNs()))
}

// Share returns a CPU time as a share of the processors' time.
func (r *Result) Share(ns int64) float64 { return per(float64(ns), r.ProcessorNs) }

// PausedRatio returns the share of the span in which the world was stopped.
func (r *Result) PausedRatio() float64 { return per(float64(r.PausedNs), float64(r.SpanNs())) }

func per(v, by float64) float64 {
	if by <= 0 {
		return math.NaN()
	}
	return v / by
}

// sizes counts sizes in MiB, as the runtime prints them.
type sizes map[int64]int

func (s sizes) add(bytes int64) { s[bytes>>20]++ }

// Analyze reads a log to its end.
func Analyze(in Input) *Result {
	p := in.Process
	r := &Result{Missing: p.Missing, LimitBytes: in.LimitBytes, Inits: p.Inits, Recorded: in.Recorded}
	for i := range p.Inits {
		r.InitNs, r.InitBytes, r.InitAllocs = plus(r.InitNs, int64(p.Inits[i].Wall)), plus(r.InitBytes, p.Inits[i].Bytes), plus(r.InitAllocs, p.Inits[i].Allocs)
	}
	w := newWatch(in)
	alive, goals := make(sizes), make(sizes)
	var before gctrace.Cycle
	for i, c := range p.Cycles.All() {
		start, end := int64(c.At), int64(c.At+c.Wall())
		if i == 0 {
			r.ToNs = start
			if c.N > 1 {
				r.FromNs = start
			} else {
				r.ToNs = 0
			}
		} else {
			r.AllocatedBytes = plus(r.AllocatedBytes, max(c.StartBytes-before.LiveBytes, 0))
		}
		r.AllocatedBytes = plus(r.AllocatedBytes, max(c.EndBytes-c.StartBytes, 0))
		end = max(end, r.ToNs) // moments are rounded
		r.ProcessorNs += float64(c.Procs) * float64(end-r.ToNs)
		r.ToNs = end
		r.Cycles++
		if c.Forced {
			r.Forced++
		}
		alive.add(c.LiveBytes)
		if c.GoalBytes != gctrace.NoGoal {
			goals.add(c.GoalBytes)
			if c.EndBytes > c.GoalBytes {
				r.OverGoal++
			}
		}
		if c.EndBytes > r.PeakBytes || i == 0 {
			r.PeakBytes, r.PeakAtNs = c.EndBytes, start
		}
		for _, pause := range []int64{int64(c.SweepTerm), int64(c.MarkTerm)} {
			r.Pauses.Record(pause)
			r.PausedNs = plus(r.PausedNs, pause)
			if pause > r.LongestNs {
				r.LongestNs, r.LongestAt = pause, start
			}
		}
		r.CPU = r.CPU.add(c)
		r.Procs, r.AliveNow = c.Procs, c.LiveBytes
		w.see(c)
		before = *c
	}
	r.Alive, r.Goal = alive.ranges(), goals.ranges()
	r.Conclusions = w.conclude(r)
	return r
}

func (s sizes) ranges() Range {
	n := 0
	for _, count := range s {
		n += count
	}
	if n == 0 {
		return Range{}
	}
	values := slices.Sorted(maps.Keys(s))
	// The median by nearest rank, as package hist has it.
	k := 0
	for seen := s[values[0]]; seen < (n+1)/2; seen += s[values[k]] {
		k++
	}
	return Range{values[0] << 20, values[k] << 20, values[len(values)-1] << 20}
}

// plus adds what is not negative, and stops at the largest number: a damaged log may
// hold any.
func plus(a int64, more ...int64) int64 {
	for _, b := range more {
		if a > math.MaxInt64-b {
			return math.MaxInt64
		}
		a += b
	}
	return a
}
