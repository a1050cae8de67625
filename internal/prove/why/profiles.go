package why

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/gobench"
	"whet/internal/record"
	"whet/internal/recording"
)

const (
	turns    = 8   // CPU profiles of each side, unless there is no time for them
	maxTurns = 32  // or too few samples in them
	hz       = 100 // samples per second of package testing's CPU profiles
	// allocTurns are two, so that one-off allocations of a process show.
	allocTurns = 2
	allocTime  = 200 * time.Millisecond
	// allocCost is the approximate cost of recording one allocation.
	allocCost = 2 * time.Microsecond
	// allocShare of the time is for the allocations at most.
	allocShare = 0.2
	shortest   = 50 * time.Millisecond // of a CPU profile
)

// side is the index of old and new.
type side int

const (
	sideOld side = iota
	sideNew
)

func (s side) String() string { return [...]string{"old", "new"}[s] }

// sides returns the order of a turn: the first place goes round.
func sides(turn int) [2]side {
	if turn%2 == 1 {
		return [2]side{sideNew, sideOld}
	}
	return [2]side{sideOld, sideNew}
}

// profile takes the profiles of both sides. The error is the context's; a
// benchmark that fails ends its profiling with a warning.
func (e *explainer) profile(ctx context.Context, b *Benchmark, d *differ, share time.Duration, c *compare.Change) error {
	end := e.o.Now().Add(share)
	// The last turn has to fit too, and a process takes longer than its loop.
	whole := time.Duration(float64(share) * (1 - allocShare) * 0.8)
	length := time.Duration(e.o.Samples) * time.Second / hz / turns
	length = max(min(length, whole/(2*turns)), shortest)
	c.Iterations = gobench.Iterations(length, b.NsPerOp)
	for turn := 0; turn < maxTurns; turn++ {
		if turn >= turns && min(d.samples(sideOld), d.samples(sideNew)) >= int64(e.o.Samples) {
			break
		}
		if turn > 0 && e.o.Now().Add(3*length).After(end) {
			break
		}
		for _, s := range sides(turn) {
			p, calls, err := e.take(ctx, b, s, c.Iterations, length, recording.KindCPU)
			if err != nil {
				return e.failed(ctx, b, s, c, err)
			}
			if err := d.addCPU(s, p, calls, c); err != nil {
				return e.failed(ctx, b, s, c, err)
			}
		}
		c.Turns++
	}
	c.SamplesOld, c.SamplesNew = d.samples(sideOld), d.samples(sideNew)
	if least := min(c.SamplesOld, c.SamplesNew); least < int64(e.o.Samples) {
		warn(c, "%d samples of the measured code instead of %d: smaller differences do not show; raise -budget", least, e.o.Samples)
	}
	n := gobench.Iterations(allocTime, b.NsPerOp+b.AllocsPerOp*float64(allocCost))
	for turn := range allocTurns {
		for _, s := range sides(turn) {
			p, calls, err := e.take(ctx, b, s, n, allocTime, recording.KindAllocs)
			if err != nil {
				return e.failed(ctx, b, s, c, err)
			}
			if err := d.addAllocs(s, p, calls, c); err != nil {
				return e.failed(ctx, b, s, c, err)
			}
		}
	}
	return nil
}

func (e *explainer) failed(ctx context.Context, b *Benchmark, s side, c *compare.Change, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("profile %s: %w", b.Name, context.Cause(ctx))
	}
	var ge *gobench.Error
	if errors.As(err, &ge) {
		err = errors.New(ge.Text)
	}
	warn(c, "profiling of %v ended early: %v", s, err)
	return nil
}

// take runs one side once under a profiler.
func (e *explainer) take(ctx context.Context, b *Benchmark, s side, n int64, length time.Duration, kind string) (*callstack.Frames, int64, error) {
	of := [...]*Side{&b.Old, &b.New}[s]
	name := filepath.Join(e.dir, "profile")
	defer os.Remove(name)
	run := gobench.Run{
		Bench: b.Name, BenchTime: fmt.Sprintf("%dx", n), CPU: e.o.CPU, Args: e.o.Args,
		Timeout: e.limit(length), Output: e.o.Output,
	}
	run.Instrument(kind, name)
	if _, err := of.Binary.Run(ctx, run); err != nil {
		return nil, 0, err
	}
	_, p, err := record.ReadProfile(name, "the profile")
	if err != nil {
		return nil, 0, err
	}
	return p, hot.Calls(n, p), nil
}

// addCPU adds a turn's CPU profile.
func (d *differ) addCPU(s side, p *callstack.Frames, calls int64, c *compare.Change) error {
	return d.add(s, p, calls, c, []column{{kindCPU, "samples", "cpu"}})
}

// addAllocs adds a turn's allocation profile.
func (d *differ) addAllocs(s side, p *callstack.Frames, calls int64, c *compare.Change) error {
	return d.add(s, p, calls, c, []column{{kindBytes, "alloc_objects", "alloc_space"}, {kindAllocs, "alloc_objects", "alloc_objects"}})
}

// column says which of a profile's columns hold the counts and the values of a
// kind.
type column struct {
	kind          kind
	count, values string
}

func (d *differ) add(s side, p *callstack.Frames, calls int64, c *compare.Change, columns []column) error {
	classified := d.pair.classify(s, p, c)
	seen := &d.loops[columns[0].kind][s]
	seen.unlooped += classified.Unlooped
	seen.whole += classified.Whole
	for _, col := range columns {
		count, err := p.TypeIndex(col.count)
		if err != nil {
			return err
		}
		values, err := p.TypeIndex(col.values)
		if err != nil {
			return err
		}
		d.tallies[col.kind][s].add(classified, count, values, calls, d.pair.keys(s, p))
	}
	return nil
}

// classify sorts the samples of a profile of one side into classes.
func (p *pair) classify(s side, prof *callstack.Frames, c *compare.Change) *hot.Classified {
	t := p.trees[s]
	for i := range prof.NumFrames() {
		t.addLoops(prof.Frame(callstack.FrameID(i)).File)
	}
	classified := hot.Classify(prof, &t.loops)
	if classified.RootsLost {
		warn(c, "the stacks of %v are deeper than the profiler records: functions near their roots have too little cum", s)
	}
	return classified
}
