package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/prove/sides"
)

// processSpec describes a process of one side of a package: it runs the benchmark
// called bench, or the benchmarks that match pattern, for n iterations or, when n is
// 0, for d; count times, and in steps, where they are given.
type processSpec struct {
	pkg            int
	side           compare.Side
	bench, pattern string
	n              int64
	d              time.Duration
	count          int
	steps          *gobench.Steps
	procs          int  // GOMAXPROCS; 0: that of the environment
	schedTrace     bool // asks for processResult.busy
}

func (r processSpec) benchTime() string {
	if r.n > 0 {
		return fmt.Sprintf("%dx", r.n)
	}
	return r.d.String()
}

// processResult is the output of a process.
type processResult struct {
	lines []benchmark.Line
	units map[string]benchmark.Better // declared
	took  time.Duration
	cpu   time.Duration // user and system; 0: unknown
	rss   int64         // largest; 0: unknown
	busy  int           // of Go's processors; 0: unknown
}

// runner runs benchmarks of either side. Tests replace it by one whose times
// are known.
type runner interface {
	benchmarks(ctx context.Context, pkg int, side compare.Side, re string) ([]string, error)
	run(ctx context.Context, r processSpec) (processResult, error)
	// link gives both sides of a package the layout of the seed.
	link(ctx context.Context, pkg int, seed uint64) error
}

// binaries is the runner of two sides' test binaries.
type binaries struct {
	o    *Options
	pair *sides.Pair
	now  [][2]*gobench.Binary // by package and side, in the layout that is measured
}

func newBinaries(o *Options, pair *sides.Pair) *binaries {
	b := &binaries{o: o, pair: pair}
	for i := range pair.Packages() {
		b.now = append(b.now, [2]*gobench.Binary{pair.Binary(compare.Old, i), pair.Binary(compare.New, i)})
	}
	return b
}

func (b *binaries) benchmarks(ctx context.Context, pkg int, side compare.Side, re string) ([]string, error) {
	return b.now[pkg][side].Benchmarks(ctx, re)
}

func (b *binaries) run(ctx context.Context, r processSpec) (processResult, error) {
	var env []string
	if r.procs > 0 {
		env = []string{"GOMAXPROCS=" + strconv.Itoa(r.procs)}
	}
	res, err := b.now[r.pkg][r.side].Run(ctx, gobench.Run{
		Bench: r.bench, Pattern: r.pattern, BenchTime: r.benchTime(), Count: r.count, Steps: r.steps, SchedTrace: r.schedTrace,
		CPU: b.o.CPU, Args: b.o.Args, Processors: b.o.Pin,
		Env: env, Timeout: b.o.Timeout, Output: b.o.Output,
	})
	if res == nil {
		return processResult{}, err
	}
	return processResult{lines: res.Lines, units: res.Units, took: res.End.Sub(res.Start), cpu: res.UserCPU + res.SystemCPU, rss: res.MaxRSSBytes, busy: res.BusyProcessors}, err
}

// link links both sides at the same time: nothing is measured meanwhile.
func (b *binaries) link(ctx context.Context, pkg int, seed uint64) error {
	var errs [2]error
	done := make(chan struct{})
	link := func(side compare.Side) {
		var bin *gobench.Binary
		if bin, errs[side] = b.pair.Link(ctx, side, pkg, seed); errs[side] == nil {
			b.now[pkg][side] = bin
		}
	}
	go func() {
		defer close(done)
		link(compare.Old)
	}()
	link(compare.New)
	<-done
	return errors.Join(errs[:]...)
}
