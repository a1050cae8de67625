package load

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
)

// selfCheck watches the process that makes the load, from the begin of what is
// measured to its end.
type selfCheck struct {
	began  int64
	cpu    time.Duration
	pauses *metrics.Float64Histogram
}

func newSelfCheck(_ *engine.Job, now int64) *selfCheck {
	return &selfCheck{began: now, cpu: cpuTime(), pauses: gcPauses()}
}

// finish sums up.
func (c *selfCheck) finish(engine string, now int64) record.Generator {
	g := record.Generator{Engine: engine, CPU: -1, Share: -1, Processors: runtime.GOMAXPROCS(0)}
	if cpu := cpuTime(); c.cpu >= 0 && cpu >= 0 {
		g.CPU = cpu - c.cpu
		if wall := now - c.began; wall > 0 {
			g.Share = float64(g.CPU) / (float64(wall) * float64(g.Processors))
		}
	}
	g.Pauses, g.PauseTime, g.LongestPause = pausesSince(c.pauses, gcPauses())
	return g
}

// gcPauses are the pauses of this process's collector so far; nil: unknown.
func gcPauses() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	h := sample[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: h.Buckets}
}

// pausesSince compares two readings. A pause counts as the middle of its
// bucket in the sum; the longest is the end of its bucket, which it did not
// exceed.
func pausesSince(before, after *metrics.Float64Histogram) (n int64, sum, longest time.Duration) {
	if before == nil || after == nil || len(before.Counts) != len(after.Counts) {
		return 0, 0, 0
	}
	for i, count := range after.Counts {
		new := int64(count - before.Counts[i])
		if new <= 0 {
			continue
		}
		low, high := max(after.Buckets[i], 0), after.Buckets[i+1]
		if math.IsInf(high, 1) {
			high = low
		}
		n += new
		sum += time.Duration(float64(new) * (low + high) / 2 * float64(time.Second))
		longest = time.Duration(high * float64(time.Second))
	}
	return n, sum, longest
}
