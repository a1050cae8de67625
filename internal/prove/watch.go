package prove

import (
	"context"
	"fmt"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
)

// Kinds of disturbances that lie in the benchmark.
const (
	kindGrows   = "grows"   // time, bytes or memory grow with b.N
	kindDrifts  = "drifts"  // an operation is cheaper the more there are
	kindRemoved = "removed" // the compiler may have removed the result
	kindShort   = "short"   // an operation is too short
	kindTimer   = "timer"   // the timer is stopped and started inside the loop
)

const (
	// An operation's time or bytes are said to depend on the number of
	// operations when the two differ by this factor among twice as many or more.
	growth = 1.5
	// fewestBytes is what bytes per operation must grow by: less is what package
	// testing's own allocations make of few iterations.
	fewestBytes = 16
	// A process keeps what its operations allocate when its memory grew by this
	// share of it and this much at least; the collector lets a heap of garbage
	// grow to a few MiB.
	keptShare = 0.5
	keptBytes = 32 << 20
)

// watch looks for what depends on the number of iterations: then the benchmark
// keeps something between its operations, or times its set-up, and the ratio
// holds for one number only. few and many are of the same side.
func (s *session) watch(ctx context.Context, b *subject, side compare.Which, few, many one) error {
	if many.line.N < 2*few.line.N {
		return nil
	}
	s.watchMemory(b, side, few, many)
	differs := func() bool {
		f, m := few.line.NsPerOp, many.line.NsPerOp
		return f > 0 && m > 0 && (m > growth*f || f > growth*m)
	}
	// A process that was disturbed may look like it: as long as they differ both
	// are run again, and their fastest runs compared.
	for range 4 {
		if !differs() {
			return nil
		}
		for _, r := range []*one{&few, &many} {
			again, err := s.once(ctx, b, side, r.line.N, 0)
			if err != nil || b.failed {
				return err
			}
			r.line.NsPerOp, r.cpu = min(r.line.NsPerOp, again.line.NsPerOp), min(r.cpu, again.cpu)
		}
	}
	if !differs() || few.line.NsPerOp < many.line.NsPerOp && !grewOnProcessor(few, many) {
		return nil
	}
	kind, why := kindGrows, "the benchmark keeps something that grows"
	if few.line.NsPerOp > many.line.NsPerOp {
		kind, why = kindDrifts, "set-up is timed (b.ResetTimer after it, or b.Loop), or what is measured is its first use"
	}
	s.disturbed(kind, b, side, "an operation takes %s among %s and %s among %s: %s, and the ratio holds for one number of iterations only",
		quantity.Nanoseconds(few.line.NsPerOp), quantity.Count(float64(few.line.N)), quantity.Nanoseconds(many.line.NsPerOp), quantity.Count(float64(many.line.N)), why)
	return nil
}

// grewOnProcessor reports whether the operations that many has more took more
// CPU time too. Where others want the processor, a process of many operations
// is put aside again and again and one of few is not: that is no growth of the
// benchmark's own, however often it is run.
func grewOnProcessor(few, many one) bool {
	if few.cpu <= 0 || many.cpu <= 0 {
		return true // unknown
	}
	return float64(many.cpu-few.cpu) > growth*few.line.NsPerOp*float64(many.line.N-few.line.N)
}

// watchMemory looks for bytes per operation that grow, and for memory that
// keeps what was allocated.
func (s *session) watchMemory(b *subject, side compare.Which, few, many one) {
	if few.line.BytesPerOp == nil || many.line.BytesPerOp == nil {
		return
	}
	f, m := *few.line.BytesPerOp, *many.line.BytesPerOp
	if m > growth*f && m-f >= fewestBytes {
		s.disturbed(kindGrows, b, side, "an operation allocates %s among %s and %s among %s: something in the benchmark grows, and the ratio holds for one number of iterations only",
			quantity.Bytes(f), quantity.Count(float64(few.line.N)), quantity.Bytes(m), quantity.Count(float64(many.line.N)))
		return
	}
	allocated := m*float64(many.line.N) - f*float64(few.line.N)
	grown := float64(many.rss - few.rss)
	if few.rss > 0 && grown >= keptBytes && grown >= keptShare*allocated && !s.collectorOff(side) {
		s.disturbed(kindGrows, b, side, "the process takes %s among %s and %s among %s: the benchmark keeps what its operations allocate, and the collector's work grows with b.N",
			quantity.Bytes(float64(few.rss)), quantity.Count(float64(few.line.N)), quantity.Bytes(float64(many.rss)), quantity.Count(float64(many.line.N)))
	}
}

// Times per operation below which a figure says little.
const (
	// removedNs is less than two cycles of a fast processor: as long as an empty loop.
	removedNs = 0.7
	// shortNs: below it the loop around the operation and the alignment of its
	// code weigh as much as what it does.
	shortNs = 30.0
)

// watchShort says which benchmarks do too little in an operation.
func (s *session) watchShort() {
	n, example := 0, ""
	for _, r := range s.res.Benchmarks {
		if r.Metric != compare.NsPerOp {
			continue
		}
		fastest, side := r.Old, compare.Old
		if r.New < r.Old {
			fastest, side = r.New, compare.New
		}
		switch {
		case fastest < removedNs:
			s.disturb(compare.Disturbance{Kind: kindRemoved, Benchmark: r.Name, Side: side.String(), Text: fmt.Sprintf(
				"%s (%v): %s an operation is what an empty loop takes: the compiler may have removed what is measured; use its result, or b.Loop", r.Name, side, quantity.Nanoseconds(fastest))})
		case fastest < shortNs:
			if n++; n == 1 {
				example = r.Name
			}
		}
	}
	if n > 0 {
		s.disturb(compare.Disturbance{Kind: kindShort, Text: fmt.Sprintf(
			"%s below %s an operation (%s): there the alignment of a loop can weigh more than a change; do more work in an operation", quantity.Plural(n, "benchmark"), quantity.Nanoseconds(shortNs), example)})
	}
}

// disturbed enters a disturbance of one benchmark.
func (s *session) disturbed(kind string, b *subject, side compare.Which, format string, args ...any) {
	label := s.label(b.pkg, b.name)
	s.disturb(compare.Disturbance{Kind: kind, Benchmark: label, Side: side.String(), Text: fmt.Sprintf("%s (%v): ", label, side) + fmt.Sprintf(format, args...)})
}

// disturb enters a disturbance, once, and as a warning too.
func (s *session) disturb(d compare.Disturbance) {
	for _, have := range s.res.Disturbances {
		if have == d {
			return
		}
	}
	s.res.Disturbances = append(s.res.Disturbances, d)
	warn(s.res, "%s", d.Text)
}

// collectorOff reports whether a side's processes run without a collector.
func (s *session) collectorOff(side compare.Which) bool {
	return strings.EqualFold(lookup(s.env(side), "GOGC"), "off")
}
