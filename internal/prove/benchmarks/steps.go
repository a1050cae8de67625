package benchmarks

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/prove/rounds"
	"whet/internal/stat"
)

// Where a run of the benchmark is cheap to begin, the three processes of a turn run at the
// same time, in steps: each runs the benchmark for two milliseconds, then waits while the
// others do. Disturbances of a few hundredths of a second, as of a neighbor on the same
// core, then meet all three, and the ratios within a step are free of them; slices one
// after the other meet different ones. bench/README.md has the measurement.
//
// They run on one of Go's processors each (GOMAXPROCS=1): package testing collects garbage
// before every run, for which the collector wakes threads on the others.
const (
	stepTime  = 2 * time.Millisecond
	stepProcs = 1
	stepsHeld = 30 // in a slice; the first run of a process is another one, and not counted
	// longestStep is the length of a step beyond which steps share little.
	longestStep = 20 * time.Millisecond
	// collectedRate is the allocation rate, in bytes per nanosecond, above which the
	// garbage collector takes some hundredths of the time: runs of a few milliseconds, which
	// begin with a collection, end before the next one is due, and would be without it.
	collectedRate = 0.01
	// leastSpread is the median ratio of consecutive runs, as a logarithm, from which on
	// steps serve. A step begins with the caches that the others left: its operations take
	// some hundredths longer than those of a long run, on both sides, which a quiet machine
	// need not pay.
	leastSpread = 0.01
	// parallel is the CPU time of an operation, relative to its time, above which it runs on
	// several processors, each with caches of the other processes.
	parallel = 1.3
	// heldBytes is the memory of a process above which three at the same time may be too
	// much for a machine.
	heldBytes = 256 << 20
	// busyTime is the length of a run that tells how many processors a benchmark uses.
	busyTime = 100 * time.Millisecond
	// mostUnlike is how many times as long an operation may take in steps as its CPU time in
	// a long run, or the other way: a busy machine makes half of it.
	mostUnlike = 1.6
	// trialSteps are the steps of a process that calibrates, and trialLimit the longest
	// that it may take with the one beside it: they may wait for each other.
	trialSteps = 8
	trialLimit = 3 * time.Second
)

// stepProcs returns the GOMAXPROCS of its processes where the session chooses it; else 0.
func (b *benchmarkPair) stepProcs() int {
	if b.stepped {
		return stepProcs
	}
	return 0
}

// step returns the length of a step's operations, beside which its beginning must not
// weigh too much.
func (c *cost) step() time.Duration {
	return max(stepTime, 2*c.eachStep, fewOperations*time.Duration(min(max(c.ns[compare.Old], c.ns[compare.New]), float64(longestSlice))))
}

// calibrateSteps finds out whether a benchmark is to be measured in steps, and what a step
// takes beside its operations. It need not where runs in a row take the same time, and
// cannot where it uses several processors, where set-up takes long, where the garbage
// collector has a share in the time, where a few operations take memory that many share,
// where a process takes much memory, or cannot run beside another one, as both want one
// port or lock, where the benchmark prints, or reports figures of its own, and where the
// user chose GOMAXPROCS. The error is that of the context.
func (s *session) calibrateSteps(ctx context.Context, b *benchmarkPair, many [2]benchmarkResult) error {
	if s.stepsFrom == 0 || b.cost.least > 0 || b.cost.overhead > longestSlice || slices.ContainsFunc(b.metrics, func(m compare.Metric) bool { return !ofTesting(m.Unit) }) {
		return nil
	}
	for side, m := range many {
		if lookup(s.env(compare.Side(side)), "GOMAXPROCS") != "" {
			return nil
		}
		bytes := m.line.BytesPerOp
		if bytes == nil || *bytes > collectedRate*m.line.NsPerOp || m.rss > heldBytes || b.cost.cpuNs[side] > parallel*b.cost.ns[side] {
			return nil
		}
	}
	for side := range compare.Sides {
		got, err := s.runner.run(ctx, processSpec{pkg: b.pkg, side: side, bench: b.name, n: iterations(b.cost, busyTime, 1), schedTrace: true})
		if ctx.Err() != nil || err != nil || got.busy != stepProcs {
			return ctx.Err()
		}
	}
	n := iterations(b.cost, b.cost.step(), 1)
	var each time.Duration
	spread := 0.0
	for side := range compare.Sides {
		trial, cancel := context.WithTimeout(ctx, trialLimit)
		beside := s.hold(trial, b, side, n, 0)
		beside.steps.Wait(trial)
		p := s.hold(trial, b, side, n, trialSteps)
		var took [trialSteps + 1]time.Duration
		for i := range took {
			start := s.o.Now()
			if i > 0 {
				p.steps.Next()
			}
			p.steps.Wait(trial)
			took[i] = s.o.Now().Sub(start)
		}
		lines, err := p.end()
		_, errBeside := beside.end()
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || errBeside != nil || p.steps.Printed() || !likeMany(lines, many[side].line, b.cost.cpuNs[side]):
			return nil
		}
		least := time.Duration(math.MaxInt64) // beside the operations; others may want the processor
		for i, l := range lines[1:] {
			least = min(least, max(took[i+1]-time.Duration(l.NsPerOp*float64(n)), 0))
		}
		each, spread = max(each, least), spread+spreadOf(lines[1:])/float64(compare.Sides)
	}
	b.cost.eachStep = each
	if spread >= s.stepsFrom && b.cost.step() <= longestStep {
		b.cost.steps = stepsHeld
	}
	return nil
}

