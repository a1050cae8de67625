package diagnose

import (
	"fmt"
	"math"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// baseSum adds column t over the base samples that keep selects; a nil keep
// selects none.
func baseSum(c *hot.Classified, t int, keep Keep) int64 {
	if c == nil || keep == nil {
		return 0
	}
	return c.Sum(t, func(i int) bool { return c.Class[i] == hot.Base && keep(i) })
}

// baseTotal returns the sum of column t over the whole base.
func (s *Subject) baseTotal(c *hot.Classified, t int) int64 {
	type column struct {
		of *hot.Classified
		t  int
	}
	if c == nil {
		return 0
	}
	return Once(s, column{c, t}, func(*Subject) int64 { return c.Sums(t)[hot.Base] })
}

// EachBase calls f for each base sample of a profile (nil: none) that has a
// value in column t and a stack, with the stack's frames, leaf first.
func EachBase(c *hot.Classified, t int, f func(sample *callstack.Stacks, stack []callstack.FrameID)) {
	if c == nil {
		return
	}
	for s := c.Stacks(c.Keep(hot.Base), t); s.Next(); {
		if len(s.Stack) > 0 { // of a sample without a stack nobody knows the place
			f(s, s.Stack)
		}
	}
}

// EachSample calls f for each base sample of the CPU profile and then of the
// allocation profile, as EachBase does.
func (s *Subject) EachSample(f func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID)) {
	of := func(c *hot.Classified, t int) {
		EachBase(c, t, func(sample *callstack.Stacks, stack []callstack.FrameID) { f(c, sample, stack) })
	}
	of(s.CPU, s.CPUColumn)
	of(s.Allocs, s.AllocCol)
}

// Sets are sets of a subject's samples, for rules that build them with EachSample.
type Sets struct{ CPU, Allocs Set }

// Of returns the set of a profile's samples.
func (x *Sets) Of(s *Subject, c *hot.Classified) *Set {
	if c == s.Allocs {
		return &x.Allocs
	}
	return &x.CPU
}

// Join adds another's samples.
func (x *Sets) Join(o *Sets) {
	for i := range o.CPU.in {
		x.CPU.Add(i)
	}
	for i := range o.Allocs.in {
		x.Allocs.Add(i)
	}
}

// Len returns the number of samples that the sets hold.
func (x *Sets) Len() int { return x.CPU.Len() + x.Allocs.Len() }

// Samples returns the samples in the sets.
func (x *Sets) Samples() Samples { return Samples{CPU: x.CPU.Keep(), Allocs: x.Allocs.Keep()} }

// Union selects what either of two sets of samples does.
func (s Samples) Union(o Samples) Samples {
	either := func(a, b Keep) Keep {
		switch {
		case a == nil:
			return b
		case b == nil:
			return a
		}
		return func(i int) bool { return a(i) || b(i) }
	}
	return Samples{CPU: either(s.CPU, o.CPU), Allocs: either(s.Allocs, o.Allocs)}
}

