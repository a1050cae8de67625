package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
)

const (
	// fewestWaits is the number of waits a lock needs for a conclusion about it.
	// A profile that sees every tenth has seen ten of them then, give or take
	// three.
	fewestWaits = 100
	// contendedShare is the share of a request's or an operation's time that
	// waiting for a lock must take to be a finding.
	contendedShare = 0.1
)

// aboutWaits reports whether a claim is about nothing but waiting for a lock.
// What decides about it is how often and how long others wait, and never a
// number of CPU samples: code that waits has few.
func (c *Claim) aboutWaits() bool { return c.Cost.aboutWaits() }

func (s Samples) aboutWaits() bool { return s.Mutex != nil && s.CPU == nil && s.Allocs == nil }

// contended reports whether enough waits for a lock take enough of the time: of
// a request, or of a benchmark's operation. A program has no operation whose
// time is known; there the delay must be a tenth of the run's wall time, as if
// somebody waited in every tenth moment, and a tenth of itself and the CPU time.
//
// Where work that needs no lock runs while it is held, the last is enough: a
// request that also waits in line for a processor takes so long for that, that
// its waits for the lock are a small part of it, and the work is in the way all
// the same.
func (s *Subject) contended(c *Claim) bool {
	if s.contentions(c.Cost.Mutex) < fewestWaits {
		return false
	}
	d := s.delay(c.Cost.Mutex)
	switch {
	case len(c.Held) > 0 && s.CPU != nil:
		return s.delayShare(d) >= contendedShare
	case s.Kind == recording.TargetService:
		if _, known := s.perRequest(d); known {
			return s.waitShare(d) >= contendedShare
		}
	case s.isBenchmark() && s.CPU == nil:
		return s.waitPerOperation(d) >= contendedShare
	}
	if s.Run != nil && s.Run.WallNs > 0 && d < contendedShare*float64(s.Run.WallNs) {
		return false
	}
	return s.CPU == nil || s.delayShare(d) >= contendedShare
}

// waitPerOperation is d/(n·p·t): the mutex delay d over n operations of t
// nanoseconds each, on p processors, which together have p times as long.
func (s *Subject) waitPerOperation(d float64) float64 {
	whole := float64(s.MutexIterations) * s.NsPerOp * float64(max(s.Procs, 1))
	if whole <= 0 {
		return 0
	}
	return d / whole
}

// lockWait returns the part of the time that would be gained without a mutex delay of d
// nanoseconds, by what sees most of the waits, and what that is.
//
// The mutex profile samples one contention in some, and charges the delay to who
// unlocks: it tells the locks apart, and of what all of them cost it gives an estimate.
// The block profile has every wait that is longer than its rate, and an execution trace
// has every wait there is. Let D be the delay of all of the module's locks by the mutex
// profile, and E that by one of the two; the claim's part of it is E·d/D. Of a benchmark
// that is compared with the CPU time of as many iterations, of a trace with the time of
// its processors; of a service with the time of the requests. The trace has the word
// where it shows fewestWaits waits for locks, or else the block profile.
//
// With d of 1.7 s, all there is, and c of 1 s of CPU time the mutex profile says
// 1.7/2.7, a ceiling of 2.7x; a trace in which goroutines wait for 4 s of locks while
// processors run for 1 s says 4/5, 5x.
func (s *Subject) lockWait(d float64) (share float64, by string) {
	all := lockDelay(s.lockPlaces(s.Mutex, s.MutexCol, false))
	if d <= 0 || all <= 0 {
		return s.waitShare(d), mutexWaits
	}
	part := min(d/all, 1)
	if share, ok := s.tracedWait(part); ok {
		return share, traceWaits
	}
	if share, ok := s.blockedWait(part); ok {
		return share, blockWaits
	}
	return s.waitShare(d), mutexWaits
}

// What the waits for a lock are known by.
const (
	mutexWaits = "the mutex profile, which samples them"
	blockWaits = "the block profile, which has every long one"
	traceWaits = "the execution trace, which has every one"
)