// spreadOf returns the median ratio of the times of consecutive runs, as a logarithm.
func spreadOf(lines []benchmark.Line) float64 {
	var ratios []float64
	for i := range lines[1:] {
		if a, b := lines[i].NsPerOp, lines[i+1].NsPerOp; a > 0 && b > 0 {
			ratios = append(ratios, math.Abs(math.Log(b/a)))
		}
	}
	return stat.Median(ratios)
}

// ofTesting reports whether package testing itself measures a unit.
func ofTesting(unit string) bool {
	return slices.Contains([]string{compare.NsPerOp, compare.CPUNsPerOp, compare.BytesPerOp, compare.AllocsPerOp, compare.MBPerSecond}, unit)
}

// likeMany reports whether runs of a few operations on one processor are like one of many:
// whether they allocate the same, beyond the rounding of package testing, and take about
// as long as the processor that many took for it. Goroutines that hand work to each other
// take another time on one processor.
func likeMany(lines []benchmark.Line, many benchmark.Line, cpuNs float64) bool {
	least := math.Inf(1)
	for _, l := range lines[1:] {
		if l.Procs != stepProcs {
			return false // -cpu
		}
		least = min(least, l.NsPerOp)
	}
	if !(least < mostUnlike*cpuNs && cpuNs < mostUnlike*least) {
		return false
	}
	same := func(few, many *float64) bool {
		return few == nil && many == nil || few != nil && many != nil && math.Abs(*few-*many) <= max(1, *many/100)
	}
	for _, l := range lines[1:] {
		if !same(l.BytesPerOp, many.BytesPerOp) || !same(l.AllocsPerOp, many.AllocsPerOp) {
			return false
		}
	}
	return true
}

// heldProcess is a process of one side that runs the benchmark several times.
type heldProcess struct {
	steps  *gobench.Steps
	name   string
	count  int
	n      int64
	done   chan struct{}
	result processResult
	err    error
}

// hold starts a process that runs the benchmark once and then for a number of steps.
func (s *session) hold(ctx context.Context, b *benchmarkPair, side compare.Side, n int64, steps int) *heldProcess {
	p := &heldProcess{steps: gobench.NewSteps(), name: b.name, count: steps + 1, n: n, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.result, p.err = s.runner.run(ctx, processSpec{pkg: b.pkg, side: side, bench: b.name, n: n, count: p.count, steps: p.steps, procs: stepProcs})
	}()
	return p
}

// end lets the process run to its end, and returns the result of each of its runs.
func (p *heldProcess) end() ([]benchmark.Line, error) {
	for p.steps.Next(); p.steps.Wait(context.Background()); {
		p.steps.Next()
	}
	<-p.done
	if p.err != nil {
		return nil, p.err
	}
	lines, err := p.result.of(p.name, p.n)
	if err == nil && len(lines) != p.count {
		err = errors.New("it did not report the time of each run")
	}
	return lines, err
}

