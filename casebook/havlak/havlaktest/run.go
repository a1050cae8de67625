package havlaktest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"whet/casebook/havlak"
)

// Run tests a stage.
func Run(t *testing.T, stage havlak.New) {
	t.Run("graphs", func(t *testing.T) {
		for _, r := range table {
			t.Run(r.what, func(t *testing.T) { check(t, stage, Graph(r.blocks, r.edges), r.want()) })
		}
	})
	t.Run("zero graph", func(t *testing.T) { check(t, stage, havlak.Graph{}, table[0].want()) })
	t.Run("the graph of the case", func(t *testing.T) { testNested(t, stage) })
	t.Run("nesting", func(t *testing.T) { RunNesting(t, stage) })
	t.Run("random graphs", func(t *testing.T) { testRandom(t, stage) })
	t.Run("a long way", func(t *testing.T) { testLong(t, stage) })
	t.Run("one call after the other", func(t *testing.T) { testApart(t, stage) })
	t.Run("calls at once", func(t *testing.T) { testConcurrent(t, stage) })
	t.Run("reading ends early", func(t *testing.T) { testEarly(t, stage) })
}

// Check holds what two calls of a stage find in a graph to what is wanted.
func Check(stage havlak.New, g havlak.Graph, want Seen) error {
	f := stage(g)
	for call := 1; call <= 2; call++ {
		got, err := See(f.Find(), g.Blocks())
		if err != nil {
			return fmt.Errorf("call %d: %w\nin %s", call, err, Text(g))
		}
		if !got.Equal(want) {
			return fmt.Errorf("call %d found\n%+v\nwant\n%+v\nin %s", call, got, want, Text(g))
		}
	}
	return nil
}

func check(t *testing.T, stage havlak.New, g havlak.Graph, want Seen) {
	t.Helper()
	if err := Check(stage, g, want); err != nil {
		t.Error(err)
	}
}

// testNested: rows × nests × (25 × 3 + 1) loops, and each where it belongs.
func testNested(t *testing.T, stage havlak.New) {
	for _, size := range []struct{ rows, nests, loops int }{
		{0, 0, 0}, {0, 3, 0}, {2, 0, 0}, {1, 1, 76}, {3, 2, 456}, {1, 10, 760}, {10, 1, 760},
	} {
		g, err := havlak.Nested(size.rows, size.nests)
		if err != nil {
			t.Fatal(err)
		}
		if got := stage(g).Find().Len(); got != size.loops+1 {
			t.Errorf("%d rows of %d nests: %d loops with the root, want %d", size.rows, size.nests, got, size.loops+1)
			continue
		}
		got, err := See(stage(g).Find(), g.Blocks())
		if err != nil || !got.Equal(ByArithmetic(size.rows, size.nests)) {
			t.Errorf("%d rows of %d nests: loops or blocks are not where they belong, %v", size.rows, size.nests, err)
		}
	}
}

// RunNesting tests what the published program got wrong: in it the depth of
// loops inside loops stayed 0. Loop i of n, each in the one before, is at
// depth i and at level n-i.
func RunNesting(t *testing.T, stage havlak.New) {
	const n = 40
	want := Seen{Loops: []havlak.Loop{{Header: root, Parent: root, Level: n}}, Blocks: []int{root}}
	for i := 1; i <= n; i++ {
		l := havlak.Loop{Header: i, Parent: i - 1, Depth: i, Level: n - i}
		if i == 1 {
			l.Parent = root
		}
		want.Loops = append(want.Loops, l)
		want.Blocks = append(want.Blocks, i)
	}
	chain := func(to int) (edges []havlak.Edge) {
		for b := 1; b <= to; b++ {
			edges = append(edges, havlak.Edge{From: b - 1, To: b})
		}
		return edges
	}

	// Block n leads back to all headers, in three orders.
	orders := map[string][]int{"from inside": nil, "from outside": nil, "in no order": rand.New(rand.NewPCG(6, 1)).Perm(n)}
	for i := range n {
		orders["from outside"] = append(orders["from outside"], i)
		orders["from inside"] = append(orders["from inside"], n-1-i)
	}
	for name, order := range orders {
		edges := chain(n)
		for _, i := range order {
			edges = append(edges, havlak.Edge{From: n, To: i + 1})
		}
		t.Run("one end, "+name, func(t *testing.T) { check(t, stage, made(n+1, edges), want) })
	}

	// Each loop has an end of its own: blocks n+1 to 2n, the innermost first.
	edges := chain(2 * n)
	for i := 1; i <= n; i++ {
		edges = append(edges, havlak.Edge{From: 2*n + 1 - i, To: i})
	}
	for i := n; i >= 1; i-- {
		want.Blocks = append(want.Blocks, i)
	}
	t.Run("an end each", func(t *testing.T) { check(t, stage, made(2*n+1, edges), want) })
	slices.Reverse(edges)
	t.Run("an end each, edges back first", func(t *testing.T) { check(t, stage, made(2*n+1, edges), want) })
}

