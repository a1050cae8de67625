package app

import (
	"cmp"
	"context"
	"math"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/sides"
	"whet/internal/prove/why"
)

// explain returns what profiles the benchmarks that changed, those that
// changed most first.
func (p *proveFlags) explain(status *statusLine) func(context.Context, *sides.Pair, *prove.Result) error {
	return func(ctx context.Context, pair *sides.Pair, res *prove.Result) error {
		o := why.DefaultOptions()
		o.CPU, o.Args, o.Output, o.Now = p.bench.CPU, p.bench.Args, p.bench.Output, p.bench.Now
		o.Progress = func(stage, benchmark string) { status.proveProgress(prove.Event{Stage: stage, Benchmark: benchmark}) }
		o.Benchmarks = changed(pair, res.Benchmarks)
		if len(o.Benchmarks) == 0 {
			return nil
		}
		changes, err := why.Explain(ctx, o)
		res.Why = append(res.Why, changes...)
		return err
	}
}

// changed are the benchmarks of which a verdict says faster or slower.
func changed(pair *sides.Pair, rows []compare.Row) []why.Benchmark {
	type candidate struct {
		why.Benchmark
		change float64 // the largest, on the logarithmic scale
		said   bool
	}
	var found []*candidate
	for i := range rows {
		r := &rows[i]
		at := slices.IndexFunc(found, func(c *candidate) bool { return c.Package == r.Package && c.Name == r.Name })
		if at < 0 {
			pkg := slices.IndexFunc(pair.Packages(), func(k sides.Package) bool { return k.ImportPath == r.Package })
			if pkg < 0 {
				continue
			}
			at = len(found)
			found = append(found, &candidate{Benchmark: why.Benchmark{
				Package: r.Package, Name: r.Name,
				Old: why.Side{Binary: pair.Binary(compare.Old, pkg), Build: pair.Build(compare.Old)},
				New: why.Side{Binary: pair.Binary(compare.New, pkg), Build: pair.Build(compare.New)},
			}})
		}
		c := found[at]
		switch r.Metric {
		case compare.NsPerOp:
			c.NsPerOp = max(r.Old, r.New)
		case compare.AllocsPerOp:
			c.AllocsPerOp = max(r.Old, r.New)
		}
		if r.Verdict == compare.Faster || r.Verdict == compare.Slower {
			c.said, c.change = true, max(c.change, math.Abs(math.Log(r.Ratio)))
		}
	}
	slices.SortStableFunc(found, func(a, b *candidate) int { return cmp.Compare(b.change, a.change) })
	var out []why.Benchmark
	for _, c := range found {
		if c.said {
			out = append(out, c.Benchmark)
		}
	}
	return out
}
