package finding

import (
	"cmp"
	"slices"
)

// MaxCeiling bounds CeilingRatio: a share of 1 would give infinity.
const MaxCeiling = 100

// Confidence is the strength of the evidence.
type Confidence string

const (
	High   Confidence = "high"   // profile and source agree, enough samples
	Medium Confidence = "medium" // one of them is missing or the samples are few
	Low    Confidence = "low"    // a pointer, not a claim
)

// Evidence is an observation that supports a finding, in a sentence with its
// figure ("312 of 1,040 samples pass through logrus.(*Entry).Info").
type Evidence struct {
	Kind string `json:"kind"` // "cpu", "allocs", "mutex", "source", "compiler"
	Text string `json:"text"`
}

// Finding is a claim. The JSON names are a contract with scripts: keys are
// only ever added.
type Finding struct {
	Rule            string  `json:"rule"`
	Row             string  `json:"row,omitempty"` // of docs/rules.md, the piece of knowledge that it rests on
	Title           string  `json:"title"`
	Function        string  `json:"function"`
	File            string  `json:"file"` // relative to the root of the module or its workspace, where it lies inside it
	Line            int     `json:"line"`
	CPURatio        float64 `json:"cpu_ratio"`         // the place's cum share of the base's CPU samples
	AllocBytesRatio float64 `json:"alloc_bytes_ratio"` // the same of allocated bytes
	DelayRatio      float64 `json:"delay_ratio"`       // mutex delay / (that delay + the base's CPU time)
	// WaitRatio is the part of the time that is lost at the place according to an
	// execution trace; the evidence names the time. 0 without a trace.
	WaitRatio    float64 `json:"wait_ratio,omitempty"`
	CeilingRatio float64 `json:"ceiling_ratio"` // 1/(1 − avoidable share of time), at most MaxCeiling; a delay's share of the time is not DelayRatio but in benchmarks
	// CeilingWithGCRatio is the ceiling with the collector's background work
	// for the avoidable bytes gone too: see CeilingWithGC. At least CeilingRatio.
	CeilingWithGCRatio float64 `json:"ceiling_with_gc_ratio"`
	// WorthRatio is the largest part of the time that the remedy could save: Worth of
	// the avoidable shares. In a program DelayRatio replaces the wait. It orders
	// findings; a leak has none.
	WorthRatio float64 `json:"worth_ratio"`
	// The part of the two shares that the remedy removes, at most the share
	// itself and equal to it where a rule names the whole place.
	AvoidableCPURatio        float64 `json:"avoidable_cpu_ratio"`
	AvoidableAllocBytesRatio float64 `json:"avoidable_alloc_bytes_ratio"`
	// CPURatio is a share of this many samples, and the rule asks for as many
	// as CPUSamplesNeeded before it counts for the threshold.
	CPUSamples       int64 `json:"cpu_samples"`
	CPUSamplesNeeded int64 `json:"cpu_samples_needed"`
	// AllocBytesRatio is a share of this many allocations that were seen; 0 where
	// every one was counted, as in benchmarks. As many are needed.
	AllocSamples int64      `json:"alloc_samples,omitempty"`
	Confidence   Confidence `json:"confidence"`
	Evidence     []Evidence `json:"evidence"`
	Why          string     `json:"why"`
	Remedy       string     `json:"remedy"`
	Fixable      bool       `json:"fixable"`
	Benchmarks   []string   `json:"benchmarks"`
	// UnderLock is the place ("file:line") of the lock held while this place runs, if
	// DelayRatio is that lock's delay; "" elsewhere.
	UnderLock string `json:"under_lock,omitempty"`
	// Processors is how many processors (GOMAXPROCS) the waits for a lock were
	// seen on, of a finding about such waits; 0 unknown or of no meaning.
	Processors int `json:"processors,omitempty"`
	// Leak describes the leak, in a finding about one; else nil. Such findings
	// come before all others.
	Leak *Leak `json:"leak,omitempty"`
	// Unknown shares are 0 here and null in JSON.
	Unknown Unknown `json:"-"`
}

