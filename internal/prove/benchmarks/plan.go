package benchmarks

import (
	"math"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
)

// Many short slices separate the sides better than few long ones: disturbances of a
// machine last seconds, and neighboring slices share them; and each process has a new
// memory layout. The start of a process, in wall and CPU time, is the lower bound: a
// slice takes at least half as long again. bench/README.md has the measurement.
const (
	shortSlice   = 20 * time.Millisecond
	longestSlice = 300 * time.Millisecond
)

// The plan's assumptions about the machine: the standard deviation of a slice, and of
// the effect of a layout on a round's ratio. Only their quotient matters.
// bench/README.md has measurements.
const (
	sliceSpread  = 0.02
	layoutSpread = 0.003
)

const (
	mostOfEach = 4 * time.Second        // the longest that a benchmark has in a round
	mostAsked  = 300 * time.Millisecond // the same where the user asked for a number of rounds
	nearly     = 1.07                   // accepted width of an interval relative to the narrowest
)

// longestSide bounds the slice of the slower side, as a multiple of the slice
// length, where the iterations are chosen for the faster one.
const longestSide = 3

// cost is the cost of one benchmark on this machine.
type cost struct {
	ns       [2]float64    // per operation, by side
	overhead time.Duration // of one process: its start, the benchmark's set-up, its first iteration
	least    time.Duration // of a slice; 0: it does not matter
	earlier  int64         // iterations of an earlier run of the same question; 0: there was none
	// CPU time of a process of two iterations and of a further operation, by
	// side; 0: unknown.
	cpuBase [2]time.Duration
	cpuNs   [2]float64
	cpu     bool // it is measured: each turn has one more process, and each round another one

	steps    int           // of a slice; 0: its process runs all operations at once
	eachStep time.Duration // of a step, besides its operations
}

// tellsCPU reports whether slices of n iterations tell the CPU time of an
// operation: where the start of the processes and the benchmark's set-up weigh more than
// the operations, as in steps, the difference of two processes is noise.
func (c *cost) tellsCPU(n int64) bool {
	operations := float64(n-baseIterations) * (c.cpuNs[compare.Old] + c.cpuNs[compare.New])
	return c.steps == 0 && n >= 2*baseIterations && min(c.cpuNs[compare.Old], c.cpuNs[compare.New]) > 0 &&
		min(c.cpuBase[compare.Old], c.cpuBase[compare.New]) > 0 && operations >= float64(c.cpuBase[compare.Old]+c.cpuBase[compare.New])
}

// length returns the length of the benchmark's slices, which hold several operations.
func (c *cost) length() time.Duration {
	operations := fewOperations * time.Duration(min(max(c.ns[compare.Old], c.ns[compare.New]), float64(longestSlice)))
	before := max(c.overhead, c.cpuBase[compare.Old], c.cpuBase[compare.New])
	return min(max(shortSlice, c.least, before*3/2, operations), longestSlice)
}

// choice is the plan, fixed before the rounds.
type choice struct {
	slice      time.Duration // the longest
	iterations []int64       // of each benchmark, on both sides
	plan       rounds.Plan
}

// choose gives a round as many turns as make about the narrowest interval that
// the budget pays for: few rounds of many turns waste no time on links, but every
// round has one layout, and few rounds have heavy tails. Of plans that are nearly
// as good it takes that of most rounds, whose looks come first. Where the budget
// pays for too few rounds, slices are shorter. It completes the subjects and
// costs, whose metrics are those without CPU time.
func choose(subjects []rounds.Benchmark, costs []cost, o rounds.Options) choice {
	best, each, try := math.Inf(1), time.Duration(0), mostOfEach
	if o.Fixed > 0 {
		try = mostAsked
	}
	for ; ; try /= 2 {
		c := arrange(subjects, costs, try, o)
		if w := c.width(o); w < best*nearly {
			best, each = min(w, best), try
		}
		if c.plan.Turns == 1 {
			return arrange(subjects, costs, each, o)
		}
	}
}

