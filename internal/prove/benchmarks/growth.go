package benchmarks

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/machine"
	"whet/internal/quantity"
)

const (
	// An operation's time or bytes depend on the number of operations if they differ
	// by this factor between a run and one of at least twice as many operations.
	growth = 1.5
	// fewestBytes is the least growth of bytes per operation that counts: less may come
	// from package testing's own allocations with few iterations.
	fewestBytes = 16
	// A process retains its operations' allocations if its memory grew by this share of
	// them, and by at least this much beyond the growth that the collector allows for a
	// heap of garbage.
	keptShare = 0.5
	keptBytes = 32 << 20
	// leastCPU is the least difference in CPU time between two processes that counts as
	// that of their operations: the system's clock has steps.
	leastCPU = 2 * time.Millisecond
)

// suspicion is an observation during the calibration of a benchmark that may be a flaw.
// Whether the machine was disturbed is only known afterwards.
type suspicion struct {
	b    *benchmarkPair
	side compare.Side
	kind string
	fact string // the observation, with both figures
	// cause is its cause, if CPU time confirms it; "" if unknown. doubt is the same as
	// a possibility.
	cause, doubt string
}

// suspect keeps a suspicion. Few operations of such a benchmark may be another
// thing than many: its slices are as long as they may be.
func (s *session) suspect(x suspicion) {
	s.suspicions = append(s.suspicions, x)
	x.b.cost.least = longestSlice
}

// watchSuspicions reports the suspicions, as certain only if nothing else used the
// processors: a busy machine distorts times, and reduces the caches and clock rate
// available to a process.
func (s *session) watchSuspicions() {
	busy := ""
	for _, d := range s.Result.Disturbances {
		switch d.Kind {
		case machine.Load, machine.Steal, machine.Throttled, machine.Swap:
			busy = "; the machine was disturbed: repeat on a quiet machine"
		}
	}
	for _, x := range s.suspicions {
		if x.cause != "" && busy == "" {
			s.disturbed(x.kind, x.b, x.side, "%s: %s, and the ratio holds for one number of iterations only", x.fact, x.cause)
			continue
		}
		s.disturbed(x.kind, x.b, x.side, "%s: %s, and the ratio may hold for one number of iterations only%s", x.fact, x.doubt, busy)
	}
}

// watch looks for costs that depend on the number of iterations: then the benchmark
// retains something between its operations, or times its set-up, and the ratio holds
// for one number only. base, few and many are of the same side; base is the process of
// two iterations, whose line is empty if there was none.
func (s *session) watch(ctx context.Context, b *benchmarkPair, side compare.Side, base, few, many benchmarkResult) error {
	if many.line.N < 2*few.line.N {
		return nil
	}
	s.watchMemory(b, side, few, many)
	differs := func() bool {
		f, m := few.line.NsPerOp, many.line.NsPerOp
		return f > 0 && m > 0 && (m > growth*f || f > growth*m)
	}
	// A process that was disturbed may look like it: as long as they differ all
	// are run again, and their fastest runs compared.
	for range 4 {
		if !differs() {
			return nil
		}
		for _, r := range []*benchmarkResult{&base, &few, &many} {
			if r.line.N == 0 {
				continue
			}
			again, err := s.once(ctx, b, side, r.line.N, 0)
			if err != nil || b.failed {
				return err
			}
			r.line.NsPerOp, r.cpu = min(r.line.NsPerOp, again.line.NsPerOp), min(r.cpu, again.cpu)
		}
	}
	if !differs() {
		return nil
	}
	x := suspicion{b: b, side: side, fact: fmt.Sprintf("an operation takes %s among %s and %s among %s",
		quantity.Nanoseconds(few.line.NsPerOp), quantity.Count(float64(few.line.N)), quantity.Nanoseconds(many.line.NsPerOp), quantity.Count(float64(many.line.N)))}
	said := false
	if few.line.NsPerOp < many.line.NsPerOp {
		x.kind, x.doubt = kindGrows, "the benchmark may accumulate data"
		x.cause, said = growthOf(base, few, many)
	} else {
		x.kind, x.doubt = kindDrifts, "the time may include set-up (call b.ResetTimer after it, or use b.Loop) or a first use"
		x.cause, said = driftOf(base, few, many)
	}
	if said {
		s.suspect(x)
	}
	return nil
}

