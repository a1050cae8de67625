package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"whet/internal/capture/process"
)

// Blocks is what everyone does: go test -count=10 of the old side, then of the
// new one, and benchstat on the two. Only the larger size of each kind is asked for.
type Blocks struct {
	First      bool       `json:"first"` // before the proof
	ElapsedNs  int64      `json:"elapsed_ns"`
	Benchmarks []BlockRow `json:"benchmarks"`
}

// BlockRow are the times of one benchmark in ns/op, in the order of the runs.
type BlockRow struct {
	Name string    `json:"name"`
	Old  []float64 `json:"old"`
	New  []float64 `json:"new"`
}

// compare is benchstat's test of the two samples with its default threshold.
func (r BlockRow) compare() benchmath.Comparison {
	t := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(r.Old, &t), benchmath.NewSample(r.New, &t))
}

// different returns what benchstat shows as a change and not as "~".
func (r BlockRow) different() bool {
	c := r.compare()
	return c.P < c.Alpha
}

// slower is a change to the worse, by benchstat's centers.
func (r BlockRow) slower() bool { return r.different() && center(r.New) > center(r.Old) }

func center(values []float64) float64 {
	t := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &t), 0.95).Center
}

// blockRuns is go test's -count.
const blockRuns = 10

// measureBlocks runs the two blocks.
func measureBlocks(ctx context.Context, p pair) (*Blocks, error) {
	b := new(Blocks)
	start := time.Now()
	for i, dir := range []string{p.old, p.new} {
		var out, errs bytes.Buffer
		res, err := process.Run(ctx, process.Command{
			Path: "go", Args: []string{"test", "-run=^$", "-bench=" + larger, fmt.Sprintf("-count=%d", blockRuns)},
			Dir: dir, Stdout: &out, Stderr: &errs,
		})
		if err == nil && !res.OK() {
			err = fmt.Errorf("%s: %s", res.Status(), bytes.TrimSpace(append(errs.Bytes(), out.Bytes()...)))
		}
		if err == nil {
			err = b.read(&out, i == 0)
		}
		if err != nil {
			return nil, fmt.Errorf("go test -count=%d: %w", blockRuns, err)
		}
	}
	b.ElapsedNs = int64(time.Since(start))
	for _, r := range b.Benchmarks {
		if len(r.Old) != blockRuns || len(r.New) != blockRuns {
			return nil, fmt.Errorf("go test -count=%d gave %d times of old and %d of new for %s", blockRuns, len(r.Old), len(r.New), r.Name)
		}
	}
	return b, nil
}

// read takes in the output of one side as benchstat reads it.
func (b *Blocks) read(in io.Reader, old bool) error {
	reader := benchfmt.NewReader(in, "go test")
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return r
		case *benchfmt.Result:
			name, _, _ := strings.Cut("Benchmark"+r.Name.String(), "-")
			seconds, ok := r.Value("sec/op")
			if !ok {
				return fmt.Errorf("%s has no time", name)
			}
			i := slices.IndexFunc(b.Benchmarks, func(have BlockRow) bool { return have.Name == name })
			if i < 0 {
				i = len(b.Benchmarks)
				b.Benchmarks = append(b.Benchmarks, BlockRow{Name: name})
			}
			to := &b.Benchmarks[i].New
			if old {
				to = &b.Benchmarks[i].Old
			}
			*to = append(*to, digits(seconds*1e9))
		}
	}
	return reader.Err()
}
