package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
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

// next takes a lot out of the changes, each as likely as it has benchmarks; nil: there is
// none left.
func next(changes []Change) (*Change, lot) {
	left := 0
	for i := range changes {
		for _, l := range changes[i].lots {
			left += len(l.patterns)
		}
	}
	n := rand.IntN(max(left, 1))
	for i := range changes {
		c := &changes[i]
		for j, l := range c.lots {
			if n -= len(l.patterns); n < 0 {
				c.lots = slices.Delete(c.lots, j, j+1)
				return c, l
			}
		}
	}
	return nil, lot{}
}

// measure measures a lot of benchmarks that were decided to be the same code.
func (c *Change) measure(ctx context.Context, tmp string, l lot, rounds int) {
	o, err := c.options(ctx, tmp)
	if err != nil {
		return
	}
	o.Packages, o.Bench, o.AA, o.Tests, o.Rounds, o.Budget = l.pkg, strings.Join(l.patterns, "|"), true, 0, rounds, 10*time.Minute
	begin := time.Now()
	res, err := benchmarks.Run(ctx, o)
	if err != nil || res.Interrupted {
		return // it fails on its own account
	}
	rows := timed(res.Benchmarks)
	n, wrong := different(rows)
	c.Rows, c.MeasureNs = append(c.Rows, rows...), append(c.MeasureNs, time.Since(begin).Nanoseconds())
	fmt.Fprintf(os.Stderr, "%s %s %s: %d of %d called different, %v\n", c.Module, c.New, l.pkg, wrong, n, time.Since(begin).Round(time.Second))
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
