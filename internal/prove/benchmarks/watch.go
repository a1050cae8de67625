package benchmarks

import (
	"fmt"

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

// Times per operation below which a figure says little.
const (
	// removedNs is less than two cycles of a fast processor: as long as an empty loop.
	removedNs = 0.7
	// shortNs is the time below which the loop around the operation and the alignment
	// of its code matter as much as the operation.
	shortNs = 30.0
)

// watchShort says which benchmarks do too little in an operation.
func (s *session) watchShort() {
	n, example := 0, ""
	for _, r := range s.Result.Benchmarks {
		if r.Metric != compare.NsPerOp {
			continue
		}
		fastest, side := r.Old, compare.Old
		if r.New < r.Old {
			fastest, side = r.New, compare.New
		}
		switch {
		case fastest < removedNs:
			s.Disturb(compare.Disturbance{Kind: kindRemoved, Benchmark: r.Name, Side: side.String(), Text: fmt.Sprintf(
				"%s (%v): %s an operation is the time of an empty loop: the compiler may have removed the measured code; use its result, or b.Loop", r.Name, side, quantity.Nanoseconds(fastest))})
		case fastest < shortNs:
			if n++; n == 1 {
				example = r.Name
			}
		}
	}
	if n > 0 {
		s.Disturb(compare.Disturbance{Kind: kindShort, Text: fmt.Sprintf(
			"%s below %s an operation (%s): the alignment of a loop can outweigh a change; do more work per operation", quantity.Plural(n, "benchmark"), quantity.Nanoseconds(shortNs), example)})
	}
}

// disturbed enters a disturbance of one benchmark.
func (s *session) disturbed(kind string, b *benchmarkPair, side compare.Side, format string, args ...any) {
	label := s.label(b.pkg, b.name)
	s.Disturb(compare.Disturbance{Kind: kind, Benchmark: label, Side: side.String(), Text: fmt.Sprintf("%s (%v): ", label, side) + fmt.Sprintf(format, args...)})
}
