package diagnose

import "whet/internal/recording"

const (
	// fewestWaits is how many waits a lock needs before anything is said of it.
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