// CPUEvidence is "12 of 345 base samples do this"; nothing if none do.
func (s *Subject) CPUEvidence(of Keep, what string) []finding.Evidence {
	if of == nil {
		return nil
	}
	return []finding.Evidence{{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples %s", s.CPUSamples(of), s.BaseCPUSamples(), what)}}
}

// AllocEvidence is "4 % of the base's allocated bytes, 96 per request"; nothing
// where a set allocates nothing.
func (s *Subject) AllocEvidence(of Keep) []finding.Evidence {
	share := s.AllocShare(of)
	if share <= 0 {
		return nil
	}
	_, perOp := s.AllocBytes(of)
	return []finding.Evidence{{Kind: "allocs", Text: quantity.Percent(share) + " of the base's allocated bytes" + s.PerIteration(perOp)}}
}

// baseWhere selects the base samples with a value in column t whose stack is as
// asked for.
func baseWhere(c *hot.Classified, t int, is func(stack []callstack.FrameID) bool) Keep {
	var set Set
	EachBase(c, t, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if is(stack) {
			set.Add(sample.Index())
		}
	})
	return set.Has
}

// BaseCPUSamples returns the number of samples of the base in the CPU profile.
func (s *Subject) BaseCPUSamples() int64 {
	column, each := s.sampleCounts()
	return s.baseTotal(s.CPU, column) / each
}

// CPUSamples returns the number of base samples that a set holds.
func (s *Subject) CPUSamples(keep Keep) int64 {
	column, each := s.sampleCounts()
	return baseSum(s.CPU, column, keep) / each
}

// sampleCounts returns a column of the CPU profile, and how much of it a sample is.
func (s *Subject) sampleCounts() (column int, each int64) {
	if s.CPU == nil {
		return 0, 1
	}
	if t, err := s.CPU.TypeIndex("samples"); err == nil {
		return t, 1
	}
	return s.CPUColumn, max(s.CPU.Period, s.CPUPeriod.Nanoseconds(), 1)
}

// CPUShare returns the share of the base's CPU time that a set holds, in
// [0,1].
func (s *Subject) CPUShare(keep Keep) float64 {
	return ratio(baseSum(s.CPU, s.CPUColumn, keep), s.baseTotal(s.CPU, s.CPUColumn))
}

// AllocShare returns the share of the base's allocated bytes that a set holds,
// in [0,1]. It is 0 where the benchmark does not allocate.
func (s *Subject) AllocShare(keep Keep) float64 {
	if !s.allocates() {
		return 0
	}
	return ratio(baseSum(s.Allocs, s.AllocCol, keep), s.baseTotal(s.Allocs, s.AllocCol))
}

// AllocSamples returns the number of sampled allocations of the base; 0 if the profile
// counts every one, so that its shares have no sampling error.
//
// Of objects of b bytes the runtime samples each with the probability
// p = 1 − e^(−b/r), r the profile's rate in bytes, and the profile's counts are
// what it saw divided by p (runtime/pprof, scaleHeapSample). So a sample of n
// objects stands for n·p that were seen. With 512 KiB and objects of 1 KiB p is
// 0.00195, and 10,240 objects are 20.
func (s *Subject) AllocSamples() int64 {
	type key struct{}
	return Once(s, key{}, (*Subject).allocSamples)
}

func (s *Subject) allocSamples() int64 {
	if !s.SampledAllocs() {
		return 0
	}
	objects, err := s.Allocs.TypeIndex("alloc_objects")
	if err != nil {
		return 0
	}
	var seen float64
	for i, r := 0, s.Allocs.Rows(objects, s.AllocCol); r.Next(); i++ {
		n, bytes := r.Value(0), r.Value(1)
		if s.Allocs.Class[i] == hot.Base && n > 0 && bytes > 0 {
			seen -= float64(n) * math.Expm1(-float64(bytes)/float64(n)/float64(s.Allocs.Period))
		}
	}
	return int64(math.Round(seen))
}

// AllocBytes returns the bytes that a set of base samples allocated, and per
// iteration where the number of iterations is known.
func (s *Subject) AllocBytes(keep Keep) (bytes int64, perOp float64) {
	bytes = baseSum(s.Allocs, s.AllocCol, keep)
	if s.AllocIterations > 0 {
		perOp = float64(bytes) / float64(s.AllocIterations)
	}
	return bytes, perOp
}

// allocates reports whether there is an allocation to take shares of. Below
// one byte per operation it is the refill of a pool that a collection emptied,
// or the loop's leftover from one allocation.
func (s *Subject) allocates() bool {
	if s.Allocs == nil {
		return false
	}
	if s.BytesPerOp >= 0 {
		return s.BytesPerOp >= 1
	}
	if s.AllocIterations > 0 {
		return s.baseTotal(s.Allocs, s.AllocCol) >= s.AllocIterations
	}
	return true
}

// delay returns the mutex delay of a set, in nanoseconds.
func (s *Subject) delay(keep Keep) float64 { return float64(baseSum(s.Mutex, s.MutexCol, keep)) }

// delayShare returns d/(d + c), where d is a mutex delay and c the base's CPU
// time, in nanoseconds. They come from two runs: where both runs' iterations are
// known, d is scaled to the CPU profile's.
func (s *Subject) delayShare(d float64) float64 {
	if d <= 0 || s.CPU == nil {
		return 0
	}
	d = s.scaled(d, s.MutexIterations)
	return d / (d + float64(s.baseTotal(s.CPU, s.CPUColumn)))
}

// waitShare returns the part of the time that would be gained without a mutex delay of d
// nanoseconds, as far as the mutex profile knows it, in [0,1]. A benchmark's delay stands for time
// (delayShare). A request takes its own part of the delay longer: the delay by
// the requests it covers, divided by the mean service time. In a program
// goroutines wait side by side, and nobody knows which of them the end waits
// for: 0.
func (s *Subject) waitShare(d float64) float64 {
	if s.isBenchmark() {
		return s.delayShare(d)
	}
	wait, known := s.perRequest(d)
	if !known {
		return 0
	}
	return min(wait/s.Run.ServiceTimeNs, 1)
}

// perRequest divides d nanoseconds of mutex delay by the requests that they are
// of.
func (s *Subject) perRequest(d float64) (ns float64, known bool) {
	if s.Kind != recording.TargetService || s.Run == nil || s.Run.ServiceTimeNs <= 0 || s.MutexIterations <= 0 || s.Mutex == nil {
		return 0, false
	}
	return d / float64(s.MutexIterations), true
}

// contentions returns how many waits a set of base samples of the mutex
// profile stands for.
func (s *Subject) contentions(keep Keep) int64 {
	if s.Mutex == nil {
		return 0
	}
	t, err := s.Mutex.TypeIndex("contentions")
	if err != nil {
		return 0
	}
	return baseSum(s.Mutex, t, keep)
}

func ratio(part, whole int64) float64 {
	if whole <= 0 || part <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// shares are the three figures of a set of samples; 0 where one is unknown.
type shares struct {
	cpu, alloc, delay float64
	wait              float64 // what the delay is of the time: see lockWait
	few               bool    // too few samples for the shares of time to count
	fewAllocs         bool    // the same for that of bytes
	fewWaits          bool    // the same for that of delay
}

// time returns the largest share of time that counts for the threshold.
func (s shares) time() float64 {
	switch {
	case s.few:
		return 0
	case s.fewWaits:
		return s.cpu
	}
	return max(s.cpu, s.delay)
}

// bytes returns the share of bytes that counts for the threshold.
func (s shares) bytes() float64 {
	if s.fewAllocs {
		return 0
	}
	return s.alloc
}

// part returns what is removed of the samples.
func (s shares) part(r Removed) shares {
	if r != (Removed{}) {
		s.cpu, s.alloc, s.delay, s.wait = r.Time*s.cpu, r.Bytes*s.alloc, r.Time*s.delay, r.Time*s.wait
	}
	return s
}

// max returns the largest share worth a word.
func (s shares) max() float64 { return max(s.time(), s.alloc) }

func (s *Subject) shares(set Samples, minSamples int) shares {
	out := shares{alloc: s.AllocShare(set.Allocs), few: s.BaseCPUSamples() < int64(minSamples)}
	if set.aboutWaits() {
		out.few = s.contentions(set.Mutex) < fewestWaits
	}
	if n := s.AllocSamples(); n > 0 {
		out.fewAllocs = n < int64(minSamples)
	}
	if s.MutexFraction > 1 {
		out.fewWaits = s.contentions(set.Mutex) < enoughWaits*s.MutexFraction
	}
	unknown := s.unknown(set.aboutWaits())
	if !unknown.CPU {
		out.cpu = s.CPUShare(set.CPU)
	}
	if !unknown.Delay {
		out.delay = s.delayShare(s.delay(set.Mutex))
	}
	if !unknown.CPU || set.aboutWaits() {
		out.wait, _ = s.lockWait(s.delay(set.Mutex))
	}
	return out
}

// enoughWaits is how many contentions a mutex profile must have sampled before
// their delay counts: a profile that counts each f times makes f seconds of a
// single one of a second.
const enoughWaits = 5

// unknown says for which shares nothing was recorded. A delay is compared with
// the base's CPU time, so it is unknown without that. Of what is about waits
// alone it is known where there is a CPU profile at all: code that only waits
// has no sample in it.
func (s *Subject) unknown(aboutWaits bool) finding.Unknown {
	cpu := s.BaseCPUSamples() == 0
	return finding.Unknown{CPU: cpu, AllocBytes: s.Allocs == nil, Delay: s.Mutex == nil || s.CPU == nil || cpu && !aboutWaits}
}

// weighedClaim is a claim with its shares.
type weighedClaim struct {
	rule      *Rule
	claim     Claim
	cost      shares
	avoidable shares
	above     bool
	underLock *Location // of the lock whose delay it took over; nil: of none
}

// leastWorth returns what a claim must be worth in time where its bytes are the reason.
func (s *Subject) leastWorth(c *Claim) float64 {
	switch {
	case c.InTime:
		return Threshold
	case s.isBenchmark():
		return bytesShow
	}
	return bytesMatter
}

// worth returns what a claim's place, or the part of it that the remedy removes, is
// worth in one subject, as a hot place is. Of a claim that selects no CPU samples,
// the allocator's work for its bytes is added. Where nobody knows what a wait is
// of the time, the delay by itself and the base's CPU time stands for it: a lock
// does not sink for that.
func (w *weighedClaim) worth(s *Subject, of shares) float64 {
	mem := s.memory()
	base, gc, wait := float64(mem.base), float64(mem.collect), of.wait
	if _, known := s.perRequest(0); !known {
		wait = of.delay
	}
	wait = max(wait, w.claim.Wait)
	if base+gc <= 0 {
		return max(of.alloc, wait) // all that is known
	}
	cpu := of.cpu
	if w.claim.Cost.CPU == nil && base > 0 {
		cpu = of.alloc * float64(mem.malloc) / base
	}
	return finding.Worth(cpu, of.alloc, base, gc, wait)
}

// weigh gives a claim its figures. matters is whether bytes alone are worth a word.
func (s *Subject) weigh(rule *Rule, c Claim, matters bool) weighedClaim {
	w := weighedClaim{rule: rule, claim: c, cost: s.shares(c.Cost, rule.MinSamples)}
	w.avoidable = w.cost
	if !c.Avoidable.empty() {
		w.avoidable = s.shares(c.Avoidable, rule.MinSamples)
	}
	w.avoidable = w.avoidable.part(c.Removed)
	switch {
	case c.Wait > 0:
		w.above = c.Wait >= Threshold && !(w.cost.few && slices.Contains(rule.Essential, EvidenceCPU))
	case c.aboutWaits():
		w.above = s.contended(&c)
	default:
		w.above = w.avoidable.time() >= Threshold || matters && w.avoidable.bytes() >= Threshold && w.worth(s, w.cost) >= s.leastWorth(&c)
	}
	return w
}
