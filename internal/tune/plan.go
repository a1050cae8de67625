package tune

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/quantity"
)

// The budget of a measured benchmark in addition to its CPU profile: a clean run and an
// allocation profile before it; a trace and a run over time after it.
const (
	beforeCPU = 1200 * time.Millisecond
	afterCPU  = 2600 * time.Millisecond
)

// enoughSamples is the number that makes a CPU profile useful: twice that of a verdict.
// Fewer samples each, of more benchmarks, would show less of each.
const enoughSamples = 400

// fullRate is how many samples of the measured code a second gives at best,
// where one goroutine runs it: the profiler takes 100 a second, and package
// testing and the start of the process have some of that time.
const fullRate = 85.0

// cpuRun is the length of one CPU-profiled run; runs repeat.
const cpuRun = 2 * time.Second

// Work of the short runs.
const (
	cleanRun = 500 * time.Millisecond
	allocRun = 300 * time.Millisecond
	traceRun = 100 * time.Millisecond
	delayRun = time.Second // block and mutex profiles
)

// rank orders benchmarks for profiling. Every top-level benchmark comes once,
// with its costliest sub-benchmark, before any comes twice; within a turn the
// costlier is first. Costly means time per call: a benchmark that takes
// longer does more of the package's work.
func rank(lines []benchmark.Line) []benchmark.Line {
	groups := make(map[string][]benchmark.Line)
	for _, l := range lines {
		top, _, _ := strings.Cut(l.Name, "/")
		groups[top] = append(groups[top], l)
	}
	type turn struct {
		benchmark.Line
		turn int
	}
	var all []turn
	for _, g := range groups {
		slices.SortStableFunc(g, costlier)
		for i, l := range g {
			all = append(all, turn{l, i})
		}
	}
	slices.SortFunc(all, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), costlier(a.Line, b.Line))
	})
	out := make([]benchmark.Line, len(all))
	for i, t := range all {
		out[i] = t.Line
	}
	return out
}

func costlier(a, b benchmark.Line) int {
	return cmp.Or(cmp.Compare(b.NsPerOp, a.NsPerOp), cmp.Compare(a.Name, b.Name))
}

// capacity returns the number of benchmarks that can still get enough samples each in
// the time left, at a rate of samples per second, after begun of them that lack the
// steps after the CPU profile.
func capacity(left time.Duration, begun int, rate float64, enough int) int {
	left -= time.Duration(begun) * afterCPU
	each := beforeCPU + afterCPU + time.Duration(float64(enough)/rate*float64(time.Second))
	return max(int(left/each), 0)
}

// mayTake returns the maximum duration of one benchmark's CPU profile when n more are
// planned after it: up to half of the time left, because the costlier ones come first.
func mayTake(left time.Duration, n int) time.Duration {
	left -= time.Duration(n+1) * afterCPU
	return max(left/2, left/time.Duration(n+1), 0)
}

// quickShare returns the maximum duration of the quick pass over n top-level
// benchmarks: with one there is nothing to choose.
func quickShare(budget time.Duration, n int) time.Duration {
	if n == 1 {
		return budget
	}
	return budget / 5
}

// quickTime returns the length of one run in the quick pass over n top-level
// benchmarks: long enough to tell microseconds from milliseconds, and short,
// since each may hold many sub-benchmarks.
func quickTime(budget time.Duration, n int) time.Duration {
	return min(max(budget/5/time.Duration(max(n, 1)), 2*time.Millisecond), 10*time.Millisecond)
}

// perCall returns the time per call for planning runs: the benchmark's own figure, or,
// if the benchmark hides or invents it (b.ReportMetric(0, "ns/op") is common), an
// estimate from the quick pass, which makes as many calls as take its time. From one
// call it concludes only that one is enough at first.
func perCall(l benchmark.Line, quick time.Duration) float64 {
	switch {
	case l.NsPerOp > 0:
		return l.NsPerOp
	case l.N > 1:
		return float64(quick) / float64(l.N)
	}
	return float64(time.Minute)
}

// describe returns the plan in one line.
func describe(planned, of, samples int, budget time.Duration) string {
	s := quantity.Plural(planned, "benchmark")
	if planned < of {
		s = fmt.Sprintf("%d of %d benchmarks, the costliest a call", planned, of)
	}
	return fmt.Sprintf("%s, a process each for CPU, allocations and trace, until %d samples each or %v", s, samples, budget)
}

// quickLimit returns how long one of n benchmarks may take in the quick pass with so
// much of its time left and so many of them, itself among them, still to come:
// one that hangs leaves the others their shares.
func quickLimit(left time.Duration, toCome, n int) time.Duration {
	if n == 1 {
		return max(left, 5*time.Second)
	}
	return max(min(left/2, max(2*left/time.Duration(toCome), 3*time.Second)), time.Second)
}