// testRandom holds a stage to the references, on graphs small enough to have
// every odd shape often.
func testRandom(t *testing.T, stage havlak.New) {
	rng := rand.New(rand.NewPCG(6, 2))
	reducible, irreducible := 0, 0
	for range 600 {
		blocks := 1 + rng.IntN(12)
		g := Random(rng, blocks, rng.IntN(2*blocks))
		want := ByDefinition(g)
		natural, ok := ByDominators(g)
		if entered := slices.ContainsFunc(want.Loops, func(l havlak.Loop) bool { return l.Irreducible }); entered == ok {
			t.Fatalf("the references disagree whether it is reducible: %s", Text(g))
		}
		if ok && !natural.Equal(want) {
			t.Fatalf("the references disagree: %+v by dominators, %+v by definition, in %s", natural, want, Text(g))
		}
		if ok && len(want.Loops) > 1 {
			reducible++
		}
		if !ok {
			irreducible++
		}
		if err := Check(stage, g, want); err != nil {
			t.Fatal(err)
		}
	}
	if reducible < 100 || irreducible < 100 {
		t.Errorf("%d graphs had loops and were reducible, and %d were not: want 100 of each", reducible, irreducible)
	}
	for range 10 {
		g := Random(rng, 60, 60)
		if err := Check(stage, g, ByDefinition(g)); err != nil {
			t.Fatal(err)
		}
	}
}

// testLong: a walk that is as deep as the graph is long.
func testLong(t *testing.T, stage havlak.New) {
	const n = 50_000
	var edges []havlak.Edge
	want := Seen{Loops: []havlak.Loop{{Header: root, Parent: root, Level: 1}, {Header: n - 2, Parent: root, Depth: 1}}}
	for b := 1; b < n; b++ {
		edges = append(edges, havlak.Edge{From: b - 1, To: b})
	}
	edges = append(edges, havlak.Edge{From: n - 1, To: n - 2})
	want.Blocks = append(slices.Repeat([]int{root}, n-2), n-2, n-2)
	got, err := See(stage(made(n, edges)).Find(), n)
	if err != nil || !got.Equal(want) {
		t.Errorf("found %+v, %v", got.Loops, err)
	}
}

// testApart: what one call found stays as it is, whatever is called next, on
// the same graph and on another.
func testApart(t *testing.T, stage havlak.New) {
	g, other := Small(), Graph(4, "0>1 1>2 2>3 3>2 3>1")
	f, fOther := stage(g), stage(other)
	first, firstOther := f.Find(), fOther.Find()
	for range 3 {
		f.Find()
		fOther.Find()
	}
	for range 2 {
		if got, err := See(first, g.Blocks()); err != nil || !got.Equal(ByArithmetic(1, 10)) {
			t.Errorf("a later call changed the first call's loops, %v", err)
		}
		if got, err := See(firstOther, other.Blocks()); err != nil || !got.Equal(ByDefinition(other)) {
			t.Errorf("a later call changed the loops of the other graph, %v", err)
		}
	}
}

// testConcurrent: calls on one finder and on others at the same time.
func testConcurrent(t *testing.T, stage havlak.New) {
	const workers, rounds = 8, 3
	g := Small()
	want := ByArithmetic(1, 10)
	shared := stage(g)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			f := shared
			if i%4 == 3 {
				f = stage(g)
			}
			for range rounds {
				found := f.Find()
				f.Find()
				if got, err := See(found, g.Blocks()); err != nil || !got.Equal(want) {
					t.Errorf("worker %d found something else, %v", i, err)
				}
			}
		})
	}
	wg.Wait()
}

// testEarly: a reader may stop at any element.
func testEarly(t *testing.T, stage havlak.New) {
	found := stage(Graph(6, "0>1 1>2 2>1 2>3 3>4 4>3")).Find()
	for stop := 1; stop <= 3; stop++ {
		n := 0
		for range found.Loops() {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d loops were read, want %d", n, stop)
		}
		n = 0
		for range found.Blocks() {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d blocks were read, want %d", n, stop)
		}
	}
}
