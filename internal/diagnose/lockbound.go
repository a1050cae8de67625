package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/contention"
	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
)

const (
	// lockBound is the delay at locks by that delay and the base's CPU time from
	// which a lock is the bottleneck: one second of waiting for two of work. Two
	// processors that take turns at a lock that is always held reach one half,
	// n of them (n−1)/n.
	lockBound = 1.0 / 3
	// enoughDelay, in nanoseconds, is worth ten samples of the CPU profile.
	enoughDelay = 1e8
)

// lockVerdict judges by the mutex profile, where no trace has said more: for
// benchmarks and programs by lockBound, for a service by how many of the
// requests in flight wait for locks on average.
func lockVerdict(subjects []*Subject, lock string) (Verdict, bool) {
	var delay, seen, cpu float64
	for _, s := range subjects {
		if s.Mutex == nil || s.CPU == nil || !s.Mutex.Parallel && !s.CPU.Parallel || s.judgedByTrace() {
			continue
		}
		d := lockDelay(s.lockPlaces(s.Mutex, s.MutexCol, false))
		if s.Kind == recording.TargetService {
			if v, ok := s.waitingRequests(d, lock); ok {
				return v, true
			}
			continue
		}
		seen += d
		delay += s.lockDelayOfCPU()
	}
	for _, s := range subjects {
		cpu += float64(s.baseTotal(s.CPU, s.CPUColumn))
	}
	if seen < enoughDelay || delay < lockBound*(delay+cpu) {
		return Verdict{}, false
	}
	v := Verdict{Kind: LockBound, Text: fmt.Sprintf("Lock-bound: goroutines wait for locks for %s per second of the measured code's CPU time", quantity.Nanoseconds(1e9*delay/max(cpu, 1)))}
	if cpu == 0 {
		v.Text = fmt.Sprintf("Lock-bound: goroutines waited for locks for %s, and the measured code has no CPU samples", quantity.Nanoseconds(delay))
	}
	return v.at(lock), true
}

// lockDelayOfCPU returns how long goroutines wait for locks in as many iterations as
// the CPU profile covers, in nanoseconds.
//
// The mutex profile samples one contention in f and counts it f times: where
// waits are few and long, a single one that is caught reads as f of them. The
// block profile counts every long wait once, from another run. Let m and b be
// the iterations of the two and c those of the CPU profile, and e the delay in
// the block profile: the delay is the smaller of d·c/m and e·c/b. With f of 10
// and one wait of 115 ms in 1 s, d is 1.15 s where e is 0.115 s.
//
// On a machine that is busy with other work the holder of a lock is off the
// processor too, and those who wait for it wait for that. Let r be the CPU time
// and q the run delay of the process: all it does takes (r + q)/r times as long,
// and of the delay r/(r + q) is compared with CPU time.
func (s *Subject) lockDelayOfCPU() float64 {
	d := s.shorterDelay(false)
	if q := s.Scheduling; q != nil && q.CPUNs > 0 {
		d *= float64(q.CPUNs) / float64(q.CPUNs+q.RunDelayNs)
	}
	return d
}

// shorterDelay returns the smaller of the two, of the module's locks or of tests'.
func (s *Subject) shorterDelay(ofTests bool) float64 {
	d := s.scaled(lockDelay(s.lockPlaces(s.Mutex, s.MutexCol, ofTests)), s.MutexIterations)
	if s.Block != nil && s.BlockIterations > 0 {
		d = min(d, s.scaled(lockDelay(s.lockPlaces(s.Block, s.BlockCol, ofTests)), s.BlockIterations))
	}
	return d
}

// scaled brings a delay of so many iterations to those of the CPU profile, where
// both are known.
func (s *Subject) scaled(delay float64, iterations int64) float64 {
	if iterations > 0 && s.CPUIterations > 0 {
		delay *= float64(s.CPUIterations) / float64(iterations)
	}
	return delay
}

func (v Verdict) at(lock string) Verdict {
	if lock != "" {
		v.Text += ", most of it for the lock at " + lock
	}
	return v
}

// waitingRequests: of the requests in flight, d·(r/m)/(w·n) wait for a lock,
// where d is the delay in nanoseconds over m requests, r the requests completed
// in the wall time of w nanoseconds, and n the requests in flight.
func (s *Subject) waitingRequests(d float64, lock string) (Verdict, bool) {
	run := s.Run
	if run == nil || run.WallNs <= 0 || run.Concurrency <= 0 || run.Requests <= 0 || s.MutexIterations <= 0 || d < enoughDelay {
		return Verdict{}, false
	}
	share := d * float64(run.Requests) / float64(s.MutexIterations) / (float64(run.WallNs) * float64(run.Concurrency))
	if share < waitsShare {
		return Verdict{}, false
	}
	return Verdict{Kind: LockBound, Text: fmt.Sprintf("Lock-bound: of %d requests in flight %.1f wait for a lock on average", run.Concurrency, min(share, 1)*float64(run.Concurrency))}.at(lock), true
}

// lockDelay returns how long goroutines waited at places, in nanoseconds.
func lockDelay(places []contention.Site) float64 {
	var d int64
	for _, p := range places {
		d += p.DelayNs
	}
	return float64(d)
}

// lockPlaces returns the locks of package sync that are waited for: by the module's code,
// or by tests and benchmarks. The runtime's own locks and sync.Once are not among
// them.
func (s *Subject) lockPlaces(c *hot.Classified, column int, ofTests bool) []contention.Site {
	if c == nil {
		return nil
	}
	count, err := c.TypeIndex("contentions")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(contention.Sites(c.Frames, column, count, c.Keep(hot.Base), s.Own), func(p contention.Site) bool {
		return p.Kind != contention.Lock || s.OfTest(p.File, p.Line) != ofTests
	})
}

// heaviestLock names the lock that is waited for longest: by the finding that
// has it, else by where it is waited for, else by where it is unlocked.
func heaviestLock(subjects []*Subject, findings []finding.Finding) string {
	var best *finding.Finding
	for i := range findings {
		f := &findings[i]
		if f.UnderLock == "" && !f.Unknown.Delay && f.DelayRatio >= Threshold && (best == nil || f.DelayRatio > best.DelayRatio) {
			best = f
		}
	}
	if best != nil {
		return fmt.Sprintf("%s:%d (%s)", brief(best.File), best.Line, brief(best.Function))
	}
	for _, of := range []func(*Subject) []contention.Site{
		func(s *Subject) []contention.Site { return s.lockPlaces(s.Block, s.BlockCol, false) },
		func(s *Subject) []contention.Site { return s.lockPlaces(s.Mutex, s.MutexCol, false) },
	} {
		var longest int64
		text := ""
		for _, s := range subjects {
			if places := of(s); len(places) > 0 && places[0].DelayNs > longest && places[0].Function != "" {
				at, function := s.lockAt(&places[0])
				longest, text = places[0].DelayNs, fmt.Sprintf("%s (%s)", brief(at), brief(function))
			}
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// judgedByTrace reports whether the execution trace has had its say. That of a
// service in which no request lies whole, as where each waits for longer than
// the trace lasts, has none.
func (s *Subject) judgedByTrace() bool {
	if s.Run == nil || s.Run.Wall == nil {
		return false
	}
	requests, known := s.Run.inside()
	return s.Kind != recording.TargetService || known && requests > 0
}

// lockAt returns where a lock is waited for, and the function.
func (s *Subject) lockAt(p *contention.Site) (at, function string) {
	return s.At(Location{File: p.File, Line: p.Line}), strings.TrimSuffix(p.Function, ".deferwrap1")
}