// Turn measures the three slices of a turn, in the order of the requests: step by step,
// or one after the other. failed is the index of the slice that an error is of.
func (t *turns) Turn(ctx context.Context, requests [3]rounds.SliceRequest) (got [3]compare.Slice, failed int, err error) {
	b := t.subjects[requests[0].Benchmark]
	if b.cost.steps > 0 {
		if got, err = t.inSteps(ctx, b, requests); err == nil || ctx.Err() != nil {
			return got, 0, err
		}
		// What fails beside others, or prints now and then, runs alone from now on.
		b.cost.steps = 0
	}
	return rounds.SliceBySlice(ctx, t, requests)
}

// inSteps measures the three slices of a turn step by step.
func (t *turns) inSteps(ctx context.Context, b *benchmarkPair, requests [3]rounds.SliceRequest) (got [3]compare.Slice, err error) {
	s, n := (*session)(t), b.n/int64(b.cost.steps)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var held [3]*heldProcess
	for i, r := range requests {
		held[i] = s.hold(ctx, b, r.Side, n, b.cost.steps)
	}
	for i := range held {
		held[i].steps.Wait(ctx)
	}
	first := requests[0]
	// The lots of the rounds are of the seed itself: these are others.
	rng := rand.New(rand.NewPCG(s.o.Seed+1+uint64(first.Benchmark), uint64(first.Round)<<32|uint64(uint32(first.Turn))))
	for range b.cost.steps {
		// One that has ended or prints of its own does not stop the others.
		for _, i := range rng.Perm(len(held)) {
			held[i].steps.Next()
			held[i].steps.Wait(ctx)
		}
	}
	var lines [3][]benchmark.Line
	for i := range held {
		l, e := held[i].end()
		if e == nil && held[i].steps.Printed() {
			e = errPrinted
		}
		if e != nil {
			err = errors.Join(err, e)
			cancel()
			continue
		}
		lines[i] = l[1:]
	}
	if err != nil {
		return got, err
	}
	return combine(lines), nil
}

// errPrinted is of a process that may have waited within a run.
var errPrinted = errors.New("it printed something itself")

// combine makes one slice of the steps of each process. Times and rates keep the ratios
// within a step: those of two processes are estimated from all their steps, and the
// ratios of the three slices are those closest to the three estimates. Counts are the
// median step's.
func combine(lines [3][]benchmark.Line) (out [3]compare.Slice) {
	var steps [3][]compare.Slice
	for i := range lines {
		for _, l := range lines[i] {
			steps[i] = append(steps[i], sliceOf(l))
		}
		out[i] = compare.Slice{}
	}
	for unit := range steps[0][0] {
		var values [3][]float64
		for i := range steps {
			for _, s := range steps[i] {
				if v, ok := s[unit]; ok {
					values[i] = append(values[i], v)
				}
			}
		}
		if len(values[0]) != len(values[1]) || len(values[0]) != len(values[2]) {
			continue // a benchmark that reports it now and then
		}
		if unit == compare.NsPerOp || unit == compare.MBPerSecond {
			if together, ok := paired(values); ok {
				for i := range out {
					out[i][unit] = together[i]
				}
				continue
			}
		}
		for i := range out {
			slices.Sort(values[i])
			out[i][unit] = values[i][(len(values[i])-1)/2]
		}
	}
	return out
}

// paired returns a value for each of three processes from those of their steps; ok is
// false where one is not above 0.
func paired(values [3][]float64) (out [3]float64, ok bool) {
	var logs [3][]float64
	for i := range values {
		for _, v := range values[i] {
			if !(v > 0) || math.IsInf(v, 1) {
				return out, false
			}
			logs[i] = append(logs[i], math.Log(v))
		}
	}
	level := make([]float64, len(logs[0]))
	for k := range level {
		level[k] = (logs[0][k] + logs[1][k] + logs[2][k]) / 3
	}
	var above [3]float64 // of each process over the three
	for i := range logs {
		for j := range logs {
			if i != j {
				above[i] += difference(logs[i], logs[j]) / 3
			}
		}
	}
	l := stat.Median(level)
	for i := range out {
		out[i] = math.Exp(l + above[i])
	}
	return out, true
}

// difference estimates how much the logarithms of one process are above those of another,
// step by step. It is exactly −difference(ys, xs).
func difference(xs, ys []float64) float64 {
	d := make([]float64, len(xs))
	for k := range d {
		d[k] = xs[k] - ys[k]
	}
	return stat.Median(d)
}
