package app

import (
	"context"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/sides"
	"whet/internal/prove/why"
)

// explain profiles the benchmarks that changed, those that changed most first.
func (p *proveFlags) explain(ctx context.Context, pair *sides.Pair, res *compare.Result) error {
	o := why.DefaultOptions()
	o.CPU, o.Args, o.Output, o.Now, o.Scratch = p.bench.CPU, p.bench.Args, p.bench.Output, p.bench.Now, pair.Scratch()
	o.Progress = func(stage, benchmark string) { p.bench.Tell(prove.Event{Stage: stage, Benchmark: benchmark}) }
	for _, b := range why.Choose(res.Benchmarks, false) {
		pkg := slices.IndexFunc(pair.Packages(), func(k sides.Package) bool { return k.ImportPath == b.Package })
		if pkg < 0 {
			continue
		}
		b.Old = why.Side{Binary: pair.Binary(compare.Old, pkg), Build: pair.Build(compare.Old)}
		b.New = why.Side{Binary: pair.Binary(compare.New, pkg), Build: pair.Build(compare.New)}
		o.Benchmarks = append(o.Benchmarks, b)
	}
	if len(o.Benchmarks) == 0 {
		res.Warnings = append(res.Warnings, "-why: no verdict is faster or slower: nothing to explain")
		return nil
	}
	changes, err := why.Explain(ctx, o)
	res.Why = append(res.Why, changes...)
	return err
}
