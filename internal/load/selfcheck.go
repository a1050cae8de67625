package load

import (
	"math"
	"runtime/metrics"
	"time"

	"whet/internal/load/engine"
	"whet/internal/loadresult"
)

// selfCheck observes the process that makes the load during the measurement, and the
// target on the same machine.
type selfCheck struct {
	target     target
	processors int // that the load may use
	began      int64
	cpu        time.Duration
	targetCPU  time.Duration
	usage      usage // of the processors that this process may use
	pauses     *metrics.Float64Histogram
	at         time.Time     // of the last look at the clock
	still      time.Duration // total time in which the process did not run

	// threads is how long each of this process's threads has waited for a processor
	// so far; nil: unknown. spare is for the next reading. queued is the sum of that
	// under the load.
	threads, spare map[int]time.Duration
	queues         queues
	queued         time.Duration

	scarce bool    // target and generator saturated the processors they share
	crowd  float64 // the share of the time that threads waited for one of the load's processors
	others float64 // the share of the processors that other programs took, where nothing was left; else 0
}

func newSelfCheck(addresses []engine.Address, processors int) *selfCheck {
	return &selfCheck{target: findTarget(addresses), processors: processors, cpu: -1}
}

// begin takes the first readings.
func (c *selfCheck) begin(now int64) {
	c.began, c.cpu, c.targetCPU, c.pauses = now, cpuTime(), c.target.used(), gcPauses()
	c.usage = usageOf(c.target.ours)
	threads := make(map[int]time.Duration, fewThreads)
	if c.queues.read(threads); len(threads) > 0 {
		c.threads, c.spare = threads, make(map[int]time.Duration, fewThreads)
	}
}

// fewThreads is the number of threads to make room for; of more, the map grows.
const fewThreads = 64

// queue sums the time that threads waited for a processor since the last call. The last
// part of an ended thread's time is lost.
func (c *selfCheck) queue() {
	if c.threads == nil {
		return // before the load, or nobody can tell
	}
	now := c.spare
	c.queues.read(now)
	for thread, waited := range now {
		c.queued += max(waited-c.threads[thread], 0)
	}
	if len(now) > 0 {
		c.threads, c.spare = now, c.threads
	}
}

// standstill is the delay of a clock reading that means that the process did not run.
const standstill = time.Second

// look is called when so long should have passed since the last look.
func (c *selfCheck) look(now time.Time, after time.Duration) {
	if late := now.Sub(c.at) - after; late >= standstill {
		c.still += late
	}
	c.at = now
	c.queue()
}

// finish sums up.
func (c *selfCheck) finish(engine string, now int64) loadresult.Generator {
	g := loadresult.Generator{Engine: engine, CPU: -1, Share: -1, Processors: c.processors, Shared: -1}
	wall := float64(now - c.began)
	if cpu := cpuTime(); c.cpu >= 0 && cpu >= 0 {
		g.CPU = cpu - c.cpu
		if wall >= float64(leastBusy) && !c.target.own { // whose time it was cannot be told
			g.Share = float64(g.CPU) / (wall * float64(g.Processors))
		}
	}
	if c.target.known {
		g.Shared = c.target.ours.both(c.target.theirs).count() // none where it runs elsewhere
		c.beside(&g, wall)
	}
	if wall >= float64(leastBusy) {
		c.crowd = float64(c.queued) / (wall * float64(g.Processors))
	}
	g.Still = c.still
	g.Pauses, g.PauseTime, g.LongestPause = pausesSince(c.pauses, gcPauses())
	return g
}

// beside determines the processor time left by the target and other programs.
func (c *selfCheck) beside(g *loadresult.Generator, wall float64) {
	t := &c.target
	if g.CPU < 0 || t.own || wall < float64(leastUsage) {
		return
	}
	var theirs time.Duration // on processors of ours: at most so much
	if g.Shared > 0 {
		now := t.used()
		if now < 0 || c.targetCPU < 0 {
			return
		}
		theirs = now - c.targetCPU
		c.scarce = float64(g.CPU+theirs) > busyShare*wall*float64(t.ours.either(t.theirs).count())
	}
	now := usageOf(t.ours)
	used, all := now.used-c.usage.used, now.all-c.usage.all
	if all <= 0 || float64(used) < busyShare*float64(all) {
		return
	}
	if others := float64(used-g.CPU-theirs) / float64(all); others > othersShare {
		c.others = others
	}
}

const (
	// leastBusy is how long a load has to be for the processor's time that it used
	// to be that of its requests, and not that of its beginning.
	leastBusy = 100 * time.Millisecond
	// leastUsage is the least duration of a load for which the hundredths of a second
	// in /proc are accurate enough.
	leastUsage = 500 * time.Millisecond
	// othersShare is from when on other programs are spoken of.
	othersShare = 0.15
)

// gcPauses returns the pauses of this process's collector so far; nil: unknown.
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
