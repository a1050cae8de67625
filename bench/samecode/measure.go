package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/prove/benchmarks"
)

// lot is some of the decided benchmarks of a package: one proof measures them.
type lot struct {
	pkg      string
	patterns []string // each selects one benchmark without sub-benchmarks
}

// slowestSetup bounds a process of one iteration: a proof starts some 85 of each
// benchmark.
const slowestSetup = 250 * time.Millisecond

// draw draws at most so many of the benchmarks, each once run: those with a slow
// set-up are left out, and of sub-benchmarks one is drawn.
func draw(ctx context.Context, bin *gobench.Binary, names []string, most int) (l lot) {
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if len(l.patterns) >= most {
			break
		}
		var found []string
		res, err := bin.Run(ctx, gobench.Run{Bench: name, BenchTime: "1x", Timeout: 20 * slowestSetup})
		if err != nil {
			continue
		}
		for _, line := range res.Lines {
			if !line.NoTime {
				found = append(found, line.Name)
			}
		}
		if len(found) == 0 {
			continue
		}
		pattern := gobench.Exact(found[rand.IntN(len(found))])
		if res, err = bin.Run(ctx, gobench.Run{Bench: name, Pattern: pattern, BenchTime: "1x", Timeout: 20 * slowestSetup}); err != nil || len(res.Lines) != 1 || res.End.Sub(res.Start) > slowestSetup {
			continue // the pattern of a sub-benchmark selects those below it, too
		}
		l.patterns = append(l.patterns, pattern)
	}
	return l
}

// withLots draws one of the changes that have lots; nil: none has.
func withLots(changes []Change) *Change {
	for _, i := range rand.Perm(len(changes)) {
		if len(changes[i].lots) > 0 {
			return &changes[i]
		}
	}
	return nil
}

// measure measures the next lot of benchmarks that were decided to be the same
// code.
func (c *Change) measure(ctx context.Context, tmp string, rounds int) {
	next := c.lots[0]
	c.lots = c.lots[1:]
	o, err := c.options(ctx, tmp)
	if err != nil {
		return
	}
	o.Packages, o.Bench, o.AA, o.Tests, o.Rounds, o.Budget = next.pkg, strings.Join(next.patterns, "|"), true, 0, rounds, 10*time.Minute
	begin := time.Now()
	res, err := benchmarks.Run(ctx, o)
	if err != nil || res.Interrupted {
		return // it fails on its own account
	}
	rows := timed(res.Benchmarks)
	n, wrong := different(rows)
	c.Rows, c.MeasureNs = append(c.Rows, rows...), append(c.MeasureNs, time.Since(begin).Nanoseconds())
	fmt.Fprintf(os.Stderr, "%s %s %s: %d of %d called different, %v\n", c.Module, c.New, next.pkg, wrong, n, time.Since(begin).Round(time.Second))
}

// timed returns the rows of times that had enough rounds for a verdict.
func timed(rows []compare.Row) (out []compare.Row) {
	for _, r := range rows {
		if (r.Metric == compare.NsPerOp || r.Metric == compare.CPUNsPerOp) && r.Look > 0 && r.RatioHigh < compare.MaxRatio {
			out = append(out, r)
		}
	}
	return out
}

// different counts the benchmarks that the rows are of, and those of which any is
// called faster or slower.
func different(rows []compare.Row) (n, wrong int) {
	type benchmark struct{ pkg, name string }
	seen := make(map[benchmark]bool)
	for _, r := range timed(rows) {
		b := benchmark{r.Package, r.Name}
		seen[b] = seen[b] || r.Verdict == compare.Faster || r.Verdict == compare.Slower
	}
	for _, called := range seen {
		n++
		if called {
			wrong++
		}
	}
	return n, wrong
}
