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
// measured to its end, and the target beside it.
type selfCheck struct {
	target     target
	processors int // that the load may use
	began      int64
	cpu        time.Duration
	targetCPU  time.Duration
	pauses     *metrics.Float64Histogram

	scarce bool // target and generator used up what they share
}

func newSelfCheck(addresses []engine.Address, connections int) *selfCheck {
	return &selfCheck{target: findTarget(addresses), processors: min(runtime.GOMAXPROCS(0), connections), cpu: -1}
}

// begin takes the first readings.
func (c *selfCheck) begin(now int64) {
	c.began, c.cpu, c.targetCPU, c.pauses = now, cpuTime(), c.target.used(), gcPauses()
}

// finish sums up.
func (c *selfCheck) finish(engine string, now int64) record.Generator {
	g := record.Generator{Engine: engine, CPU: -1, Share: -1, Processors: c.processors, Shared: -1}
	wall := float64(now - c.began)
	if cpu := cpuTime(); c.cpu >= 0 && cpu >= 0 {
		g.CPU = cpu - c.cpu
		if wall > 0 && !c.target.own { // whose time it was cannot be told
			g.Share = float64(g.CPU) / (wall * float64(g.Processors))
		}
	}
	if t := &c.target; t.known {
		g.Shared = t.ours.both(t.theirs).count() // none where it runs elsewhere
		all := float64(t.ours.either(t.theirs).count())
		theirs := t.used()
		c.scarce = g.Shared > 0 && !t.own && g.CPU >= 0 && theirs >= 0 && wall > 0 && float64(g.CPU+theirs-c.targetCPU) > busyShare*wall*all
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
		fresh := int64(count - before.Counts[i])
		if fresh <= 0 {
			continue
		}
		low, high := max(after.Buckets[i], 0), after.Buckets[i+1]
		if math.IsInf(high, 1) {
			high = low
		}
		n += fresh
		sum += time.Duration(float64(fresh) * (low + high) / 2 * float64(time.Second))
		longest = time.Duration(high * float64(time.Second))
	}
	return n, sum, longest
}
