package tune

import (
	"context"
	"fmt"
	"math"
	"time"

	"whet/internal/gobench"
)

// findSetup distinguishes set-up once per process from work of each call outside its
// loop, as between StopTimer and StartTimer: the first run of n calls had much time
// that was not counted, and a run with another number of calls shows its kind. Work of
// each call is in proportion to their number; set-up is constant. Package testing calls
// the benchmark function with b.N at 1 before it calls it with n, so that one call
// alone has half of the set-up of several.
func (r *recorder) findSetup(ctx context.Context, s *benchmarkRun, uncounted time.Duration) error {
	counted := time.Duration(s.NsPerOp * float64(s.N))
	if r.o.BenchTime != "" || uncounted < longSetup || uncounted < 3*counted || r.left() < 2*uncounted {
		return nil
	}
	n, once := s.N/4, 1.0
	switch {
	case s.N == 1:
		n, once = 3, 2
	case s.N < 8:
		n = 2 * s.N
	}
	res, err := r.run(ctx, r.limit(), gobench.Run{Bench: s.Name, BenchTime: fmt.Sprintf("%dx", n)})
	if err != nil {
		return err
	}
	for _, l := range res.Lines {
		if l.Name != s.Name {
			continue
		}
		again := res.End.Sub(res.Start) - time.Duration(l.NsPerOp*float64(l.N))
		if isSetup(float64(again)/float64(uncounted), once, float64(n)/float64(s.N)) {
			s.setup, s.stretch = max(uncounted, again), 1
		}
	}
	return nil
}

// longSetup is the time of a process that must be uncounted before its kind is
// determined.
const longSetup = time.Second

// isSetup reports whether the ratio of two uncounted times is nearer to that of
// set-up than to that of their calls.
func isSetup(ratio, once, calls float64) bool {
	return math.Abs(math.Log(ratio/once)) < math.Abs(math.Log(ratio/calls))
}

// oneProcess returns the length of the single CPU-profiled process of a benchmark with
// long set-up: enough for the wanted samples, within the part of its share that the
// set-up leaves; 0: none.
func oneProcess(share, setup time.Duration, wanted int) time.Duration {
	const perSample = 10 * time.Millisecond // the profiler's 100 a second
	return max(min(share-setup, time.Duration(wanted)*perSample*11/10), 0)
}