// tracedWait is lockWait by the execution trace.
func (s *Subject) tracedWait(part float64) (share float64, ok bool) {
	if s.Trace == nil {
		return 0, false
	}
	var n, ns, requests int64
	for _, w := range s.OwnWaits() {
		if w.ForLock() {
			n += w.Count
			ns += w.Ns
		}
	}
	for _, r := range s.Trace.Requests {
		requests += r.Ns
	}
	waited := part * float64(ns)
	switch {
	case n < fewestWaits:
	case s.isBenchmark() && s.Trace.ProcNs > 0:
		return waited / (waited + float64(s.Trace.ProcNs)), true
	case s.Kind == recording.TargetService && requests > 0:
		return min(waited/float64(requests), 1), true
	}
	return 0, false
}

// ForLock reports whether the waits at a place are for a sync.Mutex or RWMutex.
func (w *LocationWait) ForLock() bool {
	return w.State == "sync" && slices.ContainsFunc(w.Mechanism, func(f string) bool { return strings.Contains(f, "Mutex).") })
}

// blockedWait is lockWait by the block profile.
func (s *Subject) blockedWait(part float64) (share float64, ok bool) {
	places := s.lockPlaces(s.Block, s.BlockCol, false)
	var n int64
	for _, p := range places {
		n += p.Count
	}
	waited := part * lockDelay(places)
	switch {
	case n < fewestWaits || s.BlockIterations <= 0:
	case s.isBenchmark() && s.CPU != nil && s.CPUIterations > 0:
		waited = s.scaled(waited, s.BlockIterations)
		return waited / (waited + float64(s.baseTotal(s.CPU, s.CPUColumn))), true
	case s.Kind == recording.TargetService && s.Run != nil && s.Run.ServiceTimeNs > 0:
		return min(waited/float64(s.BlockIterations)/s.Run.ServiceTimeNs, 1), true
	}
	return 0, false
}

// ceilingEvidence says by what the ceiling of a claim about a lock is, where that is
// more than the mutex profile.
func (s *Subject) ceilingEvidence(w *weighedClaim) []finding.Evidence {
	if !w.claim.aboutWaits() || w.avoidable.wait <= 0 {
		return nil
	}
	d := s.delay(w.claim.avoidable().Mutex)
	share, by := s.lockWait(d)
	if by == mutexWaits {
		return nil
	}
	kind := "trace"
	if by == blockWaits {
		kind = "block"
	}
	return []finding.Evidence{{Kind: kind, Text: fmt.Sprintf("waiting for this lock takes %s of the time by %s, and %s by the mutex profile: the ceiling is computed from the former",
		quantity.Percent(share), by, quantity.Percent(s.waitShare(d)))}}
}

// locksUnseen says that a mutex profile would name the locks that the CPU profile shows
// goroutines to wait for; "" where it shows none, or the mutex profile is not what lacks.
func (s *Subject) locksUnseen(lacks string) string {
	waiting := baseWhere(s.CPU, s.CPUColumn, func(stack []callstack.FrameID) bool {
		return slices.ContainsFunc(stack, func(id callstack.FrameID) bool {
			fn := s.CPU.Frame(id).Function
			return (strings.HasPrefix(fn, "sync.") || strings.HasPrefix(fn, "internal/sync.")) && (strings.Contains(fn, "ockSlow") || strings.Contains(fn, "runtime_Sem"))
		})
	})
	share := s.CPUShare(waiting)
	if !strings.Contains(lacks, string(EvidenceMutex)) || share < Threshold {
		return ""
	}
	how := "runtime.SetMutexProfileFraction(10) in the program"
	if s.isBenchmark() {
		how = "go test -mutexprofile, or whet tune"
	}
	return fmt.Sprintf("; waiting for locks takes %s of the base's CPU time, and that profile would show for which: %s", quantity.Percent(share), how)
}
