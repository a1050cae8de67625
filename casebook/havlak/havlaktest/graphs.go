package havlaktest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"whet/casebook/havlak"
)

// Graph makes a graph from edges written "0>1 1>2 2>1".
func Graph(blocks int, edges string) havlak.Graph {
	var list []havlak.Edge
	for _, s := range strings.Fields(edges) {
		var e havlak.Edge
		if _, err := fmt.Sscanf(s, "%d>%d", &e.From, &e.To); err != nil {
			panic("edge " + s + " of a test: " + err.Error())
		}
		list = append(list, e)
	}
	return made(blocks, list)
}

// made makes a graph of edges that a test has made up.
func made(blocks int, edges []havlak.Edge) havlak.Graph {
	g, err := havlak.NewGraph(blocks, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// Small is a graph of 1 row of 10 nests, 760 loops in 2,524 blocks.
func Small() havlak.Graph {
	g, err := havlak.Nested(1, 10)
	if err != nil {
		panic(err)
	}
	return g
}

// Random draws a graph: blocks in a chain, so that most are reached, some of
// its links missing, and edges between any two.
func Random(rng *rand.Rand, blocks, edges int) havlak.Graph {
	var list []havlak.Edge
	for b := 1; b < blocks; b++ {
		if rng.IntN(4) > 0 {
			list = append(list, havlak.Edge{From: b - 1, To: b})
		}
	}
	for range edges {
		list = append(list, havlak.Edge{From: rng.IntN(blocks), To: rng.IntN(blocks)})
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return made(blocks, list)
}

// Text writes a graph as Graph reads it.
func Text(g havlak.Graph) string {
	var b strings.Builder
	for from, to := range g.Edges() {
		fmt.Fprintf(&b, "%d>%d ", from, to)
	}
	return fmt.Sprintf("%d blocks, %s", g.Blocks(), b.String())
}
