package diagnose

import (
	"fmt"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// VerdictKind is the kind of bottleneck.
type VerdictKind string

const (
	CPUBound        VerdictKind = "cpu-bound"
	AllocationBound VerdictKind = "allocation-bound"
	Waiting         VerdictKind = "waiting"
	TooFewSamples   VerdictKind = "too-few-samples"
	LockBound       VerdictKind = "lock-bound"
	DownstreamBound VerdictKind = "downstream-bound" // waits for replies to its own requests
	NetworkBound    VerdictKind = "network-bound"    // waits on connections otherwise
	DiskBound       VerdictKind = "disk-bound"
	Throttled       VerdictKind = "throttled"       // by the control group
	GeneratorBound  VerdictKind = "generator-bound" // the load generator is the bottleneck
	Idle            VerdictKind = "idle"
)

// Verdict is the answer in one line.
type Verdict struct {
	Kind    VerdictKind `json:"kind"`
	Text    string      `json:"text"`
	Outcome Outcome     `json:"outcome"`
}

const (
	// allocationBound is the share of base and background CPU time from which
	// allocating and collecting is the bottleneck.
	allocationBound = 0.4
	// busyBelow is the CPU time per wall time below which a process waits, if
	// its own scheduler says so too; idleBelow is so little that nothing else
	// explains it.
	busyBelow = 0.5
	idleBelow = 0.05
	// parks is the share of samples in the scheduler of a process that parks
	// its goroutines and looks for others to run.
	parks = 0.1
	// longEnough, in nanoseconds of the wall clock, tells waiting from a run
	// that was too short.
	longEnough = 1e9
	// holds is the share of the base a function must hold to be named as the
	// place of the bottleneck.
	holds = 0.5
)

// verdict returns the bottleneck, what outcome says of it where no finding does, and
// what else happened that nobody must miss.
// pool has their samples where each has too few; nil: there is none.
func verdict(reg *Registry, subjects []*Subject, pool *Subject, findings []finding.Finding, outcome func(VerdictKind) (Outcome, string)) Verdict {
	v := bottleneck(reg, subjects, pool, findings).leaked(findings)
	var open string
	if v.Outcome, open = outcome(v.Kind); open != "" {
		v.Text += "; " + open
	}
	v.Text += leastScaling(subjects)
	for _, s := range subjects {
		if s.Run == nil {
			continue
		}
		for _, growth := range s.Run.Growth {
			if len(findings) > 0 && findings[0].Leak != nil {
				break // that has been said, and where
			}
			v.Text += "; and " + growth
		}
		if cores, crowded := s.otherWork(); crowded {
			v.Text += fmt.Sprintf("; other processes used %.1f of %s", cores, quantity.Plural(s.Run.MachineCores, "core"))
		}
	}
	return v
}

// bottleneck judges in this order, the first that holds: what conditionsVerdict
// knows of programs and services, no profile at all, a lock, waiting, too few
// samples, allocation, and the CPU.
func bottleneck(reg *Registry, subjects []*Subject, pool *Subject, findings []finding.Finding) Verdict {
	lock := heaviestLock(subjects, findings)
	if v, ok := conditionsVerdict(subjects, lock); ok {
		return v
	}
	need := int64(1)
	for i := range reg.rules {
		need = max(need, int64(reg.rules[i].MinSamples))
	}
	var cpu []*Subject
	var most int64
	var mem, free memoryManagement // free: of those that other processes did not keep from the CPU
	var freeWall int64
	for _, s := range subjects {
		if s.CPU == nil {
			continue
		}
		cpu = append(cpu, s)
		most = max(most, s.BaseCPUSamples())
		m := s.memory()
		mem.add(m)
		// One benchmark that had to stand by and another that parks its
		// goroutines would together look like one that waits.
		if !s.isBenchmark() || s.starvedByOthers(&m) == "" {
			free.add(m)
			freeWall += s.CPU.Duration
		}
	}
	over := ""
	if pool != nil && most < need {
		most = pool.BaseCPUSamples()
		over = fmt.Sprintf(", over %s together, which have %d samples", quantity.Plural(len(pool.Pool), "benchmark"), most)
	}
	byLock, lockIsIt := lockVerdict(subjects, lock)
	v := Verdict{}
	switch {
	case len(cpu) == 0:
		return Verdict{Kind: TooFewSamples, Text: "No CPU profile was recorded, so CPU time is unknown" + moreBenchmarks(subjects)}
	case lockIsIt:
		return byLock
	case free.waits(freeWall) && !judgedByTrace(subjects):
		v = Verdict{Kind: Waiting, Text: fmt.Sprintf("Waiting: the process used the CPU for %s of the wall time; the block profile and the execution trace show what it waits for (locks, channels, the network, the disk)", quantity.Percent(ratio(free.process, freeWall)))}
		if share, ok := free.waitsForChildren(); ok {
			v.Text = fmt.Sprintf("Waiting for child processes: the process used the CPU for %s of the wall time, and a child process ran for %s of it; measure that one", quantity.Percent(ratio(free.process, freeWall)), quantity.Percent(share))
		}
	case most < need:
		// Silence of the rules means nothing here, so it is not called a
		// clean bill.
		v = Verdict{Kind: TooFewSamples, Text: fmt.Sprintf("Too few CPU samples: %d of the measured code%s, %d needed; %s", most, inBenchmarks(cpu), need, forMore(subjects))}
		if fn, share := heaviest(subjects, enoughAllocs(need)); fn != "" {
			v.Text += fmt.Sprintf("; %s of the bytes are allocated in %s", quantity.Percent(share), fn)
		}
	case mem.share() >= allocationBound:
		v = Verdict{Kind: AllocationBound, Text: fmt.Sprintf("Allocation-bound: allocation and garbage collection take %s of CPU time", quantity.Percent(mem.share()))}
		if fn, share := heaviest(subjects, byAllocs); fn != "" {
			v.Text += fmt.Sprintf(", %s of the bytes in %s", quantity.Percent(share), fn)
		}
		v.Text += collectorText(subjects, mem) + over + mem.near()
	default:
		v = Verdict{Kind: CPUBound, Text: cpuBound(subjects, need) + over + mem.near()}
	}
	return v
}

// moreBenchmarks is for those whose instruments ran out of time: a program's or
// a service's did not work at all, which the warnings say.
func moreBenchmarks(subjects []*Subject) string {
	if len(subjects) > 0 && !subjects[0].isBenchmark() {
		return ""
	}
	return "; " + forMore(subjects)
}

// forMore returns the subjects' own: they are of one kind.
func forMore(subjects []*Subject) string {
	if len(subjects) == 0 {
		return (&Subject{}).forMore()
	}
	return subjects[0].forMore()
}

func inBenchmarks(cpu []*Subject) string {
	if !cpu[0].isBenchmark() {
		return ""
	}
	return " in " + quantity.Plural(len(cpu), "benchmark")
}

func byCPU(s *Subject) (*hot.Classified, int) { return s.CPU, s.CPUColumn }

func byAllocs(s *Subject) (*hot.Classified, int) {
	if !s.allocates() {
		return nil, 0
	}
	return s.Allocs, s.AllocCol
}

// enoughAllocs is byAllocs of those that saw every allocation, or so many.
func enoughAllocs(need int64) func(*Subject) (*hot.Classified, int) {
	return func(s *Subject) (*hot.Classified, int) {
		if s.SampledAllocs() && s.AllocSamples() < need {
			return nil, 0
		}
		return byAllocs(s)
	}
}

// starved reports whether a process got much less CPU time than the wall clock
// showed.
func (m memoryManagement) starved(wall int64) bool {
	return wall >= longEnough && float64(m.process) < busyBelow*float64(wall)
}

// waits tells a process that waits from one that other processes kept from the
// CPU. Both use less CPU time than the wall clock shows. The system's scheduler
// knows for how long threads were ready to run and had no processor: a process
// that was neither on one nor ready for one waited. Where that is not known,
// the profile has to do: each time a goroutine waits, the scheduler of the
// runtime parks it and looks for another, and the profile has samples of that.
// Looking for work for the collector's workers is not waiting.
func (m memoryManagement) waits(wall int64) bool {
	if !m.starved(wall) {
		return false
	}
	if wanted, known := m.wanted(); known {
		return wanted < busyBelow
	}
	return float64(m.process) < idleBelow*float64(wall) ||
		ratio(m.schedule, m.process) >= parks && m.schedule > m.collect
}

// judgedByTrace reports whether traces have said of a service's requests already
// that they do not wait: its goroutines are parked and woken all the same, one
// for each connection that has nothing to say.
func judgedByTrace(subjects []*Subject) bool {
	return !slices.ContainsFunc(subjects, func(s *Subject) bool {
		if s.Run == nil || s.Kind != recording.TargetService {
			return true
		}
		_, known := s.Run.inside()
		return !known
	})
}
