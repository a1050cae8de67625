package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/quantity"
)

// Calibration: a first run shows the order of magnitude, and a second one the time of
// an operation. The second is skipped for benchmarks whose single operation is longer.
const (
	firstRun  = 20 * time.Millisecond
	secondRun = 100 * time.Millisecond
)

// calibrate measures the cost of a benchmark on both sides, and looks for its flaws.
func (s *session) calibrate(ctx context.Context, b *benchmarkPair) error {
	var few, many [2]benchmarkResult
	for side := range compare.Sides {
		var err error
		if few[side], err = s.once(ctx, b, side, 0, firstRun); err != nil || b.failed {
			return err
		}
	}
	if old, new := few[compare.Old].line.Procs, few[compare.New].line.Procs; old != new {
		s.Fail(s.label(b.pkg, b.name), compare.New, fmt.Errorf("GOMAXPROCS differs: %d for old, %d for new", old, new))
		b.failed = true
		return nil
	}
	b.procs = few[compare.Old].line.Procs
	b.cost = costOf(few)
	b.metrics = shared(few[compare.Old].line, few[compare.New].line)
	for i, m := range b.metrics {
		b.metrics[i] = m.Declared(s.units[m.Unit])
	}
	n := iterations(b.cost, secondRun, 1)
	if n <= 1 || n <= few[compare.Old].line.N && n <= few[compare.New].line.N {
		return nil
	}
	for side := range compare.Sides {
		var err error
		if many[side], err = s.once(ctx, b, side, n, 0); err != nil || b.failed {
			return err
		}
	}
	before := b.cost.overhead
	b.cost = costOf(many)
	b.cost.overhead = min(b.cost.overhead, before) // of one that was disturbed, the other's
	base, err := s.calibrateCPU(ctx, b, n, many)
	if err != nil || b.failed {
		return err
	}
	for side := range compare.Sides {
		if err := s.watch(ctx, b, side, base[side], few[side], many[side]); err != nil || b.failed {
			return err
		}
	}
	return s.calibrateSteps(ctx, b, many)
}

// baseIterations is the number of iterations of the process whose CPU time is
// subtracted from that of a slice. With two or more the benchmark function runs as
// often as in a slice: once for the first iteration and once for all of them, each time
// with its set-up; the difference is that of the further iterations.
const baseIterations = 2

// calibrateCPU measures the CPU time of a process before the operations, and of an
// operation. It returns the processes of baseIterations; their lines are empty if there
// are too few operations to separate them.
func (s *session) calibrateCPU(ctx context.Context, b *benchmarkPair, n int64, many [2]benchmarkResult) (base [2]benchmarkResult, err error) {
	if n < 2*baseIterations {
		return base, nil
	}
	for side := range compare.Sides {
		if base[side], err = s.once(ctx, b, side, baseIterations, 0); err != nil || b.failed {
			return base, err
		}
		b.cost.cpuBase[side] = base[side].cpu
		b.cost.cpuNs[side] = float64(many[side].cpu-base[side].cpu) / float64(n-baseIterations)
	}
	return base, nil
}

// shared returns the metrics that both sides report, in the order of package
// testing: its own, then the benchmark's.
func shared(old, new benchmark.Line) []compare.Metric {
	seen, other := compare.Slice{}, sliceOf(new)
	var out []compare.Metric
	for _, m := range old.Values() {
		if _, ok := other[m.Unit]; add(seen, m) && ok && m.Value >= 0 {
			out = append(out, compare.MetricOf(m.Unit))
		}
	}
	return out
}

// sliceOf returns a line by unit.
func sliceOf(l benchmark.Line) compare.Slice {
	out := compare.Slice{}
	for _, m := range l.Values() {
		add(out, m)
	}
	return out
}

// add enters a value. If a benchmark reports one unit twice, the first counts, and it
// cannot replace a metric that whet measures.
func add(s compare.Slice, m benchmark.Metric) bool {
	_, have := s[m.Unit]
	if have || m.Unit == compare.CPUNsPerOp {
		return false
	}
	s[m.Unit] = m.Value
	return true
}

// declare enters the directions of units that a process declared. Where the
// sides contradict each other nobody knows.
func (s *session) declare(units map[string]benchmark.Better) {
	for unit, b := range units {
		if have, ok := s.units[unit]; ok && have != b {
			s.Warn("the sides declare different directions for the unit %s: its direction counts as unknown", unit)
			b = benchmark.Unknown
		}
		if s.units == nil {
			s.units = map[string]benchmark.Better{}
		}
		s.units[unit] = b
	}
}

// costOf separates the time per operation from the rest of a process's time.
func costOf(runs [2]benchmarkResult) cost {
	var c cost
	for side, r := range runs {
		c.ns[side] = r.line.NsPerOp
		c.overhead = max(c.overhead, r.took-time.Duration(r.line.NsPerOp*float64(r.line.N)))
	}
	return c
}

// benchmarkResult is the result of one process for one benchmark.
type benchmarkResult struct {
	line benchmark.Line
	took time.Duration
	cpu  time.Duration
	rss  int64
}

// once runs a benchmark in a process, for n iterations or, when n is 0, for d.
// The error is that of the context; any other makes the benchmark a failed one.
func (s *session) once(ctx context.Context, b *benchmarkPair, side compare.Side, n int64, d time.Duration) (benchmarkResult, error) {
	got, err := s.attempt(ctx, b, side, n, d)
	if ctx.Err() != nil {
		return benchmarkResult{}, ctx.Err()
	}
	if err != nil {
		s.Fail(s.label(b.pkg, b.name), side, err)
		b.failed = true
	}
	return got, nil
}

func (s *session) attempt(ctx context.Context, b *benchmarkPair, side compare.Side, n int64, d time.Duration) (benchmarkResult, error) {
	m, err := s.runner.run(ctx, processSpec{pkg: b.pkg, side: side, bench: b.name, n: n, d: d, procs: b.stepProcs()})
	if err != nil {
		return benchmarkResult{}, err
	}
	s.declare(m.units)
	lines, err := m.of(b.name, n)
	switch {
	case err != nil:
		return benchmarkResult{}, err
	case len(lines) == 0:
		return benchmarkResult{}, errors.New("it reported no time")
	}
	return benchmarkResult{line: lines[0], took: m.took, cpu: m.cpu, rss: m.rss}, nil
}

// of returns the results of a benchmark with a time, which have to be of n iterations
// unless n is 0.
func (m *processResult) of(name string, n int64) (lines []benchmark.Line, err error) {
	for _, l := range m.lines {
		switch {
		case l.Name != name || l.NoTime:
		case n > 0 && l.N != n:
			return nil, fmt.Errorf("it ran %s instead of %s", quantity.Plural(int(l.N), "iteration"), quantity.Count(float64(n)))
		default:
			lines = append(lines, l)
		}
	}
	return lines, nil
}
