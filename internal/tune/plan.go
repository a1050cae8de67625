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

// What a selected benchmark costs of the budget at the least: a clean
// measurement, an allocation profile, a trace and a CPU profile that is worth
// reading. With less for each, more benchmarks would be told less each.
const perBenchmark = 5 * time.Second

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

// capacity is how many benchmarks the budget can profile.
func capacity(budget time.Duration) int {
	return max(1, int(budget/perBenchmark))
}

// quickTime is the length of one run in the quick pass over n top-level
// benchmarks: long enough to tell microseconds from milliseconds, and short,
// since each may hold many sub-benchmarks.
func quickTime(budget time.Duration, n int) time.Duration {
	return min(max(budget/5/time.Duration(max(n, 1)), 2*time.Millisecond), 10*time.Millisecond)
}

// perCall is the time of one call as runs are planned with it: the benchmark's
// own figure, or, where it hides or invents that (b.ReportMetric(0, "ns/op") is
// common), what the quick pass, which makes as many calls as take its time,
// lets conclude. From one call it concludes only that one is enough at first.
func perCall(l benchmark.Line, quick time.Duration) float64 {
	switch {
	case l.NsPerOp > 0:
		return l.NsPerOp
	case l.N > 1:
		return float64(quick) / float64(l.N)
	}
	return float64(time.Minute)
}

// describe is the plan in one line.
func describe(selected, leftOut []string, samples int, budget time.Duration) string {
	s := fmt.Sprintf("%s, a process each for CPU, allocations and trace, until %d samples each or %v",
		quantity.Plural(len(selected), "benchmark"), samples, budget)
	if len(leftOut) > 0 {
		s += fmt.Sprintf("; %d left out", len(leftOut))
	}
	return s
}

// quickLimit is how long one of n benchmarks may take in the quick pass with so
// many of them, itself among them, still to come: one that hangs leaves the
// others their shares.
func quickLimit(left time.Duration, toCome, n int) time.Duration {
	if n == 1 {
		return max(left, 5*time.Second)
	}
	share := max(2*left/time.Duration(toCome), 10*time.Second)
	return max(min(left/2, share), 5*time.Second)
}