// width is about that of the interval, but for a factor that all plans have in
// common; infinite where there is none. With n rounds of k turns, s the spread of
// a slice and l that of a layout, the mean of the rounds' differences has the
// variance (l² + 3/2·s²/k)/n, as a turn's difference is that of one slice and the mean
// of two, and the interval's level, which 3.7 standard deviations are for the normal
// distribution, takes 1 + 3.7/n times as many of Student's (the first term of
// R. A. Fisher's expansion, (z² + 1)/4n for z = 3.7).
func (c *choice) width(o rounds.Options) float64 {
	p := &c.plan
	if o.Fixed == 0 && p.Rounds < p.Fewest || time.Duration(o.Fixed)*p.Round > o.Budget {
		return math.Inf(1)
	}
	n, variance := float64(p.Rounds), 3.0/2*sliceSpread*sliceSpread/float64(p.Turns)
	if o.Prepare > 0 {
		variance += layoutSpread * layoutSpread
	}
	return (1 + 3.7/n) * math.Sqrt(variance/n)
}

// arrange gives each benchmark as many turns a round as fit into a time, at
// least one; where that is 0 slices are short, too.
func arrange(subjects []rounds.Benchmark, costs []cost, each time.Duration, o rounds.Options) choice {
	c := choice{iterations: make([]int64, len(costs))}
	for i := range costs {
		k := &costs[i]
		if each == 0 {
			k.steps = 0 // a slice at once is shorter
		}
		length, steps, start := k.length(), int64(1), k.overhead
		switch {
		case k.steps > 0:
			length, steps, start = k.step(), int64(k.steps), k.overhead+time.Duration(k.steps+1)*k.eachStep
		case each == 0:
			length = shortSlice
		}
		n := steps * iterations(*k, length, steps)
		s := &subjects[i]
		c.slice, c.iterations[i], s.Iterations = max(c.slice, time.Duration(steps)*length), n, n
		k.cpu = k.tellsCPU(n)
		s.Metrics = withCPU(s.Metrics, k.cpu)
		operations := n
		if k.steps > 0 {
			operations += n / steps // of the first run
		}
		for side := range compare.Sides {
			s.Slice[side] = start + time.Duration(float64(operations)*k.ns[side])
		}
		turn, base := (s.Slice[compare.Old]+s.Slice[compare.New])*3/2, time.Duration(0)
		if k.cpu {
			base = start
		}
		s.Turns = int(max(each/max(turn+base, 1), 1))
		s.Besides = time.Duration(s.Turns+1) * base
	}
	c.plan = rounds.MakePlan(subjects, o)
	return c
}

// withCPU returns the metrics with CPU time after time, or without.
func withCPU(metrics []compare.Metric, cpu bool) []compare.Metric {
	var out []compare.Metric
	for _, m := range metrics {
		if m.Unit != compare.CPUNsPerOp {
			out = append(out, m)
		}
		if m.Unit == compare.NsPerOp && cpu {
			out = append(out, compare.MetricOf(compare.CPUNsPerOp))
		}
	}
	return out
}

// iterations returns the number that both sides run: enough for the slower side to
// fill the slice, and more where the faster one would be too short to time, as
// long as the slower stays within longestSide slices. In steps it is that of one.
func iterations(c cost, slice time.Duration, steps int64) int64 {
	slow, fast := max(c.ns[compare.Old], c.ns[compare.New], minNs), max(min(c.ns[compare.Old], c.ns[compare.New]), minNs)
	n := max(float64(slice)/slow, min(float64(slice)/2/fast, longestSide*float64(slice)/slow))
	n = min(max(n, 1), maxIterations)
	// Rounds of one number of iterations are pooled rather than of several.
	if e := c.earlier / steps; float64(e) >= n/2 && float64(e) <= 2*n && e*steps == c.earlier && c.earlier <= maxIterations {
		return e
	}
	return int64(n)
}

const (
	minNs = 0.01 // per operation: an operation that was optimized away is no faster than this
	// Largest b.N: the testing package's own bound.
	maxIterations = 1e9
)
