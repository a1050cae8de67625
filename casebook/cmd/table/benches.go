package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

// benches measures benchmarks, each slice in a process of its own.
type benches struct {
	name     string
	programs *programs

	iterations map[target]int
	took       map[target]time.Duration
}

const (
	// Slices are this long, as the time allows: longer ones average more of the
	// collector's cycles, shorter ones allow more rounds.
	shortestSlice = 20 * time.Millisecond
	longestSlice  = 100 * time.Millisecond
	// start is what a process takes beside its slice.
	start = 15 * time.Millisecond
	// wanted is how many rounds shall fit: two more than the widest of the cases
	// needs for its intervals.
	wanted = 10
	// processLimit bounds a slice: the longest takes some seconds.
	processLimit = time.Minute
)

func (l *benches) warnings() []string { return nil }

func (l *benches) takes(r target) time.Duration { return l.took[r] }

// ready chooses the iterations of each benchmark and stage.
func (l *benches) ready(ctx context.Context, g *group, within time.Duration) (map[target]compare.Slice, error) {
	runs := g.targets()
	length := sliceOf(within, len(runs), start, shortestSlice, longestSlice)
	l.iterations, l.took = make(map[target]int), make(map[target]time.Duration)
	for _, r := range runs {
		begun := time.Now()
		got, n, err := l.run(ctx, r, shortestSlice.String())
		if err != nil {
			return nil, err
		}
		took := time.Since(begun)
		l.iterations[r] = max(int(float64(length)/max(got[nsPerOp], 0.1)), 1)
		l.took[r] = took + max(length-time.Duration(got[nsPerOp]*float64(n)), 0)
	}
	return nil, nil
}

// sliceOf is how long slices may be, each with something beside it, for the
// wanted rounds of so many runs to fit into a time.
func sliceOf(within time.Duration, runs int, beside, shortest, longest time.Duration) time.Duration {
	return min(max(within/time.Duration(2*wanted*runs)-beside, shortest), longest)
}

func (l *benches) slice(ctx context.Context, r target) (compare.Slice, error) {
	n := l.iterations[r]
	got, ran, err := l.run(ctx, r, strconv.Itoa(n)+"x")
	if err == nil && ran != n {
		return nil, fmt.Errorf("%s ran %d iterations and not the %d it was asked for", r.bench, ran, n)
	}
	return got, err
}

// run runs one benchmark of a stage and returns what it showed of an operation,
// and its iterations.
func (l *benches) run(ctx context.Context, r target, benchTime string) (compare.Slice, int, error) {
	binary, dir := l.programs.test(l.name, r.stage)
	b := gobench.Binary{Path: binary, Target: &gobench.Target{ImportPath: "whet/casebook/" + l.name + "/" + r.stage, Dir: dir, WorkDir: l.programs.root}}
	res, err := b.Run(ctx, gobench.Run{Bench: r.bench, BenchTime: benchTime, Timeout: processLimit})
	if err != nil {
		return nil, 0, fmt.Errorf("stage %s: %w", r.stage, err)
	}
	line := &res.Lines[0]
	if len(res.Lines) > 1 || line.Name != r.bench || line.NoTime || line.NsPerOp <= 0 || line.BytesPerOp == nil || line.AllocsPerOp == nil {
		return nil, 0, fmt.Errorf("stage %s: %s gave no single result with time and allocations", r.stage, r.bench)
	}
	return compare.Slice{nsPerOp: line.NsPerOp, bytesPerOp: *line.BytesPerOp, allocsPerOp: *line.AllocsPerOp}, int(line.N), nil
}