// cpuPerOp returns the CPU time of the operations that y has more than x; ok is false
// where it is not known, as where the processes' start and set-up, which base
// shows, weigh more than these operations.
func cpuPerOp(base, x, y benchmarkResult) (ns float64, ok bool) {
	more := y.cpu - x.cpu
	if x.cpu <= 0 || y.line.N <= x.line.N || more < max(leastCPU, base.cpu/2) {
		return 0, false
	}
	return float64(more) / float64(y.line.N-x.line.N), true
}

// growthOf says why operations take longer the more there are, where those that
// many has more than few took more CPU time too than those that few has more
// than base. Where others want the processor, a process of many operations is
// put aside again and again and one of few is not, however often both are run:
// CPU time says that it is no growth of the benchmark's own: no warning.
func growthOf(base, few, many benchmarkResult) (cause string, said bool) {
	first, ok1 := cpuPerOp(base, base, few)
	later, ok2 := cpuPerOp(base, few, many)
	switch {
	case !ok1 || !ok2:
		return "", true
	case later > growth*first:
		return "the benchmark accumulates data", true
	}
	return "", false
}

// driftOf says why operations take longer the fewer there are. A process of n
// operations takes S + c·n where set-up takes S: then base shows the same S as
// few does, and used the processor for as long. Or the first operations took
// more CPU time than the later ones. Where neither is so few was put aside.
func driftOf(base, few, many benchmarkResult) (cause string, said bool) {
	excess := func(x benchmarkResult) float64 { return (x.line.NsPerOp - many.line.NsPerOp) * float64(x.line.N) }
	first, ok1 := cpuPerOp(base, base, few)
	later, ok2 := cpuPerOp(base, few, many)
	switch {
	case base.line.N == 0 || base.cpu <= 0:
		return "", true
	case excess(base) >= excess(few)/2 && float64(base.cpu) >= excess(base):
		return "the time includes set-up (call b.ResetTimer after it, or use b.Loop)", true
	case excess(base) >= excess(few)/2:
		return "", true // it was waited for
	case !ok1 || !ok2:
		return "", true
	case first > growth*later:
		return "the time is that of a first use", true
	}
	return "", false
}

// watchMemory looks for bytes per operation that grow, and for retained memory. Bytes
// may grow although nothing is retained: a collection, which few operations do not
// cause, empties every sync.Pool.
func (s *session) watchMemory(b *benchmarkPair, side compare.Side, few, many benchmarkResult) {
	if few.line.BytesPerOp == nil || many.line.BytesPerOp == nil {
		return
	}
	f, m := *few.line.BytesPerOp, *many.line.BytesPerOp
	if m > growth*f && m-f >= fewestBytes {
		s.suspect(suspicion{b: b, side: side, kind: kindGrows, doubt: "the benchmark may accumulate data, or garbage collection may run only in long runs",
			fact: fmt.Sprintf("an operation allocates %s among %s and %s among %s", quantity.Bytes(f), quantity.Count(float64(few.line.N)), quantity.Bytes(m), quantity.Count(float64(many.line.N)))})
		return
	}
	percent, ok := s.collectorPercent(side)
	if !ok {
		return
	}
	allocated := m*float64(many.line.N) - f*float64(few.line.N)
	grown := float64(many.rss - few.rss)
	// Garbage lets a heap grow by as much as it held, at GOGC=100.
	if few.rss > 0 && grown >= keptBytes+percent/100*float64(few.rss) && grown >= keptShare*allocated {
		s.suspect(suspicion{b: b, side: side, kind: kindGrows, cause: "the benchmark retains the allocations of its operations", doubt: "the benchmark may retain the allocations of its operations",
			fact: fmt.Sprintf("the process takes %s among %s and %s among %s", quantity.Bytes(float64(few.rss)), quantity.Count(float64(few.line.N)), quantity.Bytes(float64(many.rss)), quantity.Count(float64(many.line.N)))})
	}
}

// collectorPercent returns the GOGC of a side's processes; ok is false where they run
// without a collector.
func (s *session) collectorPercent(side compare.Side) (percent float64, ok bool) {
	v := lookup(s.env(side), "GOGC")
	if strings.EqualFold(v, "off") {
		return 0, false
	}
	if n, err := strconv.Atoi(v); err == nil {
		return float64(n), n >= 0
	}
	return 100, true
}
