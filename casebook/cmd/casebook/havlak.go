package main

import (
	"context"

	"whet/casebook/havlak"
	"whet/casebook/havlak/best"
	"whet/casebook/havlak/cached"
	"whet/casebook/havlak/dense"
	"whet/casebook/havlak/original"
	"whet/casebook/havlak/slices"
)

func havlakStudy() study {
	return study{
		name: "havlak",
		stages: []stage{
			{name: "original", run: analyzing(func(g havlak.Graph) havlak.Finder { return original.New(g) })},
			{name: "dense", run: analyzing(func(g havlak.Graph) havlak.Finder { return dense.New(g) })},
			{name: "slices", run: analyzing(func(g havlak.Graph) havlak.Finder { return slices.New(g) })},
			{name: "cached", run: analyzing(func(g havlak.Graph) havlak.Finder { return cached.New(g) })},
			{name: "best", run: analyzing(func(g havlak.Graph) havlak.Finder { return best.New(g) })},
		},
	}
}

// analyzing finds the loops of the published graph, as often as was published.
func analyzing(make havlak.New) func(context.Context, environment) error {
	return func(ctx context.Context, e environment) error {
		g, err := havlak.Nested(havlak.Rows, havlak.Nests)
		if err != nil {
			return err
		}
		return havlak.Analyze(ctx, e.stdout, g, make)
	}
}
