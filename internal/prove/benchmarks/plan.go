package benchmarks

import (
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
)

// Slice lengths. A long slice averages more of the collector's cycles, and
// shorter ones allow more rounds: the usual length is taken where the budget
// pays for enough rounds, and a shorter one otherwise.
const (
	usualSlice   = 100 * time.Millisecond
	longestSlice = 300 * time.Millisecond
)

var shorterSlices = [...]time.Duration{50 * time.Millisecond, 20 * time.Millisecond}

// longestSide bounds the slice of the slower side, as a multiple of the slice
// length, where the iterations are chosen for the faster one.
const longestSide = 3

// cost is what one benchmark takes on this machine.
type cost struct {
	ns       [2]float64    // per operation, by side
	overhead time.Duration // of one process: its start, the benchmark's set-up, its first iteration
	earlier  int64         // iterations of an earlier run of the same question; 0: there was none
	// CPU time of a process of two iterations and of a further operation, by
	// side; 0: unknown.
	cpuBase [2]time.Duration
	cpuNs   [2]float64
	cpu     bool // it is measured: each round has two more processes
}

// tellsCPU reports whether slices of n iterations tell the CPU time of an
// operation: where the start of the processes and the benchmark's set-up weigh
// more than the operations, the difference of two processes is noise.
func (c *cost) tellsCPU(n int64) bool {
	operations := float64(n-baseIterations) * (c.cpuNs[compare.Old] + c.cpuNs[compare.New])
	return n >= 2*baseIterations && min(c.cpuNs[compare.Old], c.cpuNs[compare.New]) > 0 &&
		min(c.cpuBase[compare.Old], c.cpuBase[compare.New]) > 0 &&
		operations >= float64(c.cpuBase[compare.Old]+c.cpuBase[compare.New])
}

// sliceLengths are the lengths to try. Linking the layouts of a round takes as
// long whatever the slices: where few benchmarks share it they are longer, until
// a round measures for as long as it links.
func sliceLengths(benchmarks int, prepare time.Duration) []time.Duration {
	first := min(max(prepare/time.Duration(3*max(benchmarks, 1)), usualSlice), longestSlice)
	lengths := []time.Duration{first}
	if first > usualSlice {
		lengths = append(lengths, usualSlice)
	}
	return append(lengths, shorterSlices[:]...)
}

// choice is what is fixed before the rounds.
type choice struct {
	slice      time.Duration
	iterations []int64 // of each benchmark, on both sides
	plan       rounds.Plan
}

// choose takes the longest slice that leaves room for enough rounds: those
// that were asked for, or twice as many as any verdict needs, as with fewer a
// single disturbed round decides the interval. When there is no such slice it
// takes the shortest. It completes the subjects and costs, whose metrics are
// those without CPU time.
func choose(subjects []rounds.Subject, costs []cost, o rounds.Options) choice {
	var c choice
	for _, length := range sliceLengths(len(costs), o.Prepare) {
		c = choice{slice: length, iterations: make([]int64, len(costs))}
		for i := range costs {
			n := iterations(costs[i], length)
			c.iterations[i] = n
			costs[i].cpu = costs[i].tellsCPU(n)
			subjects[i].Metrics = withCPU(subjects[i].Metrics, costs[i].cpu)
			for side := range compare.Sides {
				subjects[i].Slice[side] = costs[i].slice(side, n)
			}
			subjects[i].Iterations = n
		}
		c.plan = rounds.MakePlan(subjects, o)
		enough := max(min(2*c.plan.Fewest, rounds.MaxRounds), c.plan.Fewest)
		if o.Fixed > 0 {
			enough = o.Fixed
		}
		if time.Duration(enough)*c.plan.Round <= o.Budget {
			break
		}
	}
	return c
}

// withCPU are the metrics with CPU time after time, or without.
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

// iterations is the number that both sides run: enough for the slower side to
// fill the slice, and more where the faster one would be too short to time, as
// long as the slower stays within longestSide slices.
func iterations(c cost, slice time.Duration) int64 {
	slow, fast := max(c.ns[compare.Old], c.ns[compare.New], minNs), max(min(c.ns[compare.Old], c.ns[compare.New]), minNs)
	n := max(float64(slice)/slow, min(float64(slice)/2/fast, longestSide*float64(slice)/slow))
	n = min(max(n, 1), maxIterations)
	// Rounds of one number of iterations are pooled rather than of several.
	if e := float64(c.earlier); e >= n/2 && e <= 2*n && e <= maxIterations {
		return c.earlier
	}
	return int64(n)
}

const (
	minNs = 0.01 // per operation: what is optimised away altogether is no faster than this
	// Largest b.N: the testing package's own bound.
	maxIterations = 1e9
)

// slice is the time of one slice of n iterations, with its share of the two
// further processes of a round of three.
func (c cost) slice(side compare.Which, n int64) time.Duration {
	t := c.overhead + time.Duration(float64(n)*c.ns[side])
	if c.cpu {
		t += c.overhead * 2 / 3
	}
	return t
}