// Leak is the amount that a target leaks.
type Leak struct {
	Kind       string `json:"kind"` // LeakGoroutines or LeakBytes
	Count      int64  `json:"count"`
	Operations int64  `json:"operations,omitempty"` // iterations or requests that leaked it; 0: unknown
	// PerOperation is Count by Operations; nil where those are unknown.
	PerOperation *float64 `json:"per_operation"`
}

// Kinds of leaks.
const (
	LeakGoroutines = "goroutines"
	LeakBytes      = "bytes"
)

// rank returns the class of a finding: what ends a process stands before what slows
// it down, and goroutines before the memory that they may hold.
func (f *Finding) rank() int {
	switch {
	case f.Leak == nil:
		return 0
	case f.Leak.Kind == LeakGoroutines:
		return 2
	}
	return 1
}

func (f *Finding) left() int64 {
	if f.Leak == nil {
		return 0
	}
	return f.Leak.Count
}

// Unknown names the shares that nothing was recorded for. Without a CPU sample
// of the base no share of time is known, nor a ceiling.
type Unknown struct{ CPU, AllocBytes, Delay bool }

// FewSamples reports whether CPURatio is known, but of fewer samples than the
// rule needs to rely on it.
func (f *Finding) FewSamples() bool {
	return !f.Unknown.CPU && f.CPUSamples < f.CPUSamplesNeeded
}

// FewAllocs is the same of AllocBytesRatio.
func (f *Finding) FewAllocs() bool {
	return f.AllocSamples > 0 && f.AllocSamples < f.CPUSamplesNeeded
}

// Weight returns the largest of the shares.
func (f *Finding) Weight() float64 {
	return max(f.CPURatio, f.AllocBytesRatio, f.DelayRatio, f.WaitRatio)
}

// Ceiling returns 1/(1 − share), at most MaxCeiling: the largest possible gain
// in time if a part that takes share (in [0,1]) of it cost nothing (Amdahl
// 1967).
func Ceiling(share float64) float64 {
	switch {
	case share >= 1-1.0/MaxCeiling:
		return MaxCeiling
	case share > 0:
		return 1 / (1 - share)
	}
	return 1 // no share, or none that is known (NaN)
}

// CeilingWithGC returns the ceiling of a change that removes the share cpu of the
// base's CPU time and the share alloc of its bytes, if with those that share of
// the collector's own work went too. base is the base's CPU time
// and gc the collector's in the background, in the same unit:
//
//	Ceiling((cpu·base + alloc·gc) / (base + gc))
//
// A collector that runs on processors of its own is not waited for, so the
// result is never below the ceiling of cpu alone.
func CeilingWithGC(cpu, alloc, base, gc float64) float64 {
	if base+gc <= 0 {
		return Ceiling(cpu)
	}
	return max(Ceiling(cpu), Ceiling((cpu*base+alloc*gc)/(base+gc)))
}

// doubtful is what worth of low confidence counts for in the order: a pointer
// leads only where it is worth more than twice what is sure.
const doubtful = 0.5

// lead returns what a finding's worth counts for in the order.
func (f *Finding) lead() float64 {
	if f.Confidence == Low {
		return doubtful * f.WorthRatio
	}
	return f.WorthRatio
}

// Sort orders findings by rank, leaks first, then by worth like hot places, with low
// confidence halved, then by weight and by place, so that the order does not depend on
// the order in which they were found. At equal weight, work done under a lock comes
// first: it has the lock's own delay, and is what to move.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.rank(), a.rank()),
			cmp.Compare(b.left(), a.left()),
			cmp.Compare(b.lead(), a.lead()),
			cmp.Compare(b.Weight(), a.Weight()),
			cmp.Compare(underLock(&b), underLock(&a)),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule),
		)
	})
}

func underLock(f *Finding) int {
	if f.UnderLock != "" {
		return 1
	}
	return 0
}
